package org.ofi4j.core.av;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.ofi4j.core.address.AddressKey;

/**
 * What readers see of a store.
 *
 * @param entries its entries, by index
 */
record View(Map<Integer, Entry> entries) {
  /**
   * An entry.
   *
   * @param address its address, in words
   * @param count how many insertions it has
   * @param generation that of its index
   * @param firewall whether it is marked
   */
  record Entry(List<Long> address, int count, int generation, boolean firewall) {}

  /**
   * Looks at a store.
   *
   * @throws AssertionError if it says different things of one entry
   */
  static View of(EntryStore store, boolean several) {
    Map<Integer, Entry> entries = new TreeMap<>();
    AddressKey key = new AddressKey();
    // What died may have left its counts behind.
    long last = store.capacity() + 2048;
    for (int index = 0; index < last; index++) {
      if (!store.isLive(index)) {
        continue;
      }
      check(store.load(index, key), index, "has no address");
      int found = store.find(key);
      // Where there are several, the next one is found a moment before the lowest one dies.
      boolean right = several ? found >= 0 && store.holds(found, key) : found == index;
      check(right, index, "has an address that is found at " + found);
      List<Long> words = new ArrayList<>();
      for (int i = 0; i < key.wordCount(); i++) {
        words.add(key.word(i));
      }
      if (key.authKey() >= 0 && store instanceof NamedStore named) {
        // Under which key, not only under which number.
        byte[] fingerprint = named.keyNumbers().ask(slots -> slots.readFingerprint(key.authKey()));
        words.add((long) Arrays.hashCode(fingerprint));
      }
      entries.put(
          index,
          new Entry(words, store.count(index), store.generation(index), store.isFirewalled(index)));
    }
    return new View(entries);
  }

  /** The address of each index, without what does not tell it from others: flow labels of IPv6. */
  Map<Integer, List<Long>> addresses() {
    Map<Integer, List<Long>> addresses = new TreeMap<>();
    entries.forEach((index, entry) ->
        addresses.put(index, entry.address.subList(0, Math.min(3, entry.address.size()))));
    return addresses;
  }

  private static void check(boolean right, int index, String what) {
    if (!right) {
      throw new AssertionError("index " + index + " is live and " + what);
    }
  }

  /** What is neither as before nor as after a change, nor on the way; empty if nothing is. */
  String strange(View before, View after) {
    List<Integer> indices = new ArrayList<>(entries.keySet());
    indices.addAll(before.entries.keySet());
    indices.addAll(after.entries.keySet());
    for (int index : indices) {
      Entry here = entries.get(index);
      Entry one = before.entries.get(index);
      Entry other = after.entries.get(index);
      if (!Objects.equals(here, one)
          && !Objects.equals(here, other)
          && !between(here, one, other)) {
        return "index " + index + " has " + here + ", before " + one + ", after " + other;
      }
    }
    return "";
  }

  private static boolean between(Entry here, Entry one, Entry other) {
    if (here == null) {
      // It went and came.
      return !Objects.equals(one, other)
          && one != null
          && other != null
          && one.generation != other.generation;
    }
    if (one == null || other == null) {
      Entry there = one == null ? other : one;
      // It was made, and got what it has, one after the other.
      return there != null
          && here.address.equals(there.address)
          && here.count <= there.count
          && here.generation == there.generation;
    }
    return here.address.equals(one.address)
        && here.address.equals(other.address)
        && here.count >= Math.min(one.count, other.count)
        && here.count <= Math.max(one.count, other.count)
        && here.generation == one.generation;
  }
}
