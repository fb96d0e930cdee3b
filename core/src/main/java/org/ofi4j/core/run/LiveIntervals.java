// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.Superblock;

/**
 * Entries of runs that are known to live, in a {@link RunSnapshot}: what is found here need not be
 * looked for anywhere else. Not all live entries of runs are. Runs may be cut and joined without
 * this being touched, as that changes no address.
 *
 * <p><b>In memory of this process</b> the one thread that writes keeps it true: entries come here
 * after they are live, and go before they die. So a reader that finds the index within the bounds
 * of an interval knows that the entry was live when it loaded them.
 *
 * <p><b>In memory that several processes change</b> it is what this one saw when it looked at all
 * runs, as long as none of their entries has died since. That is told by a number in the {@link
 * Superblock}, the deaths in runs. A writer makes it odd before the first entry of a run dies in a
 * change, and even again when the change is done; a writer that is killed leaves it odd, and the
 * file that takes the place of this one begins anew. It never returns. Who finds it even and the
 * same before and after it looked at all runs has seen nothing but live entries; and who finds it
 * the same again later knows that they lived at that moment. All runs are looked at again when so
 * many lookups went the general way that it costs little beside them.
 */
public final class LiveIntervals {
  /** So many lookups go the general way at least before all runs are looked at. */
  private static final int FEWEST = 64;

  /** Where several processes change it, the memory that has the deaths; else null. */
  private final @Nullable MemorySegment shared;

  /**
   * Perhaps seen late by others: its intervals have become empty where they are in no later one, or
   * the deaths tell.
   */
  private RunSnapshot snapshot = RunSnapshot.NONE;

  /** Lookups that went the general way; a few may be lost. */
  private int misses;

  /** At how many it is time to look. */
  private int most = FEWEST;

  /** Whether this process has made the deaths odd. */
  private boolean dying;

  /** None, and none that come from other processes. */
  public LiveIntervals() {
    this(null);
  }

  LiveIntervals(@Nullable MemorySegment shared) {
    this.shared = shared;
  }

  /** The deaths in runs; what is read next is at least as new. */
  public long deaths() {
    return shared == null ? 0 : SegmentAccess.longAcquire(shared, Superblock.RUN_DEATHS);
  }

  /** Whether all entries of runs live that did so at some deaths, when all was looked at. */
  public static boolean areSettled(long deaths) {
    return (deaths & 1) == 0;
  }

  /** Whether nothing has died of what was seen in memory of others. */
  private static boolean isStill(MemorySegment shared, RunSnapshot seen) {
    // Memory of files: asked, the compiler knows the class.
    return SegmentAccess.isNative(shared)
        && SegmentAccess.longAcquire(shared, Superblock.RUN_DEATHS) == seen.deaths();
  }

  /** The address of any index, {@code address << 16 | port}; -1 if in no interval; lock-free. */
  public long ipv4(int index) {
    RunSnapshot now = snapshot;
    MemorySegment others = shared;
    return others == null || isStill(others, now) ? now.ipv4(index) : -1;
  }

  /** As {@link #ipv4}, for who stores the address as {@link SegmentAccess#longInOrder} says. */
  public long ipv4InOrder(int index) {
    RunSnapshot now = snapshot;
    MemorySegment others = shared;
    return others == null
            || (SegmentAccess.isNative(others)
                && SegmentAccess.longInOrder(others, Superblock.RUN_DEATHS) == now.deaths())
        ? now.ipv4(index)
        : -1;
  }

  /** An index that has the address {@code address << 16 | port} in an interval, or -1. */
  public int find(long address) {
    RunSnapshot now = snapshot;
    MemorySegment others = shared;
    return others == null || isStill(others, now) ? now.find(address) : -1;
  }

  /**
   * An entry of a run was looked up, or found, in the general way.
   *
   * @return whether it is time to look at all runs, so that others are found here
   */
  public boolean missed() {
    return shared != null && ++misses >= most;
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
      snapshot = found.snapshot.at(deaths);
    }
  }

  // For the writer.

  /**
   * Takes indices in that became entries of a run just now.
   *
   * @param origin the first index of the run
   * @param first the first of these indices
   * @param end the last one, plus 1
   */
  void add(RunShape shape, int origin, int first, int end) {
    if (shared != null || shape.ipv6() || first >= end) {
      return;
    }
    RunSnapshot.Interval added = new RunSnapshot.Interval(shape, origin, first, end);
    for (RunSnapshot.Interval interval : snapshot.intervals()) {
      if (interval.end() == first && interval.length() > 0 && interval.isSameFormula(added)) {
        interval.become(interval.first(), end);
        return;
      }
    }
    enter(added, first, end);
  }

  /** Takes an interval of a formula in, unless there are enough that are not shorter. */
  private void enter(RunSnapshot.Interval formula, int first, int end) {
    RunSnapshot.Interval shortest = snapshot.shortest();
    if (shortest.length() < end - first) {
      shortest.become(0, 0);
      snapshot = snapshot.with(formula.with(first, end));
    }
  }

  /** Lets go of indices, up to but not including {@code to}, of which some will be dead. */
  void remove(int from, int to) {
    if (shared != null) {
      die(shared);
      return;
    }
    for (RunSnapshot.Interval interval : snapshot.intervals()) {
      int first = interval.first();
      int end = interval.end();
      if (from < end && to > first) {
        boolean keepsFirst = from - first >= end - to;
        interval.become(keepsFirst ? first : to, keepsFirst ? from : end);
        enter(interval, keepsFirst ? to : first, keepsFirst ? end : from);
      }
    }
  }

  private void die(MemorySegment others) {
    if (!dying) {
      makeOdd(others);
      // It is odd before anything of the first death is there to be seen.
      VarHandle.storeStoreFence();
      dying = true;
    }
  }

  private void makeOdd(MemorySegment others) {
    SegmentAccess.longRelease(others, Superblock.RUN_DEATHS, deaths() | 1);
  }

  /** Other memory is about to have all entries: nobody finds any here, in whichever process. */
  public void leave() {
    if (shared != null) {
      makeOdd(shared);
    }
  }

  /** A change is done, all of it. */
  public void settle() {
    if (shared != null && dying) {
      SegmentAccess.longRelease(shared, Superblock.RUN_DEATHS, deaths() + 1);
      dying = false;
    }
  }

  /** The store is closed: nothing is found here any more. */
  public void end() {
    if (shared == null) {
      remove(0, Integer.MAX_VALUE);
    }
    snapshot = RunSnapshot.NONE;
  }
}
