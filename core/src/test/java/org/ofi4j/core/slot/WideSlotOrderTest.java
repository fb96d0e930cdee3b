// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A model of wide slots on processors with weak memory order: a writer that lets entries of an
 * index follow each other, and a lookup, in all ways in which its loads may see the stores.
 *
 * <p>A load may return any store to its place, however old, unless the reader has seen a later one,
 * or has acquired a release that came after a later one. Stores behind a fence are releases. Slots
 * say that there is an entry, not which: generations return.
 */
class WideSlotOrderTest {
  private static final int ENTRIES = 4;

  /** Faults planted in the model, each of which it must find. */
  enum Fault {
    NONE,
    NO_ODD_VERSION,
    NO_FENCE_BEFORE_ODD_VERSION,
    NO_FENCE_BEHIND_ODD_VERSION,
    NO_RELEASE_OF_EVEN_VERSION,
    NO_RELEASE_OF_SLOT,
    SLOT_BEFORE_VERSION,
    NO_ACQUIRE_OF_VERSION,
    NO_ACQUIRE_OF_SLOT,
    NO_ACQUIRE_OF_CONTENT,
    NO_LAST_VERSION,
    SLOT_LOADED_FIRST
  }

  /** Places of the model. */
  private enum Place {
    VERSION,
    SLOT,
    FIRST_HALF,
    SECOND_HALF
  }

  /**
   * A store.
   *
   * @param value the number of the entry; of slots 0 without one; of versions twice the number, or
   *     one less while the entry is written
   */
  private record Store(Place place, int value, boolean releases) {}

  /** The orders of loads, as the compiler may exchange the slot and the first half. */
  private static final List<List<Place>> ORDERS =
      List.of(
          List.of(Place.VERSION, Place.SLOT, Place.FIRST_HALF, Place.SECOND_HALF, Place.VERSION),
          List.of(Place.VERSION, Place.FIRST_HALF, Place.SLOT, Place.SECOND_HALF, Place.VERSION));

  private static final List<Place> SLOT_FIRST =
      List.of(Place.SLOT, Place.VERSION, Place.FIRST_HALF, Place.SECOND_HALF, Place.VERSION);

  private final List<Store> stores = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();
  private final boolean[] acquires = new boolean[Place.values().length];
  private List<Place> loads = SLOT_FIRST;

  @ParameterizedTest
  @EnumSource
  void lookupsSeeAddressesOfEntriesThatAreThere(Fault fault) {
    Arrays.fill(acquires, fault != Fault.NO_ACQUIRE_OF_CONTENT);
    acquires[Place.VERSION.ordinal()] = fault != Fault.NO_ACQUIRE_OF_VERSION;
    acquires[Place.SLOT.ordinal()] = fault != Fault.NO_ACQUIRE_OF_SLOT;
    write(fault);
    for (List<Place> order : ORDERS) {
      loads =
          switch (fault) {
            case NO_LAST_VERSION -> order.subList(0, 4);
            case SLOT_LOADED_FIRST -> SLOT_FIRST;
            default -> order;
          };
      wrong.clear();
      // The zeros of a new page are there for all to see.
      read(new ArrayList<>(), new int[] {0, 1, 2, 3});
      assertThat(wrong.isEmpty()).as("%s %s", order, wrong).isEqualTo(fault == Fault.NONE);
    }
  }

  private void write(Fault fault) {
    for (Place place : Place.values()) {
      stores.add(new Store(place, 0, true));
    }
    boolean fence = fault != Fault.NO_FENCE_BEHIND_ODD_VERSION;
    boolean slots = fault != Fault.NO_RELEASE_OF_SLOT;
    for (int entry = 1; entry <= ENTRIES; entry++) {
      Store live = new Store(Place.SLOT, entry, slots);
      if (fault != Fault.NO_ODD_VERSION) {
        stores.add(
            new Store(Place.VERSION, 2 * entry - 1, fault != Fault.NO_FENCE_BEFORE_ODD_VERSION));
      }
      if (fault == Fault.SLOT_BEFORE_VERSION) {
        stores.add(live);
      }
      stores.add(new Store(Place.FIRST_HALF, entry, fence));
      stores.add(new Store(Place.SECOND_HALF, entry, fence));
      stores.add(new Store(Place.VERSION, 2 * entry, fault != Fault.NO_RELEASE_OF_EVEN_VERSION));
      if (fault != Fault.SLOT_BEFORE_VERSION) {
        stores.add(live);
      }
      stores.add(new Store(Place.SLOT, 0, slots));
    }
  }

  /**
   * Goes on with the next load, in all ways.
   *
   * @param loaded the stores that the loads before returned
   * @param seen the least store of each place that this load may return
   */
  private void read(List<Integer> loaded, int[] seen) {
    if (loaded.size() == loads.size()) {
      check(loaded);
      return;
    }
    Place place = loads.get(loaded.size());
    for (int i = seen[place.ordinal()]; i < stores.size(); i++) {
      Store store = stores.get(i);
      if (store.place != place) {
        continue;
      }
      int[] after = seen.clone();
      after[place.ordinal()] = i;
      if (store.releases && acquires[place.ordinal()]) {
        for (int before = 0; before < i; before++) {
          int other = stores.get(before).place.ordinal();
          after[other] = Math.max(after[other], before);
        }
      }
      loaded.add(i);
      read(loaded, after);
      loaded.removeLast();
    }
  }

  /** Checks that what a lookup believes is the address of the entry whose slot it saw. */
  private void check(List<Integer> loaded) {
    int entry = 0;
    int version = -1;
    int first = 0;
    int second = 0;
    for (int i : loaded) {
      Store store = stores.get(i);
      switch (store.place) {
        case VERSION -> {
          if (version >= 0 && version != store.value) {
            return;
          }
          version = store.value;
        }
        case SLOT -> entry = store.value;
        case FIRST_HALF -> first = store.value;
        case SECOND_HALF -> second = store.value;
      }
    }
    if (entry > 0 && (first != entry || second != entry)) {
      wrong.add("entry %d has halves %d and %d in %s".formatted(entry, first, second, loaded));
    }
  }
}
