// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;

/**
 * An address vector written as plainly as the rules read: a sorted map from index to entry,
 * searched from the front for everything. Slow, and easy to believe.
 */
final class ReferenceVector {
  private final DuplicatePolicy policy;
  private final boolean reusesIndices;
  private final TreeMap<Integer, Entry> entries = new TreeMap<>();
  private int appended;
  private int mostEntries;

  /**
   * An empty vector.
   *
   * @param policy what a duplicate does, already chosen by version (D-15)
   * @param reusesIndices whether the lowest unused index is taken (AV-083), or every index only
   *     once
   */
  ReferenceVector(DuplicatePolicy policy, boolean reusesIndices) {
    this.policy = policy;
    this.reusesIndices = reusesIndices;
  }

  /** One live entry; {@code count} says how many removals it takes. */
  private static final class Entry {
    FabricAddress stored;
    Object identity;
    int count = 1;

    Entry(Element element) {
      stored = element.stored();
      identity = element.identity();
    }
  }

  /**
   * Synchronous: each address gets its index when its turn comes, failures take none (D-19).
   * Asynchronous: all indices are reserved first; what fails or is shared leaves a hole (AV-086).
   */
  List<Outcome> insert(List<Element> elements, boolean asynchronous) {
    List<Integer> reserved = unusedIndices(asynchronous ? elements.size() : 0);
    List<Outcome> outcomes = new ArrayList<>();
    for (int i = 0; i < elements.size(); i++) {
      Outcome outcome = refuseOrShare(elements.get(i));
      if (outcome == null) {
        int index = asynchronous ? reserved.get(i) : unusedIndices(1).getFirst();
        outcome = occupy(index, elements.get(i));
      }
      outcomes.add(outcome);
    }
    return outcomes;
  }

  /** Whether inserting would succeed. */
  boolean takes(Element element) {
    return element.errno() == 0
        && (policy != DuplicatePolicy.REJECT || find(element.identity()) < 0);
  }

  private @Nullable Outcome refuseOrShare(Element element) {
    if (element.errno() != 0) {
      return Outcome.failed(element.errno());
    }
    int present = find(element.identity());
    if (present < 0 || policy == DuplicatePolicy.NEW_INDEX) {
      return null;
    }
    if (policy == DuplicatePolicy.REJECT) {
      return Outcome.failed(Errno.EALREADY.number());
    }
    entry(present).count++;
    return new Outcome(0, present);
  }

  private Outcome occupy(int index, Element element) {
    entries.put(index, new Entry(element));
    mostEntries = Math.max(mostEntries, entries.size());
    return new Outcome(0, index);
  }

  private List<Integer> unusedIndices(int count) {
    List<Integer> unused = new ArrayList<>();
    int candidate = reusesIndices ? 0 : appended;
    while (unused.size() < count) {
      if (!entries.containsKey(candidate)) {
        unused.add(candidate);
      }
      candidate++;
    }
    if (!reusesIndices) {
      appended = candidate;
    }
    return unused;
  }

  /** Gives the entry of an index another address; 0 or the errno. */
  int replace(int index, Element element) {
    Entry entry = entries.get(index);
    if (entry == null || element.errno() != 0) {
      return entry == null ? Errno.EINVAL.number() : element.errno();
    }
    if (entry.identity.equals(element.identity())) {
      return 0;
    }
    if (policy != DuplicatePolicy.NEW_INDEX && find(element.identity()) >= 0) {
      return Errno.EALREADY.number();
    }
    entry.stored = element.stored();
    entry.identity = element.identity();
    return 0;
  }

  /** Removes the entry of an index, or one of its counts; 0 or the errno. */
  int remove(int index) {
    Entry entry = entries.get(index);
    if (entry == null) {
      return Errno.EINVAL.number();
    }
    entry.count--;
    if (entry.count == 0) {
      entries.remove(index);
    }
    return 0;
  }

  /** The lowest live index with this identity, or -1. */
  int find(Object identity) {
    for (Map.Entry<Integer, Entry> each : entries.entrySet()) {
      if (each.getValue().identity.equals(identity)) {
        return each.getKey();
      }
    }
    return -1;
  }

  /** What a lookup gives, or null if the index is unset. */
  @Nullable FabricAddress lookup(int index) {
    Entry entry = entries.get(index);
    return entry == null ? null : entry.stored;
  }

  /** What makes a live entry the same as another. */
  Object identity(int index) {
    return entry(index).identity;
  }

  boolean isLive(int index) {
    return entries.containsKey(index);
  }

  /** All live indices, in order. */
  List<Integer> indices() {
    return List.copyOf(entries.keySet());
  }

  int size() {
    return entries.size();
  }

  int mostEntries() {
    return mostEntries;
  }

  private Entry entry(int index) {
    Entry entry = entries.get(index);
    if (entry == null) {
      throw new IllegalStateException("index " + index + " is not live");
    }
    return entry;
  }
}
