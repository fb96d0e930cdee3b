// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * The short way to a first message: an endpoint with all that belongs to it. It is made of what any
 * application can open, one message after the other, each copied; {@link #vector} and {@link
 * #endpoint} lead on to more.
 *
 * <p>A sender that is not known yet is inserted into the vector, up to {@value #MOST_STRANGERS}
 * entries. From then on a warning is logged, and messages of other senders have no source: remove
 * peers that are gone. Over TCP, a message to a peer that cannot be reached fails after ten
 * seconds; over UDP such a message is lost without notice.
 *
 * <p>Any number of threads may send and receive at once; each message goes to one of the threads
 * that receive. So a thread that sends a request and then receives may get the reply to a request
 * of another thread. {@link RequestReply} takes a messenger over and brings each reply to the
 * caller that asked. {@link #close} ends the calls of other threads with {@link Errno#EINVAL}.
 *
 * {@snippet class="examples.Messages" region="first"}
 */
public final class Messenger implements AutoCloseable {
  /** The longest message, in bytes. To receive a longer one fails with {@link Errno#ETRUNC}. */
  public static final int MAX_MESSAGE = 65_507;

  private static final Duration SEND_TIMEOUT = Duration.ofMinutes(1);
  private static final int MOST_STRANGERS = 65_536;
  private static final int BUFFERS = 8;
  private static final int COMPLETIONS_PER_TURN = 10_000;

  private final Deque<FabricObject> opened = new ArrayDeque<>();
  private final Arena arena = Arena.ofShared();
  private final AddressVector vector;
  private final CompletionQueue queue;
  private final EventQueue events;
  private final MessageEndpoint endpoint;

  // The queue serves all threads that wait: one of them reads it, without the lock, and gives each
  // completion to the call that it belongs to.
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition progress = lock.newCondition();
  private boolean reading;

  private boolean isFullLogged;

  // Messages that no thread has taken, each in its buffer; and buffers that could not be posted.
  private final Deque<Arrival> arrived = new ArrayDeque<>();
  private final Deque<Buffer> idle = new ArrayDeque<>();

  // An owner alone reads the queue. Its messages wait here while the transmit queue is full. A
  // completion can be read before its place in that queue is free, so no completion may be left to
  // report that there is space again: the owner tries once a millisecond while messages wait.
  private boolean owned;
  private final Deque<Post> unsent = new ArrayDeque<>();
  private final Semaphore ready = new Semaphore(0);

  /** The context of receives: no application has the like. */
  private record Buffer(MemorySegment memory) {}

  private record Arrival(Completion completion, Buffer buffer) {}

  /** The context of a message that is being sent. */
  private static final class Transmission {
    private @Nullable Completion completion;
  }

  /** The context of a message of the owner. {@code ended} gets the failure, or null. */
  private record Post(
      MemorySegment message, long peer, Consumer<@Nullable FabricException> ended) {}

  /** The only user of a messenger that it has taken over; its methods run in its own thread. */
  interface Owner {
    void received(Message message);

    void lost(Event.PeerLost loss);
  }

  /** A message that was received. */
  public static final class Message {
    private final long source;
    private final byte[] bytes;

    Message(long source, byte[] bytes) {
      this.source = source;
      this.bytes = bytes;
    }

    /**
     * {@return the handle of the sender, to answer to; {@link Handles#NOT_AVAILABLE} if it is not
     * known and the vector has no room for it, or cannot be answered to, as one at port 0}
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
      events = opened(fabric.openEventQueue());
      EndpointOptions options = EndpointOptions.of(vector, queue);
      boolean reportsLosses = fabric.info().endpoint().type() == EndpointType.RDM;
      endpoint = opened(domain.openEndpoint(reportsLosses ? options.withEvents(events) : options));
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

  /** Opens an endpoint at an address of this host. */
  static Messenger open(String provider, EndpointType type, String address) {
    return open(
        Hints.latest()
            .withProvider(provider)
            .withEndpointType(type)
            .withCapabilities(Capability.SOURCE_ERR)
            .withSource(Arguments.required(address, "address")));
  }

  /**
   * Opens an endpoint that meets hints. A thread of the provider moves the data, so that peers get
   * on while the application does something else.
   */
  static Messenger open(Hints hints) {
    return new Messenger(
        Arguments.required(hints, "hints")
            .withMoreCapabilities(Capability.MSG, Capability.SOURCE)
            .withProgress(Progress.AUTO));
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
   * Sends bytes, and waits up to a minute until the network has them.
   *
   * @param bytes the bytes, at most {@link #MAX_MESSAGE}
   * @param peer the handle of the peer
   * @throws FabricException as {@link #send(byte[], long, Duration)}
   * @throws InterruptedException if the thread was interrupted while waiting; the message may have
   *     been sent
   */
  public void send(byte[] bytes, long peer) throws InterruptedException {
    send(bytes, peer, SEND_TIMEOUT);
  }

  /**
   * Sends bytes, and waits until the network has them. Over TCP it does not take them while the
   * peer leaves too many messages unreceived.
   *
   * @param bytes the bytes, at most {@link #MAX_MESSAGE}
   * @param peer the handle of the peer
   * @param timeout how long to wait; negative waits without end
   * @throws FabricException with {@link Errno#EMSGSIZE} for too many bytes, {@link Errno#EINVAL} if
   *     the handle names no entry or the messenger is closed, {@link Errno#EBUSY} if a {@link
   *     RequestReply} has the messenger, {@link Errno#ETIMEDOUT} if the time was up, or what kept
   *     the message from being sent; after ETIMEDOUT the message may still be sent
   * @throws InterruptedException if the thread was interrupted while waiting; the message may have
   *     been sent
   */
  public void send(byte[] bytes, long peer, Duration timeout) throws InterruptedException {
    if (Arguments.required(bytes, "bytes").length > MAX_MESSAGE) {
      throw new FabricException(
          Errno.EMSGSIZE,
          "a message of " + bytes.length + " bytes: there can be " + MAX_MESSAGE + " at most");
    }
    long nanos = nanos(timeout);
    MemorySegment message = Arena.ofAuto().allocate(Math.max(bytes.length, 1));
    MemorySegment copied = message.asSlice(0, bytes.length).copyFrom(MemorySegment.ofArray(bytes));
    Transmission sent = new Transmission();
    lock.lock();
    try {
      checkFree();
      long begun = System.nanoTime();
      while (!endpoint.trySend(copied, peer, sent)) {
        checkTime(nanos - (System.nanoTime() - begun), timeout, peer);
        await(() -> false, TimeUnit.MILLISECONDS.toNanos(1));
      }
      if (!await(() -> sent.completion != null, nanos - (System.nanoTime() - begun))) {
        checkTime(0, timeout, peer);
      }
    } finally {
      lock.unlock();
    }
    if (sent.completion instanceof Completion.Failure failure) {
      throw new FabricException(failure.errno(), "the message was not sent: " + failure.reason());
    }
  }

  private static void checkTime(long left, Duration timeout, long peer) {
    if (left <= 0) {
      throw new FabricException(
          Errno.ETIMEDOUT,
          ("the network did not take a message to handle %s within %s: the peer may not receive, or"
                  + " not fast enough; wait longer, or send less at once")
              .formatted(peer, timeout));
    }
  }

  /** A time to wait in nanoseconds, the longest one instead of a negative one. */
  private static long nanos(Duration timeout) {
    long nanos = TimeUnit.NANOSECONDS.convert(Arguments.required(timeout, "timeout"));
    return nanos < 0 ? Long.MAX_VALUE : nanos;
  }

  /**
   * Takes the next message, and waits for it. It may be from any peer, and goes to any one of the
   * threads that receive: replies reach the thread that asked with {@link RequestReply#ask}.
   *
   * @param timeout how long to wait; negative waits without end
   * @return the message, or null when the time was up
   * @throws FabricException if a message could not be received; with {@link Errno#EINVAL} if the
   *     messenger is closed, {@link Errno#EBUSY} if a {@link RequestReply} has the messenger
   * @throws InterruptedException if the thread was interrupted while waiting
   */
  public @Nullable Message receive(Duration timeout) throws InterruptedException {
    long nanos = nanos(timeout);
    lock.lock();
    try {
      checkFree();
      if (!await(() -> !arrived.isEmpty(), nanos)) {
        return null;
      }
      Arrival next = arrived.removeFirst();
      try {
        return message(next.completion(), next.buffer().memory());
      } finally {
        post(next.buffer());
      }
    } finally {
      lock.unlock();
    }
  }

  /**
   * Reads completions, or lets another thread read them, until the condition holds. The queue is
   * asked once even if there is no time. Callers hold the lock, which is free during the wait.
   *
   * @param condition what a completion brings about
   * @param nanos how long to wait
   * @return whether the condition holds
   */
  private boolean await(BooleanSupplier condition, long nanos) throws InterruptedException {
    long begun = System.nanoTime();
    boolean asked = false;
    while (!condition.getAsBoolean()) {
      long left = nanos - (System.nanoTime() - begun);
      if (left <= 0 && asked) {
        return false;
      }
      asked = true;
      if (reading) {
        progress.awaitNanos(left);
      } else {
        read(Duration.ofNanos(Math.max(left, 0)));
      }
    }
    return true;
  }

  /**
   * Reads a completion: of a message that is being sent, or of a receive, which is kept. Those of
   * what an application posts to the endpoint itself are dropped.
   */
  private void read(Duration timeout) throws InterruptedException {
    Completion completion;
    reading = true;
    lock.unlock();
    try {
      completion = queue.read(timeout);
    } finally {
      lock.lock();
      reading = false;
      progress.signalAll();
    }
    if (completion != null && completion.context() instanceof Buffer buffer) {
      arrived.add(new Arrival(completion, buffer));
    } else if (completion != null && completion.context() instanceof Transmission sent) {
      sent.completion = completion;
    }
  }

  private Message message(Completion received, MemorySegment buffer) {
    return switch (received) {
      case Completion.Success success -> message(success.source(), buffer, success.length());
      // A message of a sender that is not known, which is a message all the same.
      case Completion.Failure failure when failure.errno() == Errno.EADDRNOTAVAIL ->
          message(handle(failure.senderAddress(vector.format())), buffer, failure.length());
      case Completion.Failure failure ->
          throw new FabricException(
              failure.errno(), "a message was not received: " + failure.reason());
    };
  }

  private static Message message(long source, MemorySegment buffer, long length) {
    return new Message(source, buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE));
  }

  /** The handle of a sender that was not known when the message came, but may be known by now. */
  private long handle(FabricAddress sender) {
    long known = vector.find(sender);
    if (known != Handles.NOT_AVAILABLE) {
      return known;
    }
    if (vector.size() >= MOST_STRANGERS) {
      logFull();
      return Handles.NOT_AVAILABLE;
    }
    try {
      return vector.insert(sender);
    } catch (FabricException unusable) {
      // Nobody can answer to it, as to port 0; its message is one all the same.
      return Handles.NOT_AVAILABLE;
    }
  }

  private void logFull() {
    if (!isFullLogged) {
      isFullLogged = true;
      System.getLogger(Messenger.class.getName())
          .log(
              System.Logger.Level.WARNING,
              "{0} knows {1} peers, and inserts no further senders: their messages have no source,"
                  + " and their requests get no reply. Remove peers that are gone: vector().remove",
              this,
              vector.size());
    }
  }

  private void checkFree() {
    if (owned) {
      throw new FabricException(
          Errno.EBUSY,
          "a RequestReply has the messenger, and its messages: open another messenger beside it");
    }
  }

  /**
   * Gives the messenger to an owner, for good.
   *
   * @throws FabricException with {@link Errno#EBUSY} if it has one, or a thread sends or receives
   */
  void take() {
    lock.lock();
    try {
      checkFree();
      if (reading) {
        throw new FabricException(
            Errno.EBUSY, "a thread sends or receives with the messenger: wait until it has ended");
      }
      owned = true;
      losses(); // of a time when nothing was asked
    } finally {
      lock.unlock();
    }
  }

  /**
   * Sends a message of the owner without waiting: it is kept while the transmit queue is full.
   *
   * @param message the bytes, which stay as they are
   * @param ended runs in the thread of the owner; not at all if the messenger is closed before
   * @throws FabricException if the message cannot be sent; nothing runs then
   */
  void post(byte[] message, long peer, Consumer<@Nullable FabricException> ended) {
    Post post = new Post(MemorySegment.ofArray(message), peer, ended);
    lock.lock();
    try {
      if (!unsent.isEmpty() || !endpoint.trySend(post.message(), peer, post)) {
        unsent.add(post);
        ready.release();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Serves the owner in its thread, until the endpoint is closed. */
  void serve(Owner owner) throws InterruptedException {
    List<Arrival> earlier;
    lock.lock();
    try {
      earlier = List.copyOf(arrived);
      arrived.clear();
    } finally {
      lock.unlock();
    }
    earlier.forEach(each -> deliver(each.completion(), each.buffer(), owner));
    while (endpoint.isOpen()) {
      queue.whenReady(ready::release);
      events.whenReady(ready::release);
      List<Event.PeerLost> lost = losses();
      // A reply that came before the loss of its peer is delivered first. The bound keeps a peer
      // that never ceases to send from hiding the loss of another one.
      Completion completion = queue.read(Duration.ZERO);
      for (int i = 0; completion != null && i < COMPLETIONS_PER_TURN; i++) {
        if (completion.context() instanceof Buffer buffer) {
          deliver(completion, buffer, owner);
        } else if (completion.context() instanceof Post post) {
          post.ended().accept(failure(completion));
        }
        completion = queue.read(Duration.ZERO);
      }
      lost.forEach(owner::lost);
      if (sendMore()) {
        ready.acquire();
      } else {
        ready.tryAcquire(1, TimeUnit.MILLISECONDS);
      }
      ready.drainPermits();
    }
  }

  private List<Event.PeerLost> losses() {
    List<Event.PeerLost> lost = new ArrayList<>();
    try {
      events.poll(
          event -> {
            if (event instanceof Event.PeerLost loss) {
              lost.add(loss);
            }
          },
          COMPLETIONS_PER_TURN);
    } catch (FabricException overrun) {
      // There were more losses than the queue holds. Requests to these peers end by their timeouts.
      ready.release();
    }
    return lost;
  }

  /** Delivers a message, if it was received whole, and posts its buffer again. */
  private void deliver(Completion received, Buffer buffer, Owner owner) {
    Message message = null;
    lock.lock();
    try {
      message = message(received, buffer.memory());
    } catch (FabricException unusable) {
      // Only the sender is affected: its message was too long, or broke off.
    } finally {
      try {
        post(buffer);
      } finally {
        lock.unlock();
      }
    }
    if (message != null) {
      owner.received(message);
    }
  }

  private static @Nullable FabricException failure(Completion completion) {
    return completion instanceof Completion.Failure failure
        ? new FabricException(failure.errno(), "the message was not sent: " + failure.reason())
        : null;
  }

  /**
   * Sends messages that wait, until the transmit queue is full again.
   *
   * @return whether none is left
   */
  private boolean sendMore() {
    boolean more = true;
    Post post = null;
    while (more) {
      FabricException refused = null;
      lock.lock();
      try {
        post = unsent.peek();
        more = post != null && endpoint.trySend(post.message(), post.peer(), post);
      } catch (FabricException reason) {
        refused = reason;
      } finally {
        if (more) {
          unsent.poll();
        }
        lock.unlock();
      }
      if (post != null && refused != null) {
        post.ended().accept(refused);
      }
    }
    return post == null;
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
   * Closes the endpoint, and all that belongs to it. Messages that wait are lost, and calls of
   * other threads that wait end with {@link Errno#EINVAL}.
   *
   * @throws FabricBusyException if the application has opened something in the domain: close that
   *     first, and then this again
   */
  @Override
  public void close() {
    lock.lock();
    try {
      while (!opened.isEmpty()) {
        opened.getFirst().close();
        opened.removeFirst();
      }
      arrived.clear();
      unsent.clear();
      if (arena.scope().isAlive()) {
        arena.close();
      }
    } finally {
      lock.unlock();
      ready.release();
    }
  }

  /** The endpoint. */
  @Override
  public String toString() {
    return "Messenger[" + endpoint + "]";
  }
}
