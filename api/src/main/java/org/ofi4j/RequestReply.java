// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.Arguments;

/**
 * Requests and their replies over a {@link Messenger}: {@link #ask} sends a request and returns a
 * future of the reply, a handler answers the requests of peers. Both ends are of this class; one
 * object can ask and answer.
 *
 * {@snippet class="examples.Messages" region="ask"}
 *
 * <p>The object takes the messenger over: it can neither send nor receive other messages, and
 * {@link #close} closes it. So requests, replies and other messages cannot be confused. Messages of
 * peers that are none of this class are dropped.
 *
 * <p>Any number of threads may ask and answer, virtual ones too. One daemon thread, which the
 * object starts, reads all messages. It runs the handler, and completes the futures of requests
 * that were answered or failed. <b>The handler, and stages that depend on a future, must not
 * wait</b>: hand over to another thread for that, with {@link
 * CompletableFuture#thenApplyAsync(java.util.function.Function) thenApplyAsync} for example. If
 * that thread calls {@code get} or {@code join} of a future of {@link #ask} that is not done, the
 * call throws a {@link FabricException} with {@link Errno#EAGAIN}. A thread of the JDK completes
 * the futures of requests whose time was up.
 *
 * <p>A request is sent once. If its future fails, the peer may still have done what was asked. A
 * reply counts only if it comes from the peer that was asked, and once.
 */
public final class RequestReply implements AutoCloseable {
  // A message has a header, all numbers in network byte order:
  //
  //   0           4         5      6          8                       16
  //   +-----------+---------+------+----------+-----------------------+------------------
  //   | magic     | version | kind | 0        | id                    | bytes
  //   | 6F666951h | 1       |      |          | of the request        |
  //   +-----------+---------+------+----------+-----------------------+------------------
  //
  //   kind 1  request   the bytes are those of the application
  //   kind 2  reply     the same
  //   kind 3  error     in place of a reply; the bytes are a reason in UTF-8
  //
  // The asker chooses the id at random. A peer that was not asked cannot guess it, and a reply to
  // a request of an earlier process at the same address finds no request.
  private static final int HEADER = 16;
  private static final int MAGIC = 0x6F66_6951;
  private static final byte VERSION = 1;
  private static final byte REQUEST = 1;
  private static final byte REPLY = 2;
  private static final byte ERROR = 3;

  /** The longest request and the longest reply, in bytes. */
  public static final int MAX_BYTES = Messenger.MAX_MESSAGE - HEADER;

  /** How many requests of one object are outstanding at most, if nothing else is said. */
  public static final int DEFAULT_OUTSTANDING = 1_000;

  /** How many requests of one peer the handler has before further ones are answered with errors. */
  public static final int MAX_UNANSWERED = 2_000;

  /** Longer than an endpoint over TCP tries to connect: then the reason is known. */
  private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(15);

  private static final int MAX_REASON = 1_000;

  private final Messenger messenger;
  private final Consumer<? super Request> handler;
  private final int bound;
  private final Semaphore places;
  private final SecureRandom random = new SecureRandom();
  private final Map<Long, Outstanding> outstanding = new ConcurrentHashMap<>();
  private final Map<Long, Integer> unanswered = new ConcurrentHashMap<>();
  private final Thread reader;
  private volatile @Nullable FabricException ended;

  private record Outstanding(long peer, CompletableFuture<Messenger.Message> reply) {
    void fail(FabricException reason) {
      reply.completeExceptionally(reason);
    }
  }

  /** A future that does not let the reader wait for what only the reader can bring. */
  private final class Reply extends CompletableFuture<Messenger.Message> {
    private void checkWait() {
      if (isReader() && !isDone()) {
        throw new FabricException(
            Errno.EAGAIN,
            "the thread that reads the replies cannot wait for one: use thenAccept and the like, or"
                + " wait in another thread than that of the handler");
      }
    }

    @Override
    public Messenger.Message get() throws InterruptedException, ExecutionException {
      checkWait();
      return super.get();
    }

    @Override
    public Messenger.Message get(long timeout, TimeUnit unit)
        throws InterruptedException, ExecutionException, TimeoutException {
      checkWait();
      return super.get(timeout, unit);
    }

    @Override
    public Messenger.Message join() {
      checkWait();
      return super.join();
    }
  }

  private RequestReply(Messenger messenger, Consumer<? super Request> handler, int outstanding) {
    this.messenger = Arguments.required(messenger, "messenger");
    this.handler = Arguments.required(handler, "handler");
    if (outstanding < 1) {
      throw new FabricException(
          Errno.EINVAL, "outstanding: " + outstanding + " requests; it must be at least 1");
    }
    bound = outstanding;
    places = new Semaphore(outstanding);
    messenger.take();
    reader = Thread.ofPlatform().daemon().name("ofi4j-requests").unstarted(this::read);
  }

