// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;

/** What a store is meant to do, in the plainest way, over addresses that are small numbers. */
final class StoreModel {
  static final int NO_MEMORY = -Errno.ENOMEM.number();
  static final int ALREADY = -Errno.EALREADY.number();
  static final int INVALID = -Errno.EINVAL.number();

  /** An entry or a reservation. */
  static final class Entry {
    /** Which spelling of which address; -1 for a reservation. */
    int spelling = -1;

    int count = 1;
    @Nullable Long userId;
    boolean firewall;
  }

  private final boolean reuse;
  private final DuplicatePolicy duplicates;
  private final int capacity;
  private final int spellings;

  final TreeMap<Integer, Entry> live = new TreeMap<>();
  final TreeMap<Integer, Entry> reserved = new TreeMap<>();
  private final Map<Integer, TreeSet<Integer>> byAddress = new HashMap<>();
  private final Map<Integer, Integer> deaths = new HashMap<>();

  /** Unused indices below the end. */
  private final TreeSet<Integer> free = new TreeSet<>();

  private int end;
  int highest;

  /** Spellings {@code n * spellings + i} are all of address n. */
  StoreModel(boolean reuse, DuplicatePolicy duplicates, int capacity, int spellings) {
    this.reuse = reuse;
    this.duplicates = duplicates;
    this.capacity = capacity;
    this.spellings = spellings;
  }

  int address(int spelling) {
    return spelling / spellings;
  }

  int find(int spelling) {
    TreeSet<Integer> indices = byAddress.get(address(spelling));
    return indices == null || indices.isEmpty() ? -1 : indices.first();
  }

  int insert(int spelling) {
    int present = find(spelling);
    if (present >= 0 && duplicates != DuplicatePolicy.NEW_INDEX) {
      return repeat(present);
    }
    int index = next();
    if (index < 0) {
      return NO_MEMORY;
    }
    show(index, spelling, new Entry());
    return index;
  }

  int reserve() {
    int index = next();
    if (index < 0) {
      return NO_MEMORY;
    }
    reserved.put(index, new Entry());
    take(index);
    return index;
  }

  int publish(int index, int spelling) {
    Entry entry = reserved.remove(index);
    if (entry == null) {
      return INVALID;
    }
    int present = find(spelling);
    if (present >= 0 && duplicates != DuplicatePolicy.NEW_INDEX) {
      end(index);
      return repeat(present);
    }
    show(index, spelling, entry);
    return index;
  }

  void cancel(int index) {
    if (reserved.remove(index) != null) {
      end(index);
    }
  }

  int replace(int index, int spelling) {
    Entry entry = live.get(index);
    if (entry == null) {
      return INVALID;
    }
    if (address(entry.spelling) == address(spelling)) {
      return 0;
    }
    if (find(spelling) >= 0 && duplicates != DuplicatePolicy.NEW_INDEX) {
      return ALREADY;
    }
    byAddress.get(address(entry.spelling)).remove(index);
    byAddress.computeIfAbsent(address(spelling), a -> new TreeSet<>()).add(index);
    entry.spelling = spelling;
    return 0;
  }

  int remove(int index) {
    Entry entry = live.get(index);
    if (entry == null) {
      return INVALID;
    }
    if (--entry.count > 0) {
      return entry.count;
    }
    live.remove(index);
    byAddress.get(address(entry.spelling)).remove(index);
    end(index);
    return 0;
  }

  private void end(int index) {
    deaths.merge(index, 1, Integer::sum);
    free.add(index);
  }

  /** How many entries and reservations of an index ended. */
  int generation(int index) {
    return deaths.getOrDefault(index, 0);
  }

  @Nullable Entry used(int index) {
    Entry entry = live.get(index);
    return entry == null ? reserved.get(index) : entry;
  }

  private int repeat(int present) {
    if (duplicates == DuplicatePolicy.REJECT) {
      return ALREADY;
    }
    live.get(present).count++;
    return present;
  }

  private void show(int index, int spelling, Entry entry) {
    entry.spelling = spelling;
    live.put(index, entry);
    byAddress.computeIfAbsent(address(spelling), a -> new TreeSet<>()).add(index);
    take(index);
    highest = Math.max(highest, live.size());
  }

  private void take(int index) {
    free.remove(index);
    end = Math.max(end, index + 1);
  }

  private int next() {
    int index = reuse && !free.isEmpty() ? free.first() : end;
    return index < capacity ? index : -1;
  }
}
