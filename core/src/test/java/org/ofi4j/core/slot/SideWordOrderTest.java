// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A model of {@link SideWords} on processors with weak memory order: a writer that lets lives of an
 * index follow each other, and a reader, in all ways in which its loads may see the stores.
 *
 * <p>A load may return any store to its place, however old, unless the reader has seen a later one,
 * or has acquired a release that came after a later one. A load without acquire, or of a store
 * without release, says nothing of other places. A life is its generation, of which the slot has
 * the last bit and the word the others, and which is the number of its shares, too.
 */
class SideWordOrderTest {
  private static final int LIVES = 6;

  /** Faults planted in the model, each of which it must find. */
  enum Fault {
    NONE,
    NO_FIRST_WORD,
    NO_SECOND_SLOT,
    NO_LAST_WORD,
    NO_ACQUIRE_OF_WORD,
    NO_ACQUIRE_OF_SLOT,
    NO_RELEASE_OF_WORD,
    NO_RELEASE_OF_SLOT,
    SLOT_BEFORE_WORD,
    HIGH_HALF_IS_CLEARED
  }

  /** Places of the model. */
  private enum Place {
    SLOT,
    WORD
  }

  /** A store of a generation, or a part of it, and of shares; 0 is none. */
  private record Store(Place place, int generation, int shares, boolean releases) {}

  /** Loads of a reader in order: words at even places, slots at odd ones. */
  private static final int LOADS = 5;

  private final List<Store> stores = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final boolean[] acquires = new boolean[Place.values().length];
  private int leftOut;

  @ParameterizedTest
  @EnumSource
  void readersSeeHalvesOfOneLife(Fault fault) {
    acquires[Place.SLOT.ordinal()] = fault != Fault.NO_ACQUIRE_OF_SLOT;
    acquires[Place.WORD.ordinal()] = fault != Fault.NO_ACQUIRE_OF_WORD;
    leftOut =
        switch (fault) {
          case NO_FIRST_WORD -> 0;
          case NO_SECOND_SLOT -> 3;
          case NO_LAST_WORD -> 4;
          default -> LOADS;
        };
    write(fault);
    // The first two stores are there for all to see.
    read(0, new int[LOADS], new int[] {0, 1});
    assertThat(wrong.isEmpty()).as("%s", wrong).isEqualTo(fault == Fault.NONE);
  }

  /** Each two lives in a row have the same high half. */
  private void write(Fault fault) {
    boolean slots = fault != Fault.NO_RELEASE_OF_SLOT;
    boolean words = fault != Fault.NO_RELEASE_OF_WORD;
    stores.add(new Store(Place.SLOT, 0, 0, slots));
    stores.add(new Store(Place.WORD, 0, 0, words));
    for (int life = 2; life < 2 + LIVES; life++) {
      Store word = new Store(Place.WORD, life & -2, life, words);
      Store slot = new Store(Place.SLOT, life, 0, slots);
      stores.add(fault == Fault.SLOT_BEFORE_WORD ? slot : word);
      stores.add(fault == Fault.SLOT_BEFORE_WORD ? word : slot);
      stores.add(new Store(Place.SLOT, 0, 0, slots));
      int high = fault == Fault.HIGH_HALF_IS_CLEARED ? 0 : life & -2;
      stores.add(new Store(Place.WORD, high, 0, words));
    }
  }

  /**
   * Goes on with one of the loads, in all ways.
   *
   * @param loaded the stores that the loads before returned
   * @param seen the least store of each place that this load may return
   */
  private void read(int load, int[] loaded, int[] seen) {
    if (load == LOADS) {
      check(loaded);
      return;
    }
    if (load == leftOut) {
      loaded[load] = -1;
      read(load + 1, loaded, seen);
      return;
    }
    Place place = load % 2 == 0 ? Place.WORD : Place.SLOT;
    for (int i = seen[place.ordinal()]; i < stores.size(); i++) {
      if (stores.get(i).place == place && (place == Place.WORD || stores.get(i).generation != 0)) {
        loaded[load] = i;
        read(load + 1, loaded, seen(seen, i));
      }
    }
  }

  /** The least stores that a reader may see after it loaded one. */
  private int[] seen(int[] before, int store) {
    int[] after = before.clone();
    Place place = stores.get(store).place;
    after[place.ordinal()] = store;
    if (stores.get(store).releases && acquires[place.ordinal()]) {
      for (int i = 0; i < store; i++) {
        int other = stores.get(i).place.ordinal();
        after[other] = Math.max(after[other], i);
      }
    }
    return after;
  }

  /** Checks that what a reader believes is of one life. */
  private void check(int[] loaded) {
    Store word = stores.get(loaded[2]);
    Store slot = stores.get(loaded[1]);
    for (int load = 0; load < LOADS; load++) {
      if (load == leftOut) {
        continue;
      }
      Store other = stores.get(loaded[load]);
      // The address is always the same.
      if (load % 2 == 0
          ? other.generation != word.generation
          : (other.generation & 1) != (slot.generation & 1)) {
        return;
      }
    }
    int generation = word.generation | (slot.generation & 1);
    if (generation != slot.generation || word.shares != generation) {
      wrong.add(
          "generation %d with %d shares from stores %s"
              .formatted(generation, word.shares, Arrays.toString(loaded)));
    }
  }
}