  /**
   * Returns an object that only asks. Requests of peers are answered with an error.
   *
   * @param messenger sends and receives from now on for this object alone
   * @return asks
   * @throws FabricException as {@link #of(Messenger, Consumer, int)}
   */
  public static RequestReply of(Messenger messenger) {
    return of(messenger, request -> request.fail("nothing answers requests here"));
  }

  /**
   * Returns an object that asks and answers, with at most {@value #DEFAULT_OUTSTANDING} requests
   * outstanding.
   *
   * @param messenger sends and receives from now on for this object alone
   * @param handler as for {@link #of(Messenger, Consumer, int)}
   * @return asks and answers
   * @throws FabricException as {@link #of(Messenger, Consumer, int)}
   */
  public static RequestReply of(Messenger messenger, Consumer<? super Request> handler) {
    return of(messenger, handler, DEFAULT_OUTSTANDING);
  }

  /**
   * Returns an object that asks and answers.
   *
   * @param messenger sends and receives from now on for this object alone
   * @param handler answers each request of a peer, at once or later. It must not wait. If it
   *     throws, the peer gets an error with the class of the exception, and the thread's handler of
   *     uncaught exceptions gets the exception
   * @param outstanding how many requests of this object may wait for replies at a time, 1 or more;
   *     {@link #ask} waits for a place. A peer accepts {@value #MAX_UNANSWERED} of them
   * @return asks and answers
   * @throws FabricException with {@link Errno#EBUSY} if another object has the messenger, or a
   *     thread sends or receives with it; with {@link Errno#EINVAL} for fewer than 1 request
   */
  public static RequestReply of(
      Messenger messenger, Consumer<? super Request> handler, int outstanding) {
    RequestReply made = new RequestReply(messenger, handler, outstanding);
    made.reader.start();
    return made;
  }

  /**
   * {@return the messenger, to insert peers and for its address}
   *
   * @see Messenger#insert(FabricAddress)
   */
  public Messenger messenger() {
    return messenger;
  }

  /**
   * Sends a request, and waits at most 15 seconds for its reply.
   *
   * @param bytes the request, at most {@link #MAX_BYTES} bytes
   * @param peer the handle of the peer
   * @return as {@link #ask(byte[], long, Duration)}
   * @throws FabricException as {@link #ask(byte[], long, Duration)}
   * @throws InterruptedException as {@link #ask(byte[], long, Duration)}
   */
  public CompletableFuture<Messenger.Message> ask(byte[] bytes, long peer)
      throws InterruptedException {
    return ask(bytes, peer, DEFAULT_TIMEOUT);
  }

  /**
   * Sends a request. If as many requests are outstanding as may be, the call waits until one of
   * them has ended; the thread of the handler does not wait, and its request fails with {@link
   * Errno#EAGAIN}.
   *
   * <p>The future fails with a {@link FabricException}:
   *
   * <ul>
   *   <li>{@link Errno#ETIMEDOUT} if there was no reply, or no place for the request, in time. Lost
   *       messages over UDP end so, and peers that are lost over native fabrics after they have
   *       received the request;
   *   <li>{@link Errno#EREMOTEIO} if the peer has answered with an error;
   *   <li>the errno of the network if the request could not be sent, or the connection to the peer
   *       has ended, as {@link Errno#ECONNRESET};
   *   <li>{@link Errno#EINVAL} if the handle names no entry;
   *   <li>{@link Errno#ECANCELED} if this object was closed.
   * </ul>
   *
   * <p>Cancelling or completing the future makes place for another request. The peer is not
   * notified, and its reply is dropped.
   *
   * @param bytes the request, at most {@link #MAX_BYTES} bytes; they are copied
   * @param peer the handle of the peer
   * @param timeout how long to wait for a place and the reply together; negative waits without end
   * @return the reply, in the future
   * @throws FabricException with {@link Errno#EMSGSIZE} for too many bytes
   * @throws InterruptedException if the thread was interrupted while it waited for a place; nothing
   *     was sent
   */
  public CompletableFuture<Messenger.Message> ask(byte[] bytes, long peer, Duration timeout)
      throws InterruptedException {
    checkLength(bytes);
    long nanos = TimeUnit.NANOSECONDS.convert(Arguments.required(timeout, "timeout"));
    long begun = System.nanoTime();
    if (!takePlace(nanos)) {
      boolean waits = !isReader();
      return CompletableFuture.failedFuture(
          new FabricException(
              waits ? Errno.ETIMEDOUT : Errno.EAGAIN,
              bound
                  + " requests are outstanding, the most there may be, and none has ended"
                  + (waits ? " within " + timeout : "; the thread of the handler does not wait")));
    }
    CompletableFuture<Messenger.Message> reply = new Reply();
    CompletableFuture<Boolean> timer =
        timer(reply, peer, timeout, nanos - (System.nanoTime() - begun));
    Outstanding asked = new Outstanding(peer, reply);
    long id = random.nextLong();
    while (outstanding.putIfAbsent(id, asked) != null) {
      id = random.nextLong();
    }
    long used = id;
    var _ =
        reply.whenComplete((message, failure) -> {
          outstanding.remove(used);
          timer.complete(true);
          places.release();
        });
    try {
      send(
          REQUEST,
          id,
          bytes,
          peer,
          failure -> {
            if (failure != null) {
              asked.fail(failure);
            }
          });
    } catch (FabricException refused) {
      asked.fail(messenger.endpoint().isOpen() ? refused : closed());
    }
    // The thread that ends this object fails what it finds: it may have looked before.
    FabricException end = ended;
    if (end != null) {
      asked.fail(end);
    }
    return reply;
  }

