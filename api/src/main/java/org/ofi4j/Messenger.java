// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The short way to a first message: an endpoint with all that belongs to it. It is made of what any
 * application can open, one message after the other, each copied; {@link #vector} and {@link
 * #endpoint} lead on to more.
 *
 * <p>Who sends a message and is not known yet is inserted into the vector, up to {@value
 * #MOST_STRANGERS} entries. For one thread at a time.
 */
public final class Messenger implements AutoCloseable {
  /** The longest message, in bytes. */
  public static final int MAX_MESSAGE = 65_507;

  private static final int MOST_STRANGERS = 65_536;
  private static final int BUFFERS = 8;

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Arena arena = Arena.ofShared();
  private final AddressVector vector;
  private final CompletionQueue queue;
  private final MessageEndpoint endpoint;
  private final Deque<Message> arrived = new ArrayDeque<>();

  /** A message that was received. */
  public static final class Message {
    private final long source;
    private final byte[] bytes;

    private Message(long source, byte[] bytes) {
      this.source = source;
      this.bytes = bytes;
    }

    /**
     * {@return the handle of the sender, to answer to; {@link Handles#NOT_AVAILABLE} if it is not
     * known and the vector has no room for it}
     */
    public long source() {
      return source;
    }

    /** {@return the bytes, a copy} */
    public byte[] bytes() {
      return bytes.clone();
    }

    /** {@return the bytes as text in UTF-8} */
    public String text() {
      return new String(bytes, UTF_8);
    }

    /** The sender, and the first bytes. */
    @Override
    public String toString() {
      int shown = Math.min(bytes.length, 16);
      return "Message[source=%s, length=%s, bytes=%s%s]"
          .formatted(
              source,
              bytes.length,
              HexFormat.of().formatHex(bytes, 0, shown),
              shown < bytes.length ? "…" : "");
    }
  }

  private Messenger(Hints hints) {
    try {
      Fabric fabric = opened(Fabrics.open(hints));
      Domain domain = opened(fabric.openDomain());
      vector = opened(domain.openAddressVector(AvAttributes.table()));
      queue = opened(domain.openCompletionQueue());
      endpoint = opened(domain.openEndpoint(EndpointOptions.of(vector, queue)));
      for (int i = 0; i < BUFFERS; i++) {
        post(arena.allocate(MAX_MESSAGE));
      }
    } catch (RuntimeException | Error refused) {
      close();
      throw refused;
    }
  }

  private <T extends FabricObject> T opened(T object) {
    opened.addFirst(object);
    return object;
  }

  /**
   * Opens an endpoint at an address of this host. A thread of the provider moves the data, so that
   * peers get on while the application does something else.
   */
  static Messenger open(String provider, EndpointType type, String address) {
    Arguments.required(address, "address");
    int colon = address.lastIndexOf(':');
    if (colon < 0) {
      throw new FabricException(
          Errno.EINVAL,
          "address \"" + address + "\" has no port: write 127.0.0.1:0 or [::1]:0, with 0 for any");
    }
    String node = address.substring(0, colon);
    boolean brackets = node.startsWith("[") && node.endsWith("]");
    return new Messenger(
        Hints.latest()
            .withProvider(provider)
            .withEndpointType(type)
            .withCapabilities(Capability.MSG, Capability.SOURCE, Capability.SOURCE_ERR)
            .withProgress(Progress.AUTO)
            .withAddress(
                brackets ? node.substring(1, node.length() - 1) : node,
                address.substring(colon + 1))
            .withFlags(InfoFlag.SOURCE));
  }

  private void post(MemorySegment buffer) {
    endpoint.receive(buffer, buffer);
  }

  /** {@return the address under which others reach this one} */
  public FabricAddress address() {
    return endpoint.address();
  }

  /**
   * Makes a peer known.
   *
   * @param peer its address
   * @return its handle, to send to
   * @throws FabricException as {@link AddressVector#insert(FabricAddress)}
   */
  public long insert(FabricAddress peer) {
    return vector.insert(peer);
  }

  /**
   * Makes a peer known.
   *
   * @param peer its address as {@link FabricAddress#parse} takes it, such as {@code 10.1.1.7:5000}
   * @return its handle, to send to
   * @throws FabricException as {@link AddressVector#insert(FabricAddress)}
   */
  public long insert(String peer) {
    return vector.insert(FabricAddress.parse(peer));
  }

  /**
   * Sends text in UTF-8, and waits until the network has it.
   *
   * @param text the text, at most {@link #MAX_MESSAGE} bytes
   * @param peer the handle of the peer
   * @throws FabricException as {@link #send(byte[], long)}
   * @throws InterruptedException if the thread was interrupted while waiting
   */
  public void send(String text, long peer) throws InterruptedException {
    send(text.getBytes(UTF_8), peer);
  }

  /**
   * Sends bytes, and waits until the network has them.
   *
   * @param bytes the bytes, at most {@link #MAX_MESSAGE}
   * @param peer the handle of the peer
   * @throws FabricException with {@link Errno#EMSGSIZE} for too many bytes, {@link Errno#EINVAL} if
   *     the handle names no entry, or what kept the message from being sent
   * @throws InterruptedException if the thread was interrupted while waiting; the message may have
   *     been sent
   */
  public void send(byte[] bytes, long peer) throws InterruptedException {
    if (bytes.length > MAX_MESSAGE) {
      throw new FabricException(
          Errno.EMSGSIZE,
          "a message of " + bytes.length + " bytes: there can be " + MAX_MESSAGE + " at most");
    }
    MemorySegment message = Arena.ofAuto().allocate(Math.max(bytes.length, 1));
    message = message.asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
    Object sent = new Object();
    while (!endpoint.trySend(message, peer, sent)) {
      take(Duration.ofMillis(1), null);
    }
    boolean done = false;
    while (!done) {
      done = take(Duration.ofSeconds(-1), sent);
    }
  }

  /**
   * Takes the next message, and waits for it.
   *
   * @param timeout how long to wait; negative waits without end
   * @return the message, or null when the time was up
   * @throws FabricException if a message could not be received
   * @throws InterruptedException if the thread was interrupted while waiting
   */
  public @Nullable Message receive(Duration timeout) throws InterruptedException {
    long end = System.nanoTime() + timeout.toNanos();
    while (arrived.isEmpty()) {
      Duration left = timeout.isNegative() ? timeout : Duration.ofNanos(end - System.nanoTime());
      if (left.isNegative() && !timeout.isNegative()) {
        return null;
      }
      take(left, null);
    }
    return arrived.poll();
  }

  /**
   * Takes a completion: of the send with a context, or of a receive, which is kept.
   *
   * @return whether it was that of the send
   */
  @SuppressWarnings("ReferenceEquality") // a context is itself and nothing like it
  private boolean take(Duration timeout, @Nullable Object sent) throws InterruptedException {
    Completion completion = queue.read(timeout);
    if (completion == null) {
      return false;
    }
    boolean ours = completion.context() == sent;
    if (completion.context() instanceof MemorySegment buffer) {
      try {
        arrived.add(message(completion, buffer));
      } finally {
        post(buffer);
      }
    } else if (ours && completion instanceof Completion.Failure failure) {
      throw new FabricException(failure.errno(), "the message was not sent: " + failure.reason());
    }
    return ours;
  }

  private Message message(Completion received, MemorySegment buffer) {
    long source = received.source();
    if (received instanceof Completion.Failure failure) {
      if (failure.errno() != Errno.EADDRNOTAVAIL) {
        throw new FabricException(
            failure.errno(), "a message was not received: " + failure.reason());
      }
      source = handle(failure.senderAddress(vector.format()));
    }
    return new Message(source, buffer.asSlice(0, received.length()).toArray(ValueLayout.JAVA_BYTE));
  }

  /** The handle of who was not known when the message came, but may be meanwhile. */
  private long handle(FabricAddress sender) {
    long known = vector.find(sender);
    return known == Handles.NOT_AVAILABLE && vector.size() < MOST_STRANGERS
        ? vector.insert(sender)
        : known;
  }

  /** {@return the peers that are known} */
  public AddressVector vector() {
    return vector;
  }

  /** {@return the endpoint that sends and receives} */
  public MessageEndpoint endpoint() {
    return endpoint;
  }

  /** Closes the endpoint, and all that belongs to it. Messages that wait are lost. */
  @Override
  public void close() {
    while (!opened.isEmpty()) {
      ((FabricObject) opened.removeFirst()).close();
    }
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
