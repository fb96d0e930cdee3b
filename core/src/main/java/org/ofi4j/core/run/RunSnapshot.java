// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Intervals of indices of which each is a live entry of a run, by first index, with the formula of
 * their addresses. Which intervals there are never changes; one may become shorter, or longer where
 * it ends. All fields are final, and so complete for whoever finds it.
 */
final class RunSnapshot {
  /** How many intervals there are at most; the longest ones. */
  static final int MAX = 64;

  /** Where there are more formulas than this, addresses are searched for elsewhere. */
  private static final int MOST_FORMULAS = 8;

  /** Of no deaths that there could be. */
  static final RunSnapshot NONE =
      new RunSnapshot(-1, new Interval[] {new Interval(RunShape.row(0, 1, 0), 0, 0, 0)});

  /** One of them. Its formula never changes; its bounds do. */
  static final class Interval {
    private static final VarHandle BOUNDS;

    static {
      try {
        BOUNDS = MethodHandles.lookup().findVarHandle(Interval.class, "bounds", long.class);
      } catch (ReflectiveOperationException e) {
        throw new ExceptionInInitializerError(e);
      }
    }

    private final RunShape shape;

    /** The index that has the first address of the shape. */
    private final int origin;

    /** Where there is one row: the address that index 0 would have, and the step to the next. */
    private final boolean oneRow;

    private final long zero;
    private final long step;

    /** {@code first index << 32 | last index + 1}; nothing if both are the same. */
    private long bounds;

    Interval(RunShape shape, int origin, int first, int end) {
      this.shape = shape;
      this.origin = origin;
      this.oneRow = shape.inner() == Progression.ONE_ROW;
      this.step = ((long) shape.nodeStep() << Short.SIZE) + shape.portStep();
      this.zero = shape.ipv4(0) - origin * step;
      this.bounds = bounds(first, end);
    }

    private static long bounds(int first, int end) {
      return (long) first << Integer.SIZE | Math.max(first, end);
    }

    int first() {
      return (int) (bounds >>> Integer.SIZE);
    }

    int end() {
      return (int) bounds;
    }

    int length() {
      return end() - first();
    }

    void become(int first, int end) {
      BOUNDS.setRelease(this, bounds(first, end));
    }

    boolean isSameFormula(Interval other) {
      return oneRow
          ? other.oneRow && zero == other.zero && step == other.step
          : origin == other.origin && shape.equals(other.shape);
    }

    /** The same formula, for other indices. */
    Interval with(int first, int end) {
      return new Interval(shape, origin, first, end);
    }

    /**
     * The address of an index, {@code address << 16 | port}, whether it is in the bounds or not.
     */
    long ipv4(int index) {
      return oneRow ? zero + index * step : shape.ipv4(index - origin);
    }

    /** The index that would have an address, or -1. */
    private int indexOf(long address) {
      long position = shape.position(address >>> Short.SIZE, (int) address & RunShape.MAX_PORT);
      long index = origin + position;
      return position < 0 || index > Integer.MAX_VALUE ? -1 : (int) index;
    }

    private boolean covers(int index) {
      long now = (long) BOUNDS.getAcquire(this);
      int first = (int) (now >>> Integer.SIZE);
      return Integer.compareUnsigned(index - first, (int) now - first) < 0;
    }
  }

  private final long deaths;

  /** The longest one when they came, in which most lookups are. */
  private final Interval longest;

  private final Interval[] intervals;

  /** Their first indices when they came. */
  private final int[] starts;

  private final boolean fewFormulas;

  private RunSnapshot(long deaths, Interval[] intervals) {
    this.deaths = deaths;
    this.intervals = intervals;
    this.starts = new int[intervals.length];
    Interval most = intervals[0];
    int formulas = 0;
    for (int i = 0; i < starts.length; i++) {
      starts[i] = intervals[i].first();
      formulas += i == 0 || !intervals[i].isSameFormula(intervals[i - 1]) ? 1 : 0;
      most = intervals[i].length() > most.length() ? intervals[i] : most;
    }
    this.longest = most;
    this.fewFormulas = formulas <= MOST_FORMULAS;
  }

  /** The same intervals, as they were seen at some {@linkplain LiveIntervals#deaths deaths}. */
  RunSnapshot at(long seenDeaths) {
    return new RunSnapshot(seenDeaths, intervals);
  }

  /** These intervals, but for those without indices, and one more that has no index of theirs. */
  RunSnapshot with(Interval added) {
    Interval[] changed = new Interval[intervals.length + 1];
    int count = 0;
    for (Interval interval : intervals) {
      if (interval.length() > 0) {
        changed[count++] = interval;
      }
    }
    int place = count++;
    for (; place > 0 && changed[place - 1].first() > added.first(); place--) {
      changed[place] = changed[place - 1];
    }
    changed[place] = added;
    return new RunSnapshot(deaths, Arrays.copyOf(changed, count));
  }

  long deaths() {
    return deaths;
  }

  Interval[] intervals() {
    return intervals;
  }

  /** The shortest interval, in whose place another one comes; one without indices if any may. */
  Interval shortest() {
    Interval shortest = intervals.length < MAX ? NONE.longest : longest;
    for (Interval interval : intervals) {
      shortest = interval.length() < shortest.length() ? interval : shortest;
    }
    return shortest;
  }

  private Interval at(int index) {
    int place = 0;
    for (int rest = starts.length; rest > 1; ) {
      int half = rest >>> 1;
      place = starts[place + half] <= index ? place + half : place;
      rest -= half;
    }
    return intervals[place];
  }

  /** The IPv4 address of any index, {@code address << 16 | port}; -1 if in no interval. */
  long ipv4(int index) {
    // A field would be loaded again behind the bounds.
    Interval interval = longest;
    if (interval.covers(index)) {
      return interval.ipv4(index);
    }
    interval = at(index);
    return interval.covers(index) ? interval.ipv4(index) : -1;
  }

  /** An index that has the address {@code address << 16 | port}, or -1. */
  int find(long address) {
    for (int i = 0; fewFormulas && i < intervals.length; i++) {
      Interval interval = intervals[i];
      if (i == 0 || !interval.isSameFormula(intervals[i - 1])) {
        int index = interval.indexOf(address);
        Interval found = longest.covers(index) ? longest : at(index);
        if (found.covers(index) && found.isSameFormula(interval)) {
          return index;
        }
      }
    }
    return -1;
  }
}
