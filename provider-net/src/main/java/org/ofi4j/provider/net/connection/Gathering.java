// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.util.function.LongSupplier;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Whether a send over a connection waits for the next one.
 *
 * <p>A write of a short message takes its sender many times longer than everything else about it,
 * so many that are posted one after the other go out together. They are many in a row when nothing
 * has come from the peer meanwhile, each was posted right behind the one before, and there were
 * {@link TcpLimits#ROW} of them. From there on a send waits, unless it is the first one after
 * progress was made: who sends one message and looks, or sends one and expects an answer, has none
 * that waits. Where they do not come to many it is tried less and less often. Guarded by the lock
 * of the endpoint.
 */
final class Gathering {
  private final LongSupplier clock;

  // Sends in a row, which are counted no further than that is of use; when the last one of them was
  // posted, if it was looked at; and in which turn of the endpoint.
  private int sends;
  private long last;
  private int turn;

  // Of those that wait.
  private long bytes;

  // After how many in a row it is tried; more if it was no use the last time.
  private int row = TcpLimits.ROW;

  /**
   * Nothing was sent yet.
   *
   * @param clock the time in nanoseconds, from any origin
   */
  Gathering(LongSupplier clock) {
    this.clock = clock;
  }

  /**
   * A send is posted that may wait.
   *
   * @param itsTurn changes whenever progress is made
   * @return whether it waits
   */
  boolean waits(int itsTurn) {
    boolean first = itsTurn != turn;
    turn = itsTurn;
    if (sends <= row) {
      sends++;
    }
    if (sends <= row - TcpLimits.ROW_GAPS) {
      return false;
    }
    long now = clock.getAsLong();
    boolean late = sends > row - TcpLimits.ROW_GAPS + 1 && now - last > TcpLimits.ROW_GAP;
    last = now;
    if (late) {
      sends = 1;
    }
    return sends > row && !first;
  }

  /**
   * How many bytes wait, with those of a send that was posted just now.
   *
   * @param alone whether none waited before it
   */
  long bytes(boolean alone, long payload) {
    bytes = alone ? payload : bytes + payload;
    return bytes;
  }

  /** As many have gone out together as may wait. */
  void full() {
    row = TcpLimits.ROW;
  }

  /** Progress is made, and those that wait go out. */
  void ended(int count) {
    if (sends > row && count > 0 && count < TcpLimits.FEW_GATHERED) {
      row = Math.min(2 * row, TcpLimits.LONGEST_ROW);
      sends = 0;
    }
  }

  /** Something has come from the peer, or was sent that does not wait. */
  void end() {
    sends = 0;
  }
}
