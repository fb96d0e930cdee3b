// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * How many entries of which sort a store has. One thread writes; any thread reads.
 *
 * <p>The writer counts on the heap. Where other processes see the memory, {@link #publish} stores
 * the counts in the {@link Superblock}, once at the end of a change; they see those of the last
 * change that ended. A process that dies before leaves older counts, and the next writer counts
 * again. A private store never stores them there, but for a copy that goes to a file.
 *
 * <pre>
 *   0   live entries (4) | the most of them so far (4)
 *   8   live entries that have slots (4)
 *  12   the end of the indices in use, which is another's (4)
 *  16   reserved indices (4)
 * </pre>
 */
public final class EntryCounts {
  private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(int[].class);

  private static final int LIVE = 0;
  private static final int MOST_LIVE = 1;
  private static final int SCATTERED = 2;
  private static final int RESERVED = 4;
  private static final int[] ALL = {LIVE, MOST_LIVE, SCATTERED, RESERVED};

  private final MemorySegment root;

  /** The counts at the places that they have in the superblock. */
  private final int[] counts = new int[RESERVED + 1];

  /** Whether the counts here are newer than those in the superblock. */
  private volatile boolean changed;

  public EntryCounts(SlabAllocator allocator) {
    this.root = allocator.root();
    follow();
  }

  /** Goes on from the superblock, as another process may have written. */
  public void follow() {
    changed = false;
    for (int which : ALL) {
      counts[which] = root.get(JAVA_INT, offset(which));
    }
  }

  /** Takes back what a change has counted that failed; the next one begins with {@link #follow}. */
  public void forget() {
    changed = false;
  }

  /** Shows the counts to other processes. */
  public void publish() {
    if (changed) {
      for (int which : ALL) {
        SegmentAccess.intRelease(root, offset(which), counts[which]);
      }
      changed = false;
    }
  }

  /** Entries came, or, with a negative number, went. */
  public void add(int more) {
    int live = counts[LIVE] + more;
    set(LIVE, live);
    if (live > counts[MOST_LIVE]) {
      set(MOST_LIVE, live);
    }
  }

  /** As {@link #add}, of entries with slots. */
  public void addScattered(int more) {
    set(SCATTERED, counts[SCATTERED] + more);
    add(more);
  }

  /** An entry of a run got a slot. */
  public void addLeftRun() {
    set(SCATTERED, counts[SCATTERED] + 1);
  }

  /** Reservations came or went. */
  public void addReserved(int more) {
    set(RESERVED, counts[RESERVED] + more);
  }

  /** Sets all counts but the largest number of live entries, which does not fall. */
  public void restore(int live, int scattered, int reserved) {
    set(SCATTERED, scattered);
    set(RESERVED, reserved);
    add(live - counts[LIVE]);
  }

  /**
   * Entries were so many once, and never more, unless there are more now: the counts of a copy go
   * beyond that while it is made.
   */
  public void restoreMost(int most) {
    set(MOST_LIVE, Math.max(most, counts[LIVE]));
  }

  public int reserved() {
    return get(RESERVED);
  }

  public int live() {
    return get(LIVE);
  }

  public int mostLive() {
    return get(MOST_LIVE);
  }

  /** How many entries have no slots. */
  public int inRuns() {
    return Math.max(0, get(LIVE) - get(SCATTERED));
  }

  /** How many slots are in use. */
  public long slots() {
    return (long) get(SCATTERED) + get(RESERVED);
  }

  private void set(int which, int count) {
    COUNT.setOpaque(counts, which, count);
    if (!changed) {
      changed = true;
    }
  }

  private int get(int which) {
    // Before the root: then that is as new as the fields were.
    boolean pending = changed;
    // Loaded in any case, as the memory of a closed store refuses it.
    int shown = SegmentAccess.intAcquire(root, offset(which));
    return pending ? (int) COUNT.getOpaque(counts, which) : shown;
  }

  private static long offset(int which) {
    return Superblock.COUNTS + (long) which * Integer.BYTES;
  }
}
