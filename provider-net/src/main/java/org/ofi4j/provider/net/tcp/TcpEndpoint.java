// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.provider.kit.Wakeups;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.connection.FrameMover;
import org.ofi4j.provider.net.connection.Readiness;
import org.ofi4j.provider.net.connection.Trouble;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.matching.FullRoom;
import org.ofi4j.provider.net.progress.Engines;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressTarget;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The event loop of one endpoint over TCP, whatever its connections are for: its lock, its turns
 * and its end. One lock guards all that the endpoint has; no thread waits or runs code of the
 * application while it holds the lock. Endpoints that share receives have one lock together, and
 * the thread that gives it back looks after all of them.
 */
final class TcpEndpoint extends ProgressTarget {
  /** The work of an endpoint besides moving frames; called with the lock held. */
  interface Work {
    /** Returns the owner of its connections; always the same. */
    Connection.Owner connections();

    /** Reports what could not be reported before. */
    default void reportKept() {}

    /** Goes on with what came to a halt, at the end of each turn. */
    default void goOn() {}

    /** Does what has to wait until nothing else is under way, before the lock is given back. */
    default void afterwards() {}

    /** The connections are about to be closed. */
    default void leaving() {}

    /** All is closed; called without the lock. */
    default void closed() {}
  }

  private final FabricAddress name;
  private final Engines engines;
  private final Work work;
  private final boolean automatic;
  private final Readiness readiness;
  private final FrameMover mover;

  // Objects of their own, so that waiting makes no garbage.
  private final BooleanSupplier isWatched;
  private final BooleanSupplier hasArrived;

  private final Trouble trouble = new Trouble();

  private final ReentrantLock lock;
  private final Wakeups wakeups;
  private final @Nullable SharedReceives sharing;

  // Written under the lock; also read by those who ask how long they may sleep.
  private volatile boolean closed;

  // A thread wanted a turn while another one had the lock, and there was no turn since.
  private volatile boolean missed;

  /**
   * An endpoint without connections.
   *
   * @param name where peers reach it
   * @param own a selector of its own, or null if a thread of the domain tells what is ready
   * @param buffers of the domain
   * @param sharing the receives that it shares with other endpoints, if it does
   */
  @SuppressWarnings("this-escape") // kept for later
  TcpEndpoint(
      FabricAddress name,
      Work work,
      Stream<NetProgress> all,
      @Nullable Selector own,
      Staging.Pool buffers,
      @Nullable SharedReceives sharing) {
    this.name = name;
    this.work = work;
    this.sharing = sharing;
    engines = new Engines(this, all);
    lock = sharing == null ? new ReentrantLock() : sharing.guard();
    wakeups = sharing == null ? new Wakeups(lock::unlock) : sharing.wakeups();
    automatic = own == null;
    readiness = new Readiness(this, own);
    mover = new FrameMover(readiness, buffers, !automatic, System::nanoTime);
    isWatched = mover::isWatched;
    hasArrived = mover::hasArrived;
  }

  FabricAddress name() {
    return name;
  }

  Engines engines() {
    return engines;
  }

  Readiness readiness() {
    return readiness;
  }

  FrameMover mover() {
    return mover;
  }

  /** Returns what wakes the readers of completions that are reported under the lock. */
  Wakeups wakeups() {
    return wakeups;
  }

