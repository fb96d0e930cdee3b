// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.util.function.LongSupplier;
import org.ofi4j.provider.net.transfer.Departure;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The decision whether a send over a connection waits for the next one.
 *
 * <p>A write of a short message takes its sender many times longer than everything else about it,
 * so many that are posted one after the other go out together. They are many in a row when nothing
 * has come from the peer since, each was posted right behind the one before, and there were {@link
 * TcpLimits#ROW} of them. From there on a send waits, unless it is the first one after progress was
 * made: an application that sends one message and looks, or sends one and expects an answer, has
 * none that waits. Where they do not come to many it is tried less and less often. {@link
 * FrameMover} writes those that wait when progress is made. Guarded by the lock of the endpoint.
 */
final class WriteCoalescing {
  private final LongSupplier clock;

  // Sends in a row, which are counted no further than that is of use; when the last one of them was
  // posted, if that was noted; and in which turn of the endpoint.
  private int sends;
  private long last;
  private int turn;

  // Of those that wait; whether as many as may wait went out since progress was last made, and
  // whether that was just now: a write of so many takes a while, and is no pause.
  private long bytes;
  private boolean filled;
  private boolean wrote;

  // After how many in a row it is tried; more if it was no use the last time.
  private int row = TcpLimits.ROW;

  /**
   * Nothing was sent yet.
   *
   * @param clock the time in nanoseconds, from any origin
   */
  WriteCoalescing(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * Returns whether a send that was queued just now waits.
   *
   * @param queued how many sends are queued, with this one
   * @param itsTurn changes whenever progress is made
   */
  boolean waits(Departure departure, long payload, int queued, int itsTurn) {
    if (departure != Departure.IN_A_ROW || payload > TcpLimits.GATHERED_SIZE) {
      end();
      return departure == Departure.BEFORE_MORE && queued < TcpLimits.HELD;
    }
    boolean waits = isInRow(itsTurn);
    bytes = queued == 1 ? payload : bytes + payload;
    // Whether another one like this would be too much.
    if (waits && (queued >= TcpLimits.GATHERED || bytes + payload > TcpLimits.GATHERED_BYTES)) {
      row = TcpLimits.ROW;
      filled = true;
      wrote = true;
      return false;
    }
    return waits;
  }

  private boolean isInRow(int itsTurn) {
    boolean first = itsTurn != turn;
    turn = itsTurn;
    filled &= !first;
    if (sends <= row) {
      sends++;
    }
    if (sends <= row - TcpLimits.ROW_GAPS) {
      return false;
    }
    long now = clock.getAsLong();
    boolean late = !wrote && sends > row - TcpLimits.ROW_GAPS + 1 && now - last > TcpLimits.ROW_GAP;
    last = now;
    wrote = false;
    if (late) {
      sends = 1;
    }
    return sends > row && !first;
  }

  /**
   * Progress is made, and those that wait go out.
   *
   * @param count how many they are
   */
  void ended(int count) {
    if (!filled && sends > row && count > 0 && count < TcpLimits.FEW_GATHERED) {
      row = Math.min(2 * row, TcpLimits.LONGEST_ROW);
      sends = 0;
    }
  }

  /** Something has come from the peer, or was sent that does not wait. */
  void end() {
    sends = 0;
  }
}
