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
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The short way to a first message: an endpoint with all that belongs to it. It is made of what any
 * application can open, one message after the other, each copied; {@link #vector} and {@link
 * #endpoint} lead on to more.
 *
 * <p>Who sends a message and is not known yet is inserted into the vector, up to {@value
 * #MOST_STRANGERS} entries. Over TCP, a message to a peer that cannot be reached fails after ten
 * seconds; over UDP nobody notices. For one thread at a time.
 *
 * {@snippet class="examples.Messages" region="first"}
 */
public final class Messenger implements AutoCloseable {
  /** The longest message, in bytes. To receive a longer one fails with {@link Errno#ETRUNC}. */
  public static final int MAX_MESSAGE = 65_507;

  private static final int MOST_STRANGERS = 65_536;
  private static final int BUFFERS = 8;

  private final Deque<FabricObject> opened = new ArrayDeque<>();
  private final Arena arena = Arena.ofShared();
  private final AddressVector vector;
  private final CompletionQueue queue;
  private final MessageEndpoint endpoint;

  // What has come and was not taken, each in its buffer; and buffers that could not be posted.
  private final Deque<Arrival> arrived = new ArrayDeque<>();
  private final Deque<Buffer> idle = new ArrayDeque<>();

  /** The context of receives: no application has the like. */
  private record Buffer(MemorySegment memory) {}

  private record Arrival(Completion completion, Buffer buffer) {}

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
      vector = opened(domain.openAddressVector(VectorOptions.table()));
      queue = opened(domain.openCompletionQueue());
      endpoint = opened(domain.openEndpoint(EndpointOptions.of(vector, queue)));
      for (int i = 0; i < BUFFERS; i++) {
        post(new Buffer(arena.allocate(MAX_MESSAGE)));
      }
    } catch (RuntimeException | Error refused) {
      try {
        close();
      } catch (RuntimeException alsoRefused) {
        refused.addSuppressed(alsoRefused);
      }
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
    return new Messenger(
        Hints.latest()
            .withProvider(provider)
            .withEndpointType(type)
            .withCapabilities(Capability.MSG, Capability.SOURCE, Capability.SOURCE_ERR)
            .withProgress(Progress.AUTO)
            .withSource(Arguments.required(address, "address")));
  }

  /** Posts a buffer, and those that there was no room for before. */
  private void post(Buffer buffer) {
    idle.add(buffer);
    while (!idle.isEmpty() && endpoint.tryReceive(idle.getFirst().memory(), idle.getFirst())) {
      idle.removeFirst();
    }
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
    send(Arguments.required(text, "text").getBytes(UTF_8), peer);
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
    if (Arguments.required(bytes, "bytes").length > MAX_MESSAGE) {
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
    long nanos = TimeUnit.NANOSECONDS.convert(Arguments.required(timeout, "timeout"));
    long begun = System.nanoTime();
    while (arrived.isEmpty()) {
      long left = nanos - (System.nanoTime() - begun);
      take(nanos < 0 ? timeout : Duration.ofNanos(Math.max(left, 0)), null);
      if (nanos >= 0 && left <= 0 && arrived.isEmpty()) {
        return null;
      }
    }
    Arrival next = arrived.removeFirst();
    try {
      return message(next.completion(), next.buffer().memory());
    } finally {
      post(next.buffer());
    }
  }

  /**
   * Takes a completion: of the send with a context, or of a receive, which is kept. Those of what
   * an application posts to the endpoint itself are dropped.
   *
   * @return whether it was that of the send
   */
  @SuppressWarnings("ReferenceEquality") // a context is itself and nothing like it
  private boolean take(Duration timeout, @Nullable Object sent) throws InterruptedException {
    Completion completion = queue.read(timeout);
    if (completion == null) {
      return false;
    }
    if (completion.context() instanceof Buffer buffer) {
      arrived.add(new Arrival(completion, buffer));
      return false;
    }
    boolean ours = sent != null && completion.context() == sent;
    if (ours && completion instanceof Completion.Failure failure) {
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
    if (known != Handles.NOT_AVAILABLE || vector.size() >= MOST_STRANGERS) {
      return known;
    }
    try {
      return vector.insert(sender);
    } catch (FabricException unusable) {
      // Nobody can answer to it, as to port 0; its message is one all the same.
      return Handles.NOT_AVAILABLE;
    }
  }

  /** {@return the peers that are known} */
  public AddressVector vector() {
    return vector;
  }

  /**
   * {@return the endpoint that sends and receives; completions of what is posted to it are dropped}
   */
  public MessageEndpoint endpoint() {
    return endpoint;
  }

  /**
   * Closes the endpoint, and all that belongs to it. Messages that wait are lost.
   *
   * @throws FabricBusyException if the application has opened something in the domain: close that
   *     first, and then this again
   */
  @Override
  public void close() {
    while (!opened.isEmpty()) {
      opened.getFirst().close();
      opened.removeFirst();
    }
    if (arena.scope().isAlive()) {
      arena.close();
    }
  }
}
