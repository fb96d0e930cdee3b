// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;

/**
 * The rules of {@link ReferenceVector} once more, for vectors with many entries: an array of
 * addresses by index, a map from each address to the indices that have it. Addresses are those of
 * {@link Numbers}; outcomes are indices or negative errnos.
 */
final class LargeReference {
  private static final int REJECTED = -Errno.EALREADY.number();
  private static final int UNSETTLED = Integer.MIN_VALUE;

  private final DuplicatePolicy policy;
  private final boolean reusesIndices;
  private final BitSet live = new BitSet();
  private final Map<Long, Integer> lowest = new HashMap<>();
  private final Map<Long, TreeSet<Integer>> higher = new HashMap<>();
  private long[] numbers = new long[1024];
  private int[] counts = new int[1024];
  private int nothingUnusedBelow;
  private int end;
  private int size;
  private int mostEntries;

  /**
   * An empty vector.
   *
   * @param policy what a duplicate does, already chosen by version (D-15)
   * @param reusesIndices whether the lowest unused index is taken (AV-083), or every index only
   *     once
   */
  LargeReference(DuplicatePolicy policy, boolean reusesIndices) {
    this.policy = policy;
    this.reusesIndices = reusesIndices;
  }

  /**
   * Synchronous: each address gets its index when its turn comes, failures take none (D-19).
   * Asynchronous: all indices are reserved first; what fails or is shared leaves a hole (AV-086).
   */
  int[] insert(long[] elements, boolean asynchronous) {
    int[] reserved = reserve(asynchronous ? elements.length : 0);
    int[] outcomes = new int[elements.length];
    for (int i = 0; i < elements.length; i++) {
      int outcome = refuseOrShare(elements[i]);
      if (outcome == UNSETTLED) {
        outcome = occupy(asynchronous ? reserved[i] : nextUnused(), elements[i]);
      }
      outcomes[i] = outcome;
    }
    return outcomes;
  }

  private int[] reserve(int count) {
    int[] reserved = new int[count];
    int candidate = nextUnused();
    for (int i = 0; i < reserved.length; i++) {
      reserved[i] = candidate;
      candidate = live.nextClearBit(candidate + 1);
    }
    if (count > 0) {
      end = Math.max(end, reserved[count - 1] + 1);
    }
    return reserved;
  }

  private int refuseOrShare(long element) {
    if (element < 0) {
      return (int) element;
    }
    int present = find(element);
    if (present < 0 || policy == DuplicatePolicy.NEW_INDEX) {
      return UNSETTLED;
    }
    if (policy == DuplicatePolicy.REJECT) {
      return REJECTED;
    }
    counts[present]++;
    return present;
  }

  private int nextUnused() {
    return reusesIndices ? live.nextClearBit(nothingUnusedBelow) : end;
  }

  private int occupy(int index, long number) {
    if (index >= numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * index);
      counts = Arrays.copyOf(counts, 2 * index);
    }
    numbers[index] = number;
    counts[index] = 1;
    live.set(index);
    if (index == nothingUnusedBelow) {
      nothingUnusedBelow++;
    }
    end = Math.max(end, index + 1);
    size++;
    mostEntries = Math.max(mostEntries, size);
    Integer other = lowest.get(number);
    if (other == null || index < other) {
      lowest.put(number, index);
    }
    if (other != null) {
      higher.computeIfAbsent(number, _ -> new TreeSet<>()).add(Math.max(index, other));
    }
    return index;
  }

  /** Removes one entry, or one of its counts; 0 or the errno. */
  int remove(int index) {
    if (!isLive(index)) {
      return Errno.EINVAL.number();
    }
    if (--counts[index] > 0) {
      return 0;
    }
    live.clear(index);
    nothingUnusedBelow = Math.min(nothingUnusedBelow, index);
    size--;
    long number = numbers[index];
    TreeSet<Integer> others = higher.get(number);
    if (others == null) {
      lowest.remove(number);
    } else if (!others.remove(index)) {
      lowest.put(number, others.removeFirst());
    }
    if (others != null && others.isEmpty()) {
      higher.remove(number);
    }
    return 0;
  }

  /** The lowest live index with an address, or -1. */
  int find(long number) {
    return lowest.getOrDefault(number, -1);
  }

  /** The address of a live index. */
  long number(int index) {
    return numbers[index];
  }

  /** How many removals a live index takes. */
  int count(int index) {
    return counts[index];
  }

  boolean isLive(int index) {
    return index >= 0 && live.get(index);
  }

  /** The first live index from one on, around the end if need be; -1 if there is none. */
  int liveFrom(int index) {
    int found = live.nextSetBit(index);
    return found >= 0 ? found : live.nextSetBit(0);
  }

  /** The first index from one on that is not live. */
  int unusedFrom(int index) {
    return live.nextClearBit(index);
  }

  /** Live indices from one up to another. */
  int[] indices(int from, int to) {
    return live.get(from, to).stream().map(index -> from + index).toArray();
  }

  /** One more than the largest index ever used. */
  int end() {
    return end;
  }

  int size() {
    return size;
  }

  int mostEntries() {
    return mostEntries;
  }
}
