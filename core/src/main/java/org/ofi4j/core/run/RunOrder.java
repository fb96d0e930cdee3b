// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Runs in the order of their addresses, to find the one that has an address: an interval tree in
 * arrays. Immutable.
 *
 * <p>An element is an interval of keys that a run has addresses in, as {@link RunKeys} says. The
 * elements are in the order of their first keys. The tree is implicit: the middle one of an
 * interval of places is above those before it and those behind it, and {@code most} is the largest
 * last key of all of them. A search goes only where that is not below its key.
 */
final class RunOrder {
  /** The most runs over one key, as a search looks at all of them. */
  static final int MOST_OVER_KEY = 8;

  static final RunOrder EMPTY = new RunOrder();

  private record Element(long first, long last, Run run) {}

  private final Element[] elements;

  // Apart from the elements, as a search for an address looks at little else.
  private final long[] first;
  private final long[] last;
  private final long[] most;

  private RunOrder(Element... elements) {
    this.elements = elements;
    this.first = new long[elements.length];
    this.last = new long[elements.length];
    this.most = new long[elements.length];
    Arrays.setAll(first, place -> elements[place].first);
    Arrays.setAll(last, place -> elements[place].last);
    computeMost(0, most.length);
  }

  private long computeMost(int from, int to) {
    if (from >= to) {
      return Long.MIN_VALUE;
    }
    int middle = (from + to) >>> 1;
    long below = Math.max(computeMost(from, middle), computeMost(middle + 1, to));
    most[middle] = Math.max(below, last[middle]);
    return most[middle];
  }

  /**
   * This order without the runs that begin in an interval of indices, and with others.
   *
   * @param from the first index of the interval
   * @param to one more than the last one
   */
  RunOrder with(int from, int to, List<Run> runsAdded, RunKeys keys) {
    List<Element> all = new ArrayList<>(elements.length + runsAdded.size());
    for (Element element : elements) {
      if (element.run.first() < from || element.run.first() >= to) {
        all.add(element);
      }
    }
    for (Run run : runsAdded) {
      keys.of(run.shape(), run.count(), (least, last) -> all.add(new Element(least, last, run)));
    }
    // All but those at the end are in order, so this is little more than to merge both.
    all.sort(Comparator.comparingLong(Element::first));
    return new RunOrder(all.toArray(Element[]::new));
  }

  /**
   * The first element from a place on that has keys of an interval; -1 if there is none.
   *
   * @param least the first key of the interval
   * @param greatest the last one
   */
  int next(int from, long least, long greatest) {
    return next(0, elements.length, from, least, greatest);
  }

  private int next(int start, int end, int from, long least, long greatest) {
    int begin = start;
    while (begin < end && end > from) {
      int middle = (begin + end) >>> 1;
      if (most[middle] < least) {
        break;
      }
      int found = next(begin, middle, from, least, greatest);
      if (found >= 0 || first[middle] > greatest) {
        return found;
      }
      if (middle >= from && last[middle] >= least) {
        return middle;
      }
      begin = middle + 1;
    }
    return -1;
  }

  /** The run of an element. */
  Run run(int place) {
    return elements[place].run;
  }

  /** Adds the runs that have keys of an interval to others. */
  void addAll(long least, long greatest, Set<Run> to) {
    int place = next(0, least, greatest);
    while (place >= 0) {
      to.add(elements[place].run);
      place = next(place + 1, least, greatest);
    }
  }

  /**
   * Whether so many runs lie over some key of an interval that one more would make searches slow.
   * The keys of runs with large steps enclose those of others, and so do those of equal runs.
   */
  boolean isCrowded(long least, long greatest) {
    // The last keys of the elements that have not ended at the first key of the present one.
    PriorityQueue<Long> open = new PriorityQueue<>();
    int place = next(0, least, greatest);
    while (place >= 0 && open.size() < MOST_OVER_KEY) {
      while (!open.isEmpty() && open.peek() < first[place]) {
        open.remove();
      }
      open.add(last[place]);
      place = next(place + 1, least, greatest);
    }
    return open.size() == MOST_OVER_KEY;
  }
}
