// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;

/**
 * What this process has read of all runs, where there are few: their formulas, which do not change
 * as long as the version of the runs does not. Their counts do, and are read anew. So a lookup or a
 * search in a store of few runs goes neither through the orders nor through the records.
 *
 * <p>Immutable; any thread may use it. It counts only if the version is the present one before and
 * after.
 *
 * @param version the version at which they are all
 * @param views the runs, by first index
 */
record RunViews(long version, View[] views) {
  /** Where there are more runs than this, nobody looks at all of them. */
  static final int MAX = 8;

  /** Of no version. */
  static final RunViews NONE = new RunViews(-1, new View[0]);

  /**
   * A run.
   *
   * @param countOffset where its count is
   */
  record View(MemorySegment segment, long countOffset, int first, RunShape shape) {

    private boolean covers(int index) {
      return index >= first && index - first < SegmentAccess.intAcquire(segment, countOffset);
    }

    private int indexOf(boolean ipv6, long high, long low, long scopeAndPort) {
      long position = shape.position(ipv6, high, low, scopeAndPort);
      return position >= 0 && position < SegmentAccess.intAcquire(segment, countOffset)
          ? first + (int) position
          : -1;
    }
  }

  /** Whether these are the runs of a version. */
  boolean areOf(long present) {
    return version == present;
  }

  /** The IPv4 address that a run gives an index, unless it is a hole; else -1. */
  long ipv4(int index, Runs.Holes holes) {
    for (View view : views) {
      if (view.covers(index)) {
        boolean dead = view.shape.ipv6() || holes.isHole(index) || !view.covers(index);
        return dead ? -1 : view.shape.ipv4(index - view.first);
      }
    }
    return -1;
  }

  /** The index that runs give an address; the lowest one that is no hole, or -1. */
  int find(boolean ipv6, long high, long low, long scopeAndPort, Runs.Holes holes) {
    for (View view : views) {
      int index = view.indexOf(ipv6, high, low, scopeAndPort);
      if (index >= 0 && !holes.isHole(index) && view.covers(index)) {
        return index;
      }
    }
    return -1;
  }
}