  private boolean takePlace(long nanos) throws InterruptedException {
    if (nanos < 0) {
      nanos = Long.MAX_VALUE;
    }
    return isReader() ? places.tryAcquire() : places.tryAcquire(nanos, TimeUnit.NANOSECONDS);
  }

  private boolean isReader() {
    return reader.equals(Thread.currentThread());
  }

  /** A future that has a reply fail if the time is up before it is completed. */
  private static CompletableFuture<Boolean> timer(
      CompletableFuture<Messenger.Message> reply, long peer, Duration timeout, long left) {
    CompletableFuture<Boolean> timer = new CompletableFuture<>();
    if (timeout.isNegative()) {
      return timer;
    }
    var _ =
        timer
            .orTimeout(Math.max(left, 0), TimeUnit.NANOSECONDS)
            .whenComplete((ended, timedOut) -> {
              if (timedOut != null) {
                reply.completeExceptionally(
                    new FabricException(
                        Errno.ETIMEDOUT,
                        ("handle %s has not answered within %s: wait longer, or check that the peer"
                                + " is there, and that its handler answers each request")
                            .formatted(peer, timeout)));
              }
            });
    return timer;
  }

  private static void checkLength(byte[] bytes) {
    if (Arguments.required(bytes, "bytes").length > MAX_BYTES) {
      throw new FabricException(
          Errno.EMSGSIZE,
          "a request or reply of %s bytes: there can be %s at most"
              .formatted(bytes.length, MAX_BYTES));
    }
  }

  private void send(
      byte kind, long id, byte[] bytes, long peer, Consumer<@Nullable FabricException> sent) {
    ByteBuffer message = ByteBuffer.allocate(HEADER + bytes.length);
    message.putInt(MAGIC).put(VERSION).put(kind).putShort((short) 0).putLong(id).put(bytes);
    messenger.post(message.array(), peer, sent);
  }

  private static FabricException closed() {
    return new FabricException(Errno.ECANCELED, "the requests were closed before the reply came");
  }

  /** The life of the thread. */
  private void read() {
    FabricException end = closed();
    try {
      messenger.serve(
          new Messenger.Owner() {
            @Override
            public void received(Messenger.Message message) {
              RequestReply.this.received(message);
            }

            @Override
            public void lost(Event.PeerLost loss) {
              RequestReply.this.lost(loss);
            }
          });
    } catch (InterruptedException | FabricException closed) {
      end.addSuppressed(closed);
    } finally {
      ended = end;
      outstanding.values().forEach(each -> each.fail(end));
    }
  }

  private void received(Messenger.Message message) {
    byte[] all = message.bytes();
    if (all.length < HEADER || message.source() == Handles.NOT_AVAILABLE) {
      return;
    }
    ByteBuffer header = ByteBuffer.wrap(all);
    if (header.getInt() != MAGIC || header.get() != VERSION) {
      return;
    }
    byte kind = header.get();
    long id = header.getLong(HEADER - Long.BYTES);
    byte[] bytes = Arrays.copyOfRange(all, HEADER, all.length);
    Messenger.Message content = new Messenger.Message(message.source(), bytes);
    if (kind == REQUEST) {
      requested(content, id);
      return;
    }
    Outstanding asked = outstanding.get(id);
    if (asked == null || !isPeer(asked.peer(), message.source())) {
      return;
    }
    if (kind == REPLY) {
      asked.reply().complete(content);
    } else if (kind == ERROR) {
      asked.fail(
          new FabricException(
              Errno.EREMOTEIO,
              "handle " + asked.peer() + " answered with an error: " + reason(content.text())));
    }
  }

  private void lost(Event.PeerLost loss) {
    for (Outstanding asked : outstanding.values()) {
      if (isPeer(asked.peer(), loss.peer())) {
        asked.fail(
            new FabricException(
                loss.errno(),
                "handle %s was lost before it has answered: %s"
                    .formatted(asked.peer(), loss.reason())));
      }
    }
  }