  /** Takes the lock for a call of the application; throws if the endpoint is closed. */
  public void lock() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw invalid("the endpoint is closed: open a new one");
    }
  }

  /** Gives the lock back, and tells those who sleep what has changed. */
  public void unlock() {
    if (sharing != null) {
      sharing.unlock();
      return;
    }
    try {
      settle();
    } finally {
      // Whatever becomes of that, as memory may run out there: the next one must get the lock.
      wakeups.releaseAndWake();
      tell();
    }
  }

  /** Tells those who sleep, and the log, what has changed; called without the lock. */
  void tell() {
    if (mover.pollInterestChanged()) {
      changed();
    }
    if (mover.pollChannelsClosed()) {
      engines.closedChannels();
    }
    mover.rejections().tell(this);
    FullRoom full = mover.pollFull();
    if (full != null) {
      full.tell(this);
    }
  }

  /** Does what has to wait until nothing else is under way, if that may be done any more. */
  public void settle() {
    if (!closed) {
      work.afterwards();
    }
  }

  /** Waits until the thread that holds the lock now has released it. */
  void quiesce() {
    lock.lock();
    try {
      // Later holders of the lock see the writes that the caller made before.
    } finally {
      lock.unlock();
    }
  }

  // Progress.

  @Override
  public void progress() {
    if (automatic) {
      lock.lock();
    } else if (!lock.tryLock()) {
      missed = true;
      return;
    }
    boolean inVain = false;
    try {
      if (!closed) {
        turn();
        inVain = mover.readInVain();
      }
    } finally {
      unlock();
    }
    for (int i = 0; i < TcpLimits.RESTS && inVain; i++) {
      Thread.onSpinWait();
    }
  }

  /**
   * Writes sends that wait for others. Sends of other threads may go unseen: the thread of the
   * domain writes them.
   */
  @Override
  public void flush() {
    if (mover.mayHold()) {
      lock.lock();
      try {
        if (!closed) {
          mover.beginTurn();
        }
      } finally {
        unlock();
      }
    }
  }

  /**
   * Sends heartbeats, and does nothing else. This method does not wait for the lock, as one thread
   * calls it for many endpoints: the holder of the lock sends heartbeats too, or the next call
   * does.
   */
  void beat(Runnable beat) {
    if (!lock.tryLock()) {
      return;
    }
    try {
      if (!closed) {
        beat.run();
      }
    } finally {
      unlock();
    }
  }

  private void turn() {
    if (missed) {
      missed = false;
    }
    work.reportKept();
    mover.beginTurn();
    if (!automatic) {
      mover.poll();
    }
    mover.act();
    work.connections().tick();
    mover.writeDeaf();
    work.goOn();
  }

  @Override
  public void awake() {
    if (!automatic) {
      mover.sleeper(false);
    }
  }

  @Override
  public boolean isWatched() {
    return ask(isWatched);
  }

  @Override
  public boolean hasArrived() {
    return ask(hasArrived);
  }

  /** Asks under the lock; false if another thread has it, which finds what has come. */
  private boolean ask(BooleanSupplier question) {
    if (!lock.tryLock()) {
      return false;
    }
    try {
      return question.getAsBoolean();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void prepare(Selector selector) throws IOException {
    lock.lock();
    try {
      if (!automatic) {
        mover.sleeper(true);
      }
      if (closed) {
        throw new ClosedChannelException();
      }
      readiness.prepare(selector);
      boolean now = mover.listen();
      if (now || missed || mover.isHolding()) {
        // The holder of the lock may have left work: completions that have space now, writes that
        // were committed to a file, frames that wait for others.
        selector.wakeup();
      }
    } finally {
      // A connection that was found lost has reported its operations.
      wakeups.releaseAndWake();
    }
  }

  @Override
  public void leave(Selector selector) {
    lock.lock();
    try {
      readiness.leave(selector);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long patience() {
    return closed ? NEVER : work.connections().patience();
  }

  /** Ends all traffic; when this returns, the ports are free. */
  void close() {
    try {
      end();
    } finally {
      engines.end();
    }
  }

  private void end() {
    lock.lock();
    try {
      closed = true;
      closeConnections();
    } finally {
      // Closes the channels that closeConnections has left open.
      readiness.close(trouble);
      if (sharing == null) {
        wakeups.releaseAndWake();
      } else {
        unlockSharing(sharing);
      }
    }
    try {
      work.closed();
    } catch (RuntimeException | Error failed) {
      trouble.note(failed);
    }
    trouble.report(this);
  }

  private void closeConnections() {
    try {
      work.leaving();
    } catch (RuntimeException | Error failed) {
      trouble.note(failed);
    }
    try {
      work.connections().close(trouble);
    } catch (RuntimeException | Error failed) {
      trouble.note(failed);
    }
  }

  private void unlockSharing(SharedReceives shared) {
    try {
      shared.unlock();
    } catch (RuntimeException | Error failed) {
      trouble.note(failed);
    }
  }

  @Override
  public void changed() {
    engines.changed();
  }

  @Override
  public String toString() {
    return "endpoint " + name;
  }
}
