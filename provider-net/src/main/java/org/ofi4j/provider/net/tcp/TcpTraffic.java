package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.Selector;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.TransferFlag;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.Regions;
import org.ofi4j.provider.net.endpoint.Traffic;

/**
 * An endpoint over TCP that is enabled, however it comes by its connections. One lock guards
 * everything below it; it is never held while a thread waits or an application's code runs.
 */
abstract class TcpTraffic extends Traffic implements Regions.User {
  private static final long PEEK = TransferFlag.PEEK.mask();
  private static final long CLAIM = TransferFlag.CLAIM.mask();
  private static final long DISCARD = TransferFlag.DISCARD.mask();

  private final @Nullable TransmitContext transmit;
  private final @Nullable ReceiveContext receive;
  private final @Nullable Matching matching;
  private final boolean automatic;
  private final Readiness readiness;
  private final FrameMover mover;
  private final FrameArrivals arrivals;
  private final Regions regions;
  private final RemoteAccess remote;
  private final Rejections rejections = new Rejections();

  private final ReentrantLock lock = new ReentrantLock();

  // Written under the lock; also read by those who ask how long they may sleep.
  private volatile boolean closed;

  /**
   * Traffic without connections.
   *
   * @param sends what sends are reported to, or null for an endpoint that only receives
   * @param receives what receives are reported to, or null for one that only sends
   * @param transmit what sends go through, if there are any
   * @param receive what receives go through, if there are any
   * @param regions the memory that peers may reach
   * @param info what the endpoint is opened with
   * @param own a selector of its own, or null if a thread of the domain tells what is ready
   */
  @SuppressWarnings("this-escape") // kept for later
  TcpTraffic(
      FabricAddress name,
      @Nullable Binding sends,
      @Nullable Binding receives,
      @Nullable TransmitContext transmit,
      @Nullable ReceiveContext receive,
      Regions regions,
      FabricInfo info,
      @Nullable Selector own) {
    super(name, sends, receives);
    this.transmit = transmit;
    this.receive = receive;
    automatic = own == null;
    readiness = new Readiness(this, own);
    mover = new FrameMover(readiness, !automatic);
    matching = receive == null ? null : new Matching(receive, mover);
    remote = new RemoteAccess(info, regions, this, receive, counters(), mover);
    arrivals = new FrameArrivals(matching, remote);
    this.regions = regions;
  }

  /** Who has its connections; always the same. */
  abstract ConnectionOwner connections();

  final @Nullable TransmitContext transmit() {
    return transmit;
  }

  final @Nullable ReceiveContext receive() {
    return receive;
  }

  final Readiness readiness() {
    return readiness;
  }

  final FrameMover mover() {
    return mover;
  }

  final FrameArrivals arrivals() {
    return arrivals;
  }

  final Rejections rejections() {
    return rejections;
  }

  // Posting.

  /** Posts a receive that was filled in, or asks with it for a message that has come. */
  final void post(Receive filled, long flags) {
    Matching matches = Objects.requireNonNull(matching);
    if ((flags & PEEK) != 0) {
      matches.peek(filled, (flags & CLAIM) != 0, (flags & DISCARD) != 0);
    } else if ((flags & CLAIM) != 0) {
      matches.claim(filled, (flags & DISCARD) != 0);
    } else {
      matches.post(filled);
    }
    matches.goOn();
  }

  /** Withdraws the first receive that was posted with a context; false if there is none. */
  final boolean cancel(ReceiveContext from, @Nullable Object context) {
    lock();
    try {
      return from.cancel(context);
    } finally {
      unlock();
    }
  }

  /** How much of a buffer for several messages must be left for it to take another one. */
  final void minMultiReceive(ReceiveContext into, long bytes) {
    lock();
    try {
      into.minMultiReceive = bytes;
    } finally {
      unlock();
    }
  }

  /** Takes the lock for a call of the application; throws if the endpoint is closed. */
  final void lock() {
    lock.lock();
    if (closed) {
      lock.unlock();
      throw new FabricException(Errno.EINVAL, "the endpoint is closed: open a new one");
    }
  }

  /** Gives the lock back, and tells those who sleep what has changed. */
  final void unlock() {
    if (!closed && matching != null && matching.isBehind()) {
      matching.goOn();
    }
    boolean tell = mover.pollInterestChanged();
    boolean flush = mover.pollChannelsClosed();
    List<String> rejected = rejections.poll();
    lock.unlock();
    if (tell) {
      changed();
    }
    if (flush) {
      closedChannels();
    }
    if (!rejected.isEmpty()) {
      Rejections.tell(this, rejected);
    }
  }

  // Progress.

  @Override
  public final void progress() {
    if (automatic) {
      lock.lock();
    } else if (!lock.tryLock()) {
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

  private void turn() {
    if (transmit != null) {
      transmit.reportKept();
    }
    if (receive != null) {
      receive.reportKept();
    }
    if (!automatic) {
      mover.poll();
    }
    readiness.act();
    connections().tick();
    remote.goOn();
    if (matching != null) {
      matching.goOn();
    }
  }

  @Override
  public final void prepare(Selector selector) throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new ClosedChannelException();
      }
      readiness.prepare(selector);
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
  public final long patience() {
    return closed ? NEVER : connections().patience();
  }

  @Override
  public final void awaitQuiet() {
    lock.lock();
    try {
      // Who takes the lock after this sees what the caller did before.
    } finally {
      lock.unlock();
    }
  }

  @Override
  protected final void end() {
    regions.leave(this);
    lock.lock();
    try {
      closed = true;
      connections().close();
      readiness.close();
    } catch (IOException failed) {
      throw new FabricException(Errno.EIO, "closing a selector failed: " + failed, failed);
    } finally {
      lock.unlock();
    }
  }
}
