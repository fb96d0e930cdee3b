// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.store.EntryStore;

/**
 * What readers see of a store.
 *
 * @param entries its entries, by index
 */
record View(Map<Integer, Entry> entries) {
  /** What died may have left its counts behind: so many indices are looked at behind the last. */
  private static final int BEYOND = 128;

  /** So many indices are enough to tell others from, of those that differ. */
  private static final int FEW = 250;

  /** So many indices are looked at in short ways, if no others are given. */
  private static final int FIRST = 1000;

  /** So many indices are looked at at most: no test has more, but a damaged mark may say so. */
  private static final long MOST = 100_000;

  /**
   * An entry.
   *
   * @param address its address, in words
   * @param count how many insertions it has
   * @param generation that of its index
   * @param firewall whether it is marked
   */
  record Entry(List<Long> address, int count, long generation, boolean firewall) {}

  /**
   * Looks at a store that nobody changes.
   *
   * @throws AssertionError if it says different things of one entry
   */
  static View of(EntryStore store, boolean several) {
    View view = new View(new LinkedHashMap<>());
    AddressKey key = new AddressKey();
    ShortLooks shortLooks = new ShortLooks(store, ShortLooks.first(FIRST));
    long last = Math.min(store.highWaterMark(), MOST) + BEYOND;
    for (int index = 0; index < last; index++) {
      if (view.look(store, several, index, key)) {
        last = Math.max(last, index + BEYOND);
      }
    }
    shortLooks.check(view);
    return view;
  }

  /** Looks at some indices, in order, of a store. */
  static View of(EntryStore store, boolean several, int[] indices) {
    View view = new View(new LinkedHashMap<>());
    AddressKey key = new AddressKey();
    ShortLooks shortLooks = new ShortLooks(store, indices);
    for (int index : indices) {
      view.look(store, several, index, key);
    }
    shortLooks.check(view);
    return view;
  }

  private boolean look(EntryStore store, boolean several, int index, AddressKey key) {
    if (!store.isLive(index)) {
      return false;
    }
    check(store.load(index, key), index, "has no address");
    int found = store.find(key);
    // Where there are several, the next one is found a moment before the lowest one dies.
    boolean right = several ? found >= 0 && store.holds(found, key) : found == index;
    if (!right) {
      check(false, index, "has an address that is found at " + found);
    }
    List<Long> words = new ArrayList<>();
    for (int i = 0; i < key.wordCount(); i++) {
      words.add(key.word(i));
    }
    if (key.authKey() >= 0 && store instanceof NamedStore named) {
      // Under which key, not only under which number.
      words.add(
          named.ask(
              (there, number, _, _) ->
                  Arrays.hashCode(there.parts().keys().readFingerprint(number)),
              key.authKey()));
    }
    entries.put(
        index,
        new Entry(words, store.count(index), store.generation(index), store.isFirewalled(index)));
    return true;
  }

  /** What is seen at some indices. */
  View only(int[] indices) {
    View view = new View(new LinkedHashMap<>());
    for (int index : indices) {
      Entry entry = entries.get(index);
      if (entry != null) {
        view.entries.put(index, entry);
      }
    }
    return view;
  }

  /**
   * Indices that stand for all: those that a change touches, around which entries begin, end or are
   * other than in the one before, the first ones, and some between them.
   *
   * @param before what was seen before the change
   * @param after what is seen after it
   */
  int[] telling(View before, View after) {
    int end = 1;
    for (View view : List.of(this, before, after)) {
      for (int index : view.entries.keySet()) {
        end = Math.max(end, index + 1);
      }
    }
    BitSet telling = new BitSet(end);
    telling.set(0, FEW / 4);
    telling.set(end, end + 4);
    int some = end < 1000 ? 8 : 128;
    for (int index = 1; index < end; index++) {
      Entry one = entries.get(index - 1);
      Entry other = entries.get(index);
      boolean alike =
          one == null
              ? other == null
              : other != null
                  && one.count == other.count
                  && one.generation == other.generation
                  && one.firewall == other.firewall;
      boolean touched = !Objects.equals(before.entries.get(index), after.entries.get(index));
      if (index % some == 0 || (touched || !alike) && telling.cardinality() < FEW) {
        telling.set(index - 1, index + 1);
      }
    }
    return telling.stream().toArray();
  }

  /** The same number in each process that sees the same. */
  long digest() {
    long digest = entries.size();
    for (Map.Entry<Integer, Entry> entry : entries.entrySet()) {
      Entry here = entry.getValue();
      digest = 31 * digest + entry.getKey();
      for (long word : here.address) {
        digest = 0x9E37_79B9_7F4A_7C15L * (digest ^ word);
      }
      digest = 31 * digest + here.count;
      digest = 31 * digest + Long.hashCode(here.generation);
      digest = 31 * digest + (here.firewall ? 1 : 0);
    }
    return digest;
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
