// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.FutureTask;
import java.util.concurrent.PriorityBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The handshake of TLS over one connection. It asks the trust and key managers of the application,
 * checks signatures and makes some; so another thread does each step of it, and nobody holds the
 * lock of the endpoint meanwhile. A step takes what has come, and leaves what is to be sent.
 *
 * <p>While a step is {@linkplain #isBusy under way} the engine belongs to its thread, and nothing
 * but {@link #cancel} may be called. Everything else is guarded by the lock of the endpoint.
 */
public final class SecureHandshake {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final ThreadPoolExecutor THREADS = threads();
  private static final AtomicLong HANDSHAKES = new AtomicLong();

  /**
   * What one step does. Those of older handshakes go first: if all went on together, all would take
   * too long together.
   */
  private static final class Step extends FutureTask<Void> implements Comparable<Step> {
    private final long handshake;

    Step(Runnable step, long handshake) {
      super(step, null);
      this.handshake = handshake;
    }

    @Override
    public int compareTo(Step other) {
      return Long.compare(handshake, other.handshake);
    }
  }

  private final SSLEngine engine;
  private final @Nullable InetAddress host;
  private final Staging.Pool pool;
  private final Executor executor;
  private final long number = HANDSHAKES.getAndIncrement();

  // What a step takes and leaves, each from its position to its limit.
  private ByteBuffer received = NOTHING;
  private ByteBuffer unsent = NOTHING;
  private boolean takenUpTold;
  private int records;

  boolean begun;

  /** Whether both sides know each other. */
  boolean over;

  /** The reason why there is no connection; null as long as there may be one. */
  @Nullable Throwable failure;

  private @Nullable Step step;
  private @Nullable Runnable news;

  // The thread of a step writes these: waiting first, busy last.
  private volatile boolean waiting;
  private volatile boolean busy;

  /**
   * Nothing has been said yet.
   *
   * @param engine new, with its role
   * @param host what the peer's certificate must name; null for any host
   * @param executor does the steps; null for the threads that all connections of the process share
   */
  SecureHandshake(
      SSLEngine engine,
      @Nullable InetAddress host,
      Staging.Pool pool,
      @Nullable Executor executor) {
    this.engine = engine;
    this.host = host;
    this.pool = pool;
    this.executor = executor == null ? THREADS : executor;
  }

  /** As many threads as are needed, within a bound, and none when there is nothing to do. */
  private static ThreadPoolExecutor threads() {
    ThreadPoolExecutor some =
        new ThreadPoolExecutor(
            TcpLimits.HANDSHAKE_THREADS,
            TcpLimits.HANDSHAKE_THREADS,
            TcpLimits.HANDSHAKE_THREAD_IDLE,
            TimeUnit.NANOSECONDS,
            new PriorityBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("ofi4j-tls-", 0).factory());
    some.allowCoreThreadTimeOut(true);
    return some;
  }

  /**
   * Says who is to read again when the handshake can go on; called in the thread of the step, with
   * no lock held.
   */
  public void tell(Runnable whom) {
    news = whom;
  }

  /** Whether a step is under way, or about to be, and nothing is to be read. */
  public boolean isBusy() {
    return busy;
  }

  /** Whether no thread has come to the step yet: that is not the peer's doing. */
  public boolean isWaiting() {
    return busy && waiting;
  }

  /** Whether a thread has taken up its first step; said once. */
  public boolean pollTakenUp() {
    boolean isNews = begun && !waiting && !takenUpTold;
    takenUpTold |= isNews;
    return isNews;
  }

  /** A failure in words; what an application's managers throw says more with its name. */
  static String reason(Throwable failure) {
    Throwable first = failure;
    while (first instanceof SSLException && first.getCause() != null) {
      first = first.getCause();
    }
    return first instanceof RuntimeException || first instanceof Error
        ? first.toString()
        : String.valueOf(failure.getMessage());
  }

  ByteBuffer pollUnsent() {
    ByteBuffer taken = unsent;
    unsent = NOTHING;
    return taken;
  }

  /** What had come and belongs to no step any more, or is no whole record. */
  ByteBuffer pollReceived() {
    ByteBuffer taken = received;
    received = NOTHING;
    return taken;
  }

  /**
   * Begins a step.
   *
   * @param came what has come; the step's from now on
   */
  void goOn(ByteBuffer came) {
    Step next = new Step(this::run, number);
    received = came;
    step = next;
    begun = true;
    waiting = true;
    busy = true;
    try {
      executor.execute(next);
    } catch (Throwable failed) {
      // There is no memory for a thread.
      busy = false;
      throw failed;
    }
  }

  /** Nobody wants it any more. What an application's managers are at is interrupted. */
  void cancel() {
    Step present = step;
    if (present != null) {
      present.cancel(true);
      THREADS.remove(present);
    }
  }

  private void run() {
    waiting = false;
    Staging staging = null;
    try {
      staging = pool.borrow();
      go(staging.buffer);
    } catch (IOException | RuntimeException | Error failed) {
      failure = failed;
      if (staging != null && failed instanceof SSLException) {
        refuse(staging.buffer);
      }
    } finally {
      if (staging != null) {
        staging.close();
      }
      busy = false;
      Runnable whom = news;
      if (whom != null) {
        whom.run();
      }
    }
  }

  private void go(ByteBuffer room) throws IOException {
    if (engine.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NOT_HANDSHAKING) {
      engine.beginHandshake();
    }
    boolean more = true;
    while (more) {
      more =
          switch (engine.getHandshakeStatus()) {
            case NEED_TASK -> doTasks();
            case NEED_WRAP -> wrap(room);
            case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> unwrap(room);
            case FINISHED, NOT_HANDSHAKING -> false;
          };
    }
  }

  private boolean doTasks() {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
    return true;
  }

  private boolean wrap(ByteBuffer room) throws SSLException {
    SSLEngineResult result = engine.wrap(NOTHING, room.clear());
    room.flip();
    unsent =
        ByteBuffer.allocate(unsent.remaining() + room.remaining()).put(unsent).put(room).flip();
    note(result);
    return result.getStatus() == SSLEngineResult.Status.OK;
  }

  private boolean unwrap(ByteBuffer room) throws SSLException {
    SSLEngineResult result = engine.unwrap(received, room.clear());
    if (result.bytesProduced() > 0) {
      throw new SSLException("a message came before the handshake was over");
    }
    if (result.bytesConsumed() > 0 && ++records > TcpLimits.TLS_RECORDS_IN_VAIN) {
      throw new SSLException(
          "the handshake takes more than " + TcpLimits.TLS_RECORDS_IN_VAIN + " records");
    }
    note(result);
    if (result.getStatus() == SSLEngineResult.Status.CLOSED) {
      throw new SSLException("the peer has ended the handshake");
    }
    return result.bytesConsumed() > 0
        || result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.NEED_TASK;
  }

  private void note(SSLEngineResult result) throws SSLException {
    if (!over && result.getHandshakeStatus() == SSLEngineResult.HandshakeStatus.FINISHED) {
      // Also in a session that was taken up again, of which the engine believes what it knew.
      PeerCertificate.check(engine.getSession(), host);
      over = true;
    }
  }

  /** Tells the peer what TLS does not like. Of anything else the engine knows no words. */
  private void refuse(ByteBuffer room) {
    try {
      engine.closeOutbound();
      for (int i = 0; i < TcpLimits.LAST_WRITES && !engine.isOutboundDone(); i++) {
        wrap(room);
      }
    } catch (IOException | RuntimeException nothingToSay) {
      // It sees that the connection ends.
    }
  }
}
