// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import org.ofi4j.core.memory.SegmentAccess;

/**
 * A few intervals of indices of which each is a live IPv4 entry of a run, with the formula of its
 * addresses, as this process knows them: what a lookup finds here it need not look for anywhere
 * else. Not all live entries of runs are in an interval; where one of a run has died, the interval
 * ends or becomes two.
 *
 * <p>The one thread that writes keeps it true: entries come here after they are live, and go before
 * they die. So a reader that finds the index within the {@link Interval#bounds} that it loaded
 * knows that the entry was live at that moment, and needs no second look. Runs may be cut and
 * joined without this being touched, as that changes no address.
 */
public class LiveIntervals {
  /** All intervals are looked at one after the other. */
  static final int MAX = 8;

  private static final VarHandle INTERVALS;
  private static final VarHandle BOUNDS;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      INTERVALS = lookup.findVarHandle(LiveIntervals.class, "intervals", Interval[].class);
      BOUNDS = lookup.findVarHandle(Interval.class, "bounds", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** One of them. Its formula never changes; its bounds do. */
  private static final class Interval {
    private final RunShape shape;

    /** The index that has the first address of the shape. */
    private final int origin;

    /** Where there is one row: the address that index 0 would have, and the step to the next. */
    private final boolean oneRow;

    private final long zero;
    private final long step;

    /** {@code first index << 32 | last index + 1}; nothing if both are the same. */
    private long bounds;

    Interval(RunShape shape, int origin) {
      this.shape = shape;
      this.origin = origin;
      this.oneRow = shape.inner() == Progression.ONE_ROW;
      this.step = ((long) shape.nodeStep() << Short.SIZE) + shape.portStep();
      this.zero = shape.ipv4(0) - origin * step;
    }

    private boolean hasFormulaOf(Interval other) {
      return oneRow
          ? other.oneRow && zero == other.zero && step == other.step
          : origin == other.origin && shape.equals(other.shape);
    }

    private int first() {
      return (int) (bounds >>> Integer.SIZE);
    }

    private int end() {
      return (int) bounds;
    }

    private int length() {
      return end() - first();
    }

    private void become(int first, int end) {
      BOUNDS.setRelease(this, (long) first << Integer.SIZE | Math.max(first, end));
    }

    private boolean covers(int index) {
      return Integer.compareUnsigned(index - first(), length()) < 0;
    }

    private int indexOf(long address) {
      long position = shape.position(address >>> Short.SIZE, (int) address & RunShape.MAX_PORT);
      long index = origin + position;
      return position >= 0 && index <= Integer.MAX_VALUE && covers((int) index) ? (int) index : -1;
    }

    private long ipv4(int index) {
      return oneRow ? zero + index * step : shape.ipv4(index - origin);
    }
  }

  private Interval[] intervals = {};

  /** The address of any index, {@code address << 16 | port}; -1 if in no interval; lock-free. */
  public long ipv4(int index) {
    for (Interval interval : (Interval[]) INTERVALS.getAcquire(this)) {
      long bounds = (long) BOUNDS.getAcquire(interval);
      int first = (int) (bounds >>> Integer.SIZE);
      if (Integer.compareUnsigned(index - first, (int) bounds - first) < 0) {
        return interval.ipv4(index);
      }
    }
    return -1;
  }

  /** As {@link #ipv4}, for who stores the address as {@link SegmentAccess#longInOrder} says. */
  public long ipv4InOrder(int index) {
    return ipv4(index);
  }

  /** As {@link #ipv4}, where nothing is added or removed any more. */
  final long finalIpv4(int index) {
    for (Interval interval : intervals) {
      if (interval.covers(index)) {
        return interval.ipv4(index);
      }
    }
    return -1;
  }

  /** One row of addresses: the formula of an interval, and its bounds at a moment. */
  record Row(int first, int length, long zero, long step) {
    private static final Row NONE = new Row(0, 0, 0, 0);
  }

  /** The longest interval that is one row, where nothing is added or removed any more. */
  final Row longestRow() {
    Row longest = Row.NONE;
    for (Interval interval : intervals) {
      if (interval.oneRow && interval.length() > longest.length) {
        longest = new Row(interval.first(), interval.length(), interval.zero, interval.step);
      }
    }
    return longest;
  }

  /**
   * The index of an address, where nothing is added or removed any more.
   *
   * @param address {@code address << 16 | port}
   * @return an index that has it; -1 if none in an interval does
   */
  final int finalFind(long address) {
    for (Interval interval : intervals) {
      int index = interval.indexOf(address);
      if (index >= 0) {
        return index;
      }
    }
    return -1;
  }

  /**
   * An entry of a run was looked up, or found, in the general way.
   *
   * @return whether it is time to look at all runs, so that others are found here
   */
  public boolean missed() {
    return false;
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
    if (shape.ipv6() || first >= end) {
      return;
    }
    Interval added = new Interval(shape, origin);
    for (Interval interval : intervals) {
      if (interval.end() == first && interval.length() > 0 && interval.hasFormulaOf(added)) {
        interval.become(interval.first(), end);
        return;
      }
    }
    if (end - first > shortest()) {
      enter(added, first, end);
    }
  }

  /** How long the shortest interval is, which another one would replace; 0 if there is room. */
  private int shortest() {
    int length = intervals.length < MAX ? 0 : Integer.MAX_VALUE;
    for (Interval interval : intervals) {
      length = Math.min(length, interval.length());
    }
    return length;
  }

  private void enter(Interval added, int first, int end) {
    int shortest = shortest();
    int place = 0;
    while (place < intervals.length && intervals[place].length() > shortest) {
      place++;
    }
    Interval[] changed = Arrays.copyOf(intervals, Math.max(intervals.length, place + 1));
    Interval replaced = place < intervals.length ? intervals[place] : added;
    replaced.become(0, 0);
    added.become(first, end);
    changed[place] = added;
    INTERVALS.setRelease(this, changed);
  }

  /** Lets go of indices, up to but not including {@code to}, of which some will be dead. */
  void remove(int from, int to) {
    for (Interval interval : intervals) {
      int first = interval.first();
      int end = interval.end();
      if (from < end && to > first) {
        int before = from - first;
        int behind = end - to;
        interval.become(before >= behind ? first : to, before >= behind ? from : end);
        if (Math.min(before, behind) > shortest()) {
          Interval other = new Interval(interval.shape, interval.origin);
          enter(other, before >= behind ? to : first, before >= behind ? end : from);
        }
      }
    }
  }

  /** The store is closed: nothing is found here any more. */
  public void end() {
    remove(0, Integer.MAX_VALUE);
  }

  /** Other memory is about to have all entries, of which this one is not told any more. */
  public void leave() {}

  /** A change is done, all of it. */
  public void settle() {}
}
