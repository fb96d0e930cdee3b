// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.function.LongSupplier;
import org.ofi4j.EarlyMessages;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Shared by the connections of an endpoint while they move frames: bounds, such as how many bytes
 * those of them keep that are paused, and how much one of them moves before others get their turn;
 * and objects that a connection needs only while it moves something, so that thousands of idle
 * connections take little memory. Guarded by the lock of the endpoint.
 */
public final class SharedBounds {
  /** Frames that are kept for connections that begin to read one. */
  private static final int IDLE_FRAMES = 16;

  private static final int IDLE_SIGNALS = 1_024;

  private final Operations<Signal> idleSignals = new Operations<>();
  private final Deque<FrameReader.Frame> idleFrames = new ArrayDeque<>();
  private EarlyMessages early = EarlyMessages.defaults();
  private long kept;
  private long turnSize = TcpLimits.TURN_SIZE;
  private long turnTime = TcpLimits.TURN_TIME;
  private final LongSupplier clock;

  // How many receives had been posted when that was last asked, and when that had changed.
  private long posted;
  private long postedAt = Long.MIN_VALUE / 2;

  /**
   * The default bounds.
   *
   * @param clock the time in nanoseconds, from any origin
   */
  public SharedBounds(LongSupplier clock) {
    this.clock = clock;
  }

  /** Sets which messages are announced, if the peer has agreed to it. */
  public void early(EarlyMessages messages) {
    early = messages;
  }

  /**
   * Tagged messages of more bytes than that are announced.
   *
   * @param toOfi4j whether the peer is an endpoint of ofi4j, or a program on libfabric
   */
  long announced(boolean toOfi4j) {
    return toOfi4j ? early.announced() : early.announcedToLibfabric();
  }

  /** A paused connection keeps so many bytes more, or fewer. */
  void keeps(int more) {
    kept += more;
  }

  /** Whether connections keep so much that no more is read than there is a use for. */
  boolean keepsMuch() {
    return kept >= TcpLimits.KEPT_BYTES;
  }

  /** Lends a frame to a connection that begins to read one. */
  FrameReader.Frame takeFrame() {
    FrameReader.Frame idle = idleFrames.poll();
    return idle == null ? new FrameReader.Frame() : idle;
  }

  /** Takes a frame back that has been read as a whole. */
  void giveBack(FrameReader.Frame read) {
    if (idleFrames.size() < IDLE_FRAMES) {
      idleFrames.push(read);
    }
  }

  /** Lends a signal to a connection that is to send one. */
  Signal takeSignal() {
    Signal idle = idleSignals.poll();
    return idle == null ? new Signal() : idle;
  }

  /** Takes back a signal that has been sent. */
  void giveBack(Signal sent) {
    sent.clear();
    if (idleSignals.size() < IDLE_SIGNALS) {
      idleSignals.add(sent);
    }
  }

  /** Divides the bytes and the time of a turn among connections that are ready together. */
  public void divideTurn(int connections) {
    int shares = Math.max(1, connections);
    turnSize = Math.max(TcpLimits.WRITE_SIZE, TcpLimits.TURN_SIZE / shares);
    turnTime = TcpLimits.TURN_TIME / shares;
  }

  /** Returns the bytes of one connection after which others get their turn. */
  public long turnSize() {
    return turnSize;
  }

  /** Returns the time in nanoseconds, from any origin. */
  long now() {
    return clock.getAsLong();
  }

  /** Returns when the number of receives that have been posted was first seen as it is now. */
  long postedAt(long receives, long now) {
    if (receives != posted) {
      posted = receives;
      postedAt = now;
    }
    return postedAt;
  }

  /** Returns when a turn that begins now is over, however few bytes were moved. */
  public long endOfTurn() {
    return clock.getAsLong() + turnTime;
  }

  /** Returns whether the time of a turn is over. */
  public boolean isOver(long endOfTurn) {
    return clock.getAsLong() - endOfTurn >= 0;
  }
}