  /** Two handles are the same peer if their entries have one address. */
  private boolean isPeer(long asked, long other) {
    if (asked == other) {
      return true;
    }
    try {
      AddressVector vector = messenger.vector();
      return vector.lookup(asked).equals(vector.lookup(other));
    } catch (FabricException removed) {
      return false;
    }
  }

  private void requested(Messenger.Message message, long id) {
    int waiting = unanswered.merge(message.source(), 1, Integer::sum);
    Request request = new Request(message, id);
    if (waiting > 2 * MAX_UNANSWERED) {
      // The peer does not take the errors either. Only its own requests are dropped.
      request.done();
    } else if (waiting > MAX_UNANSWERED) {
      refuse(request, MAX_UNANSWERED + " requests of this peer have not been answered yet");
    } else {
      handle(request);
    }
  }

  private void handle(Request request) {
    try {
      handler.accept(request);
    } catch (RuntimeException | Error failure) {
      refuse(request, "its handler failed with " + failure.getClass().getName());
      reader.getUncaughtExceptionHandler().uncaughtException(reader, failure);
    }
  }

  /** Answers with an error. A peer that is gone or has its answer must not end the thread. */
  private static void refuse(Request request, String reason) {
    try {
      request.fail(reason);
    } catch (FabricException unneeded) {
      // Nothing is left to be done for the request.
    }
  }

  private static String reason(String text) {
    return text.substring(0, Math.min(text.length(), MAX_REASON));
  }

  /**
   * Closes the messenger. Futures of requests that have no reply fail with {@link Errno#ECANCELED},
   * soon after. Requests that were not answered, and replies that the network has not taken, are
   * lost.
   *
   * @throws FabricBusyException as {@link Messenger#close}
   */
  @Override
  public void close() {
    messenger.close();
  }

  /** The messenger, and how many requests are outstanding. */
  @Override
  public String toString() {
    return "RequestReply[" + messenger + ", outstanding=" + outstanding.size() + "]";
  }

  /**
   * A request of a peer. It must be answered once, with {@link #reply(byte[])} or {@link #fail}, by
   * any thread, at once or later: a peer with {@value #MAX_UNANSWERED} unanswered requests gets
   * errors for further ones.
   */
  public final class Request {
    private final Messenger.Message message;
    private final long id;
    private final AtomicBoolean answered = new AtomicBoolean();

    private Request(Messenger.Message message, long id) {
      this.message = message;
      this.id = id;
    }

    /** {@return the handle of the peer that asks} */
    public long source() {
      return message.source();
    }

    /** {@return the bytes, a copy} */
    public byte[] bytes() {
      return message.bytes();
    }

    /** {@return the bytes as text in UTF-8} */
    public String text() {
      return message.text();
    }

    /**
     * Sends the reply, without waiting. If the peer is gone, the reply is lost without notice.
     *
     * @param bytes the reply, at most {@link #MAX_BYTES} bytes; they are copied
     * @throws FabricException with {@link Errno#EALREADY} if the request was answered before, with
     *     {@link Errno#EMSGSIZE} for too many bytes, after which it can still be answered; or what
     *     keeps the reply from being sent, as {@link Errno#EINVAL} if the peer was removed from the
     *     vector, or the messenger is closed
     */
    public void reply(byte[] bytes) {
      checkLength(bytes);
      answer(REPLY, bytes);
    }

    /**
     * Sends text in UTF-8 as the reply.
     *
     * @param text the reply, at most {@link #MAX_BYTES} bytes
     * @throws FabricException as {@link #reply(byte[])}
     */
    public void reply(String text) {
      reply(Arguments.required(text, "text").getBytes(UTF_8));
    }

    /**
     * Answers with an error in place of a reply: the future of the peer fails with {@link
     * Errno#EREMOTEIO}.
     *
     * @param reason why, of which the peer sees the first 1,000 characters
     * @throws FabricException as {@link #reply(byte[])}
     */
    public void fail(String reason) {
      answer(ERROR, reason(Arguments.required(reason, "reason")).getBytes(UTF_8));
    }

    private void answer(byte kind, byte[] bytes) {
      if (!answered.compareAndSet(false, true)) {
        throw new FabricException(
            Errno.EALREADY, "the request was answered before: there is one answer to each");
      }
      try {
        send(kind, id, bytes, source(), sent -> done());
      } catch (FabricException refused) {
        done();
        throw refused;
      }
    }

    private void done() {
      unanswered.computeIfPresent(source(), (peer, count) -> count == 1 ? null : count - 1);
    }

    /** The peer, and the first bytes. */
    @Override
    public String toString() {
      return "Request[" + message + (answered.get() ? ", answered]" : "]");
    }
  }
}
