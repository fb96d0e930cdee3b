// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Whether payload that begins with a page is copied behind its header, or goes out from where it
 * lies. The kernel copies it to a few bytes behind the beginning of a page of its own, as a rule,
 * and so close behind in their pages processors take longer for that than for a copy to elsewhere:
 * a little longer, or twice as long where processors are far from each other, as those of a virtual
 * machine may be at one time and not at another. So both ways are tried, and the usual one is left
 * while it takes clearly longer. Guarded by the lock of the endpoint.
 */
final class CopyOrView {
  /** Lengths from one power of two to the next are of one kind, but for the longest. */
  private static final int KINDS = 6;

  private static final int SHORTEST = 31 - Integer.numberOfLeadingZeros(TcpLimits.COPY_SIZE);

  private final LongSupplier clock;

  // Picoseconds for a byte, by kind; 0 if it was not tried yet.
  private final long[] copied = new long[KINDS];
  private final long[] viewed = new long[KINDS];

  // Of the write that is under way: the message that it begins with, if that begins with a page.
  private @Nullable Outgoing head;
  private boolean copying;
  private long start;

  private int writes;

  /**
   * Nothing was tried yet.
   *
   * @param clock the time in nanoseconds, from any origin
   */
  CopyOrView(LongSupplier clock) {
    this.clock = clock;
  }

  private static int kind(Outgoing message) {
    int power = 63 - Long.numberOfLeadingZeros(message.payload | 1);
    return Math.clamp(power - SHORTEST, 0, KINDS - 1);
  }

  /**
   * A write begins.
   *
   * @param first what is written first; null if only acknowledgements are
   * @param usual what bytes are copied to as a rule
   * @return what they are copied to, with its buffer as long as the write may be
   */
  Staging begin(@Nullable Outgoing first, Staging usual) {
    head = null;
    usual.buffer.clear();
    if (first == null || !first.beginsWithPage()) {
      return usual;
    }
    head = first;
    copying = copies(first);
    start = clock.getAsLong();
    long left = first.total() - first.sent;
    if (!copying || left <= TcpLimits.PAGE_COPY_SIZE + FrameHeader.MAX) {
      return usual;
    }
    Staging wide = usual.wide();
    if (wide == null) {
      copying = false;
      return usual;
    }
    wide.buffer.clear();
    if (left >= TcpLimits.LAST_WRITE) {
      wide.buffer.limit(TcpLimits.WRITE_SIZE);
    }
    return wide;
  }

  private boolean copies(Outgoing message) {
    int kind = kind(message);
    boolean usual = message.payload <= TcpLimits.PAGE_COPY_SIZE;
    long cost = usual ? copied[kind] : viewed[kind];
    long other = usual ? viewed[kind] : copied[kind];
    // A little less is no reason to leave what is right as a rule.
    boolean better = (other > 0 && other < cost - cost / 8) ? !usual : usual;
    return ++writes % TcpLimits.OTHER_WAY == 0 ? !better : better;
  }

  /**
   * Whether the write that is under way shows the channel a piece of a message where it lies.
   *
   * @param from where in the message it begins
   * @param size how long it is
   */
  boolean views(Outgoing message, long from, long size) {
    return size > TcpLimits.COPY_SIZE
        && (message.equals(head) ? !copying : message.isViewed(from, size));
  }

  /**
   * The write has ended, and the kernel has taken it as a whole.
   *
   * @param bytes how many
   */
  void taken(long bytes) {
    Outgoing message = head;
    if (message != null) {
      long[] costs = copying ? copied : viewed;
      int kind = kind(message);
      long cost = Math.max(1, 1000 * (clock.getAsLong() - start) / bytes);
      long before = costs[kind];
      // The first one was slow, and one that was interrupted says little.
      costs[kind] =
          cost < before
              ? (cost + before) / 2
              : before == 0 ? cost : before + Math.min(cost - before, before) / 4;
    }
  }
}
