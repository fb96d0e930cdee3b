// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.IntConsumer;
import org.ofi4j.core.slot.Slots;

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

  static final RunOrder EMPTY = new RunOrder(new long[0], new long[0], new Run[0]);

  private final long[] first;
  private final long[] last;
  private final long[] most;
  private final Run[] runs;

  private RunOrder(long[] first, long[] last, Run[] runs) {
    this.first = first;
    this.last = last;
    this.runs = runs;
    this.most = new long[first.length];
    computeMost(0, first.length);
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

  /** An element that is added to an order. */
  private record Element(long first, long last, Run run) {}

  /**
   * This order without the runs that begin in an interval of indices, and with others.
   *
   * @param from the first index of the interval
   * @param to one more than the last one
   */
  RunOrder with(int from, int to, List<Run> runsAdded, RunKeys keys) {
    List<Element> added = new ArrayList<>();
    for (Run run : runsAdded) {
      keys.of(run.shape(), run.count(), (least, most) -> added.add(new Element(least, most, run)));
    }
    added.sort(Comparator.comparingLong(Element::first));
    int length = added.size();
    for (Run run : runs) {
      length += isIn(run, from, to) ? 0 : 1;
    }
    long[] firstKeys = new long[length];
    long[] lastKeys = new long[length];
    Run[] all = new Run[length];
    int count = 0;
    int next = 0;
    for (int i = 0; i <= first.length; i++) {
      boolean isEnd = i == first.length;
      for (; next < added.size() && (isEnd || added.get(next).first < first[i]); next++) {
        firstKeys[count] = added.get(next).first;
        lastKeys[count] = added.get(next).last;
        all[count++] = added.get(next).run;
      }
      if (!isEnd && !isIn(runs[i], from, to)) {
        firstKeys[count] = first[i];
        lastKeys[count] = last[i];
        all[count++] = runs[i];
      }
    }
    return new RunOrder(firstKeys, lastKeys, all);
  }

  private static boolean isIn(Run run, int from, int to) {
    return run.first() >= from && run.first() < to;
  }

  /**
   * Finds an address.
   *
   * @param key its key
   * @param slots indices that have one do not count
   * @param all whether to look at all runs that have the address, and answer with the lowest index
   * @return an index, or -1
   */
  int find(
      long key, boolean ipv6, long high, long low, long scopeAndPort, Slots slots, boolean all) {
    return find(0, first.length, key, ipv6, high, low, scopeAndPort, slots, all);
  }

  private int find(
      int from,
      int to,
      long key,
      boolean ipv6,
      long high,
      long low,
      long scopeAndPort,
      Slots slots,
      boolean all) {
    int found = -1;
    int begin = from;
    while (begin < to) {
      int middle = (begin + to) >>> 1;
      if (most[middle] < key) {
        return found;
      }
      found = least(found, find(begin, middle, key, ipv6, high, low, scopeAndPort, slots, all));
      if ((found >= 0 && !all) || first[middle] > key) {
        return found;
      }
      if (last[middle] >= key) {
        int index = runs[middle].indexOf(ipv6, high, low, scopeAndPort);
        if (index >= 0 && slots.wordIfOpen(index) == 0) {
          found = least(found, index);
          if (!all) {
            return found;
          }
        }
      }
      begin = middle + 1;
    }
    return found;
  }

  static int least(int one, int other) {
    return one < 0 || (other >= 0 && other < one) ? other : one;
  }

  /** Gives the runs that have an element in common with an interval of keys, in order. */
  void forEach(long from, long to, Consumer<Run> consumer) {
    forEach(0, first.length, from, to, place -> consumer.accept(runs[place]));
  }

  private void forEach(int begin, int end, long from, long to, IntConsumer places) {
    int middle = (begin + end) >>> 1;
    if (begin >= end || most[middle] < from) {
      return;
    }
    forEach(begin, middle, from, to, places);
    if (first[middle] > to) {
      return;
    }
    if (last[middle] >= from) {
      places.accept(middle);
    }
    forEach(middle + 1, end, from, to, places);
  }

  /**
   * Whether so many runs lie over some key of an interval that one more would make searches slow.
   * The keys of runs with large steps enclose those of others, and so do those of equal runs.
   */
  boolean isCrowded(long from, long to) {
    // The last keys of the elements that have not ended at the first key of the present one.
    long[] open = new long[MOST_OVER_KEY];
    int[] count = {0};
    forEach(
        0,
        first.length,
        from,
        to,
        place -> {
          if (count[0] == MOST_OVER_KEY) {
            return;
          }
          int left = 0;
          for (int i = 0; i < count[0]; i++) {
            if (open[i] >= first[place]) {
              open[left++] = open[i];
            }
          }
          open[left++] = last[place];
          count[0] = left;
        });
    return count[0] == MOST_OVER_KEY;
  }
}
