// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.Superblock;

/**
 * Intervals of live entries of runs in memory that several processes change: what this one saw when
 * it looked at all runs, as long as none of their entries has died since.
 *
 * <p>That is told by a number in the {@link Superblock}, the deaths in runs. A writer makes it odd
 * before the first entry of a run dies in a change, and even again when the change is done; a
 * writer that is killed leaves it odd, and the file that takes the place of this one begins anew.
 * It never returns. Who finds it even and the same before and after it looked at all runs has seen
 * nothing but live entries; and who finds it the same again later knows that they lived at that
 * moment.
 *
 * <p>What entries come meanwhile is not seen here. All runs are looked at again when so many
 * lookups went the general way that it costs little beside them.
 */
public final class SharedIntervals extends LiveIntervals {
  /** So many lookups go the general way at least before all runs are looked at. */
  private static final int FEWEST = 64;

  /**
   * What was seen; its fields are final, and so complete for whoever finds it. Most lookups are of
   * the longest row, which is found without a look at anything else: that makes up for the deaths
   * being looked at.
   *
   * @param deaths at which deaths
   * @param first the first index of the longest row
   * @param zero the address that index 0 would have in it
   * @param step from address to address
   * @param intervals all intervals, which nobody changes any more
   */
  private record Seen(
      long deaths, int first, int length, long zero, long step, LiveIntervals intervals) {
    static Seen of(long deaths, LiveIntervals intervals) {
      Row row = intervals.longestRow();
      return new Seen(deaths, row.first(), row.length(), row.zero(), row.step(), intervals);
    }

    long ipv4(int index) {
      return Integer.compareUnsigned(index - first, length) < 0
          ? zero + index * step
          : intervals.finalIpv4(index);
    }
  }

  private final MemorySegment root;

  /** Perhaps seen late by others, to whom the deaths tell. */
  private @Nullable Seen seen;

  /** Lookups that went the general way; a few may be lost. */
  private int misses;

  /** At how many it is time to look. */
  private int most = FEWEST;

  /** Whether this process has made the deaths odd. */
  private boolean dying;

  SharedIntervals(MemorySegment root) {
    this.root = root;
  }

  /** The deaths in runs; what is read next is at least as new. */
  public long deaths() {
    return SegmentAccess.longAcquire(root, Superblock.RUN_DEATHS);
  }

  /** Whether all entries of runs live that did so at some deaths, when all was looked at. */
  public static boolean areSettled(long deaths) {
    return (deaths & 1) == 0;
  }

  @Override
  public long ipv4(int index) {
    Seen now = seen;
    // Memory of files: asked, the compiler knows the class.
    return now != null && SegmentAccess.isNative(root) && deaths() == now.deaths
        ? now.ipv4(index)
        : -1;
  }

  @Override
  public long ipv4InOrder(int index) {
    Seen now = seen;
    // This load needs no fence, which would cost as much as all else.
    return now != null
            && SegmentAccess.isNative(root)
            && SegmentAccess.longInOrder(root, Superblock.RUN_DEATHS) == now.deaths
        ? now.ipv4(index)
        : -1;
  }

  /** An index that has the address {@code address << 16 | port} in an interval, or -1. */
  public int find(long address) {
    Seen now = seen;
    return now != null && SegmentAccess.isNative(root) && deaths() == now.deaths
        ? now.intervals.finalFind(address)
        : -1;
  }

  @Override
  public boolean missed() {
    return ++misses >= most;
  }

  /**
   * Takes in what was seen.
   *
   * @param deaths the deaths before it was looked at
   * @param found what was found; null if something changed meanwhile
   */
  void see(long deaths, @Nullable LiveIntervals found, int looks) {
    misses = 0;
    most = FEWEST + 2 * looks;
    if (found != null && areSettled(deaths)) {
      seen = Seen.of(deaths, found);
    }
  }

  // For the writer.

  @Override
  void add(RunShape shape, int origin, int first, int end) {}

  @Override
  void remove(int from, int to) {
    if (!dying) {
      long deaths = deaths();
      SegmentAccess.longRelease(root, Superblock.RUN_DEATHS, deaths + (areSettled(deaths) ? 1 : 0));
      // It is odd before anything of the first death is there to be seen.
      VarHandle.storeStoreFence();
      dying = true;
    }
  }

  /** {@inheritDoc} Nobody finds anything here any more, in whichever process. */
  @Override
  public void leave() {
    long deaths = deaths();
    SegmentAccess.longRelease(root, Superblock.RUN_DEATHS, deaths + (areSettled(deaths) ? 1 : 0));
  }

  @Override
  public void settle() {
    if (dying) {
      SegmentAccess.longRelease(root, Superblock.RUN_DEATHS, deaths() + 1);
      dying = false;
    }
  }

  @Override
  public void end() {
    seen = null;
  }
}
