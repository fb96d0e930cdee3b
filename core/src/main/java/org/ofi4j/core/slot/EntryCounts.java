// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * How many entries of which sort a store has, in the {@link Superblock}. One thread writes; any
 * thread reads.
 *
 * <pre>
 *   0   live entries (4) | the most of them so far (4)
 *   8   live entries that have slots (4)
 *  12   the end of the indices in use, which is another's (4)
 *  16   reserved indices (4)
 * </pre>
 */
public final class EntryCounts {
  private static final long LIVE = Superblock.COUNTS;
  private static final long MOST_LIVE = Superblock.COUNTS + 4;
  private static final long SCATTERED = Superblock.COUNTS + 8;
  private static final long RESERVED = Superblock.COUNTS + 16;

  private final MemorySegment root;

  public EntryCounts(SlabAllocator allocator) {
    this.root = allocator.root();
  }

  /** Entries came, or, with a negative number, went. */
  public void add(int more) {
    int live = root.get(JAVA_INT, LIVE) + more;
    SegmentAccess.intRelease(root, LIVE, live);
    if (live > root.get(JAVA_INT, MOST_LIVE)) {
      SegmentAccess.intRelease(root, MOST_LIVE, live);
    }
  }

  /** As {@link #add}, of entries with slots. */
  public void addScattered(int more) {
    count(SCATTERED, more);
    add(more);
  }

  /** An entry of a run got a slot. */
  public void addLeftRun() {
    count(SCATTERED, 1);
  }

  /** Reservations came or went. */
  public void addReserved(int more) {
    count(RESERVED, more);
  }

  /**
   * Entries were so many once, and never more, unless there are more now: the counts of a copy go
   * beyond that while it is made.
   */
  public void restoreMost(int most) {
    SegmentAccess.intRelease(root, MOST_LIVE, Math.max(most, live()));
  }

  public int reserved() {
    return SegmentAccess.intAcquire(root, RESERVED);
  }

  public int live() {
    return SegmentAccess.intAcquire(root, LIVE);
  }

  public int mostLive() {
    return SegmentAccess.intAcquire(root, MOST_LIVE);
  }

  /** How many entries have no slots. */
  public int inRuns() {
    return Math.max(0, live() - SegmentAccess.intOpaque(root, SCATTERED));
  }

  /** How many slots are in use. */
  public long slots() {
    long scattered = SegmentAccess.intOpaque(root, SCATTERED);
    return scattered + SegmentAccess.intOpaque(root, RESERVED);
  }

  private void count(long offset, int more) {
    root.set(JAVA_INT, offset, root.get(JAVA_INT, offset) + more);
  }
}
