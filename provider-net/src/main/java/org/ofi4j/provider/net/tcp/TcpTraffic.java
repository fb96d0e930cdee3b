// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;
import org.ofi4j.provider.net.connection.ConnectionOwner;
import org.ofi4j.provider.net.connection.ConnectionTotals;
import org.ofi4j.provider.net.connection.FrameMover;
import org.ofi4j.provider.net.connection.Readiness;
import org.ofi4j.provider.net.connection.Rejections;
import org.ofi4j.provider.net.connection.Trouble;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.endpoint.Traffic;
import org.ofi4j.provider.net.matching.FullRoom;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * An endpoint over TCP that is open, whatever its connections are for. One lock guards everything
 * below it; it is never held while a thread waits or an application's code runs. Endpoints that
 * share receives have one lock together, and whoever gives it back looks after all of them.
 */
abstract class TcpTraffic extends Traffic {
  private final boolean automatic;
  private final Readiness readiness;
  private final FrameMover mover;
  private final ConnectionTotals totals = new ConnectionTotals();
  private final Rejections rejections = new Rejections(totals);
  private final Trouble trouble = new Trouble();

  private final ReentrantLock lock;
  private final @Nullable SharedReceives sharing;

  // Written under the lock; also read by those who ask how long they may sleep.
  private volatile boolean closed;

  // Somebody wanted a turn while another thread had the lock, and there was none since.
  private volatile boolean missed;

  /**
   * Traffic without connections.
   *
   * @param own a selector of its own, or null if a thread of the domain tells what is ready
   * @param buffers of the domain
   * @param sharing the receives that it shares with other endpoints, if it does
   */
  @SuppressWarnings("this-escape") // kept for later
  TcpTraffic(
      FabricAddress name,
      Stream<NetProgress> engines,
      @Nullable Selector own,
      Staging.Pool buffers,
      @Nullable SharedReceives sharing) {
    super(name, engines);
    this.sharing = sharing;
    lock = sharing == null ? new ReentrantLock() : sharing.guard();
    automatic = own == null;
    readiness = new Readiness(this, own);
    mover = new FrameMover(readiness, buffers, totals, !automatic, System::nanoTime);
  }

  /** Who has its connections; always the same. */
  abstract ConnectionOwner connections();

  final Readiness readiness() {
    return readiness;
  }

  final FrameMover mover() {
    return mover;
  }

  final Rejections rejections() {
    return rejections;
  }

  final ConnectionTotals totals() {
    return totals;
  }

  /** Takes the lock for a call of the application; throws if the endpoint is closed. */
  public final void lock() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw invalid("the endpoint is closed: open a new one");
    }
  }

  /** Gives the lock back, and tells those who sleep what has changed. */
  public final void unlock() {
    if (sharing != null) {
      sharing.unlock();
      return;
    }
    try {
      if (!closed) {
        afterwards();
      }
    } finally {
      // Whatever becomes of that, as memory may run out there: the next one must get the lock.
      boolean tell = mover.pollInterestChanged();
      boolean flush = mover.pollChannelsClosed();
      List<Rejections.Line> rejected = rejections.poll();
      FullRoom full = mover.pollFull();
      lock.unlock();
      tell(tell, flush, rejected, full);
    }
  }

  private void tell(
      boolean interestChanged,
      boolean channelsClosed,
      List<Rejections.Line> rejected,
      @Nullable FullRoom full) {
    if (interestChanged) {
      changed();
    }
    if (channelsClosed) {
      closedChannels();
    }
    if (!rejected.isEmpty()) {
      Rejections.tell(this, rejected);
    }
    if (full != null) {
      full.tell(this);
    }
  }

  /** Does what has to wait until nothing else is under way, if that may be done any more. */
  public final void settle() {
    if (!closed) {
      afterwards();
    }
  }

  /** What those who sleep are to be told once the lock is free; null if nothing. */
  public final @Nullable Runnable news() {
    boolean tell = mover.pollInterestChanged();
    boolean flush = mover.pollChannelsClosed();
    List<Rejections.Line> rejected = rejections.poll();
    FullRoom full = mover.pollFull();
    return tell || flush || !rejected.isEmpty() || full != null
        ? () -> tell(tell, flush, rejected, full)
        : null;
  }

  /** Returns when nobody has the lock who had it when this was called. */
  final void quiesce() {
    lock.lock();
    try {
      // Who takes the lock after this sees what the caller did before.
    } finally {
      lock.unlock();
    }
  }

  // What there is to do besides moving frames.

  /** Reports what could not be reported before. */
  void reportKept() {}

  /** Goes on with what came to a halt, at the end of each turn. */
  void goOn() {}

  /** Does what has to wait until nothing else is under way; the lock is about to be given back. */
  void afterwards() {}

  // Progress.

  @Override
  public final void progress() {
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
   * Gives signs of life, and does nothing else. Nobody is waited for, as one thread does this for
   * many endpoints: whoever has the lock just now gives signs too, or it is done the next time.
   */
  final void beat(Runnable beat) {
    if (!lock.tryLock()) {
      return;
    }
    boolean tell = false;
    try {
      if (!closed) {
        beat.run();
      }
      tell = mover.pollInterestChanged();
    } finally {
      lock.unlock();
    }
    if (tell) {
      // The kernel took a part of one, and takes the rest when a selector says so.
      changed();
    }
  }

  private void turn() {
    if (missed) {
      missed = false;
    }
    reportKept();
    if (!automatic) {
      mover.poll();
    }
    mover.act();
    connections().tick();
    goOn();
  }

  @Override
  public final void prepare(Selector selector) throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new ClosedChannelException();
      }
      readiness.prepare(selector);
      mover.readAtOnce();
      if (missed || mover.isHolding()) {
        // Whoever had the lock when progress was to be made has left something behind: completions
        // that have room now, writes that were brought to a file, frames that wait for others.
        selector.wakeup();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final void rest(Selector selector) {
    lock.lock();
    try {
      if (!closed) {
        readiness.rest(selector);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final void leave(Selector selector) {
    lock.lock();
    try {
      readiness.leave(selector);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public final long patience() {
    return closed ? NEVER : connections().patience();
  }

  @Override
  protected final void end() {
    lock.lock();
    try {
      closed = true;
      closeConnections();
    } finally {
      // What was not closed there is closed here.
      readiness.close(trouble);
      if (sharing == null) {
        lock.unlock();
      } else {
        unlockSharing(sharing);
      }
    }
    try {
      closed();
    } catch (RuntimeException | Error failed) {
      trouble.note(failed);
    }
    trouble.report(this);
  }

  private void closeConnections() {
    try {
      leaving();
    } catch (RuntimeException | Error failed) {
      trouble.note(failed);
    }
    try {
      connections().close(trouble);
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

  /** The connections are about to be closed; the lock is held. */
  void leaving() {}

  /** All is closed, and the lock is free. */
  void closed() {}
}
