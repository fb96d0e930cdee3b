// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A model of {@link HashTable} on processors with weak memory order: a writer that moves a number
 * from table to table, and a reader that searches it, in all ways in which its loads may see the
 * stores.
 *
 * <p>The tables take turns in two places of memory, as blocks and descriptors do. A load may return
 * any store to its place, however old, unless the reader has seen a later one, or has acquired a
 * release that came after a later one. Stores behind a fence release what was stored before the
 * fence; a fence behind loads makes all of them acquire.
 */
class TableMoveOrderTest {
  private static final int MOVES = 4;

  /** Faults planted in the model, each of which it must find. */
  enum Fault {
    NONE,
    NO_RELEASE_OF_VIEW,
    NO_ACQUIRE_OF_VIEW,
    VIEW_BEFORE_CELL,
    NO_FENCE_BEHIND_VIEW,
    MEMORY_IS_USED_BEFORE_VIEW,
    NO_FENCE_BEFORE_SECOND_VIEW,
    NO_SECOND_VIEW
  }

  /** The view, and the cell of the number in either place. */
  private static final int VIEW = 0;

  private static final int CELLS = 1;
  private static final int PLACES = 3;

  /** A cell has the number of the move that has filled it, or, of something else, 0. */
  private record Store(int place, int value, boolean releases) {}

  private final List<Store> stores = new ArrayList<>();
  private final List<String> wrong = new ArrayList<>();

  @ParameterizedTest
  @EnumSource
  void numbersAreFoundWhileTheyAreMoved(Fault fault) {
    write(fault);
    read(fault);
    assertThat(wrong.isEmpty()).as("%s", wrong).isEqualTo(fault == Fault.NONE);
  }

  /**
   * With each move the number goes to the other place, and then what it has left is overwritten.
   */
  private void write(Fault fault) {
    stores.add(new Store(VIEW, 0, true));
    stores.add(new Store(CELLS, 1, true));
    stores.add(new Store(CELLS + 1, 0, true));
    for (int move = 1; move <= MOVES; move++) {
      Store view = new Store(VIEW, move, fault != Fault.NO_RELEASE_OF_VIEW);
      Store cell = new Store(CELLS + move % 2, 1, false);
      Store reused = new Store(CELLS + (move + 1) % 2, 0, fault != Fault.NO_FENCE_BEHIND_VIEW);
      switch (fault) {
        case VIEW_BEFORE_CELL -> stores.addAll(List.of(view, cell, reused));
        case MEMORY_IS_USED_BEFORE_VIEW -> stores.addAll(List.of(cell, reused, view));
        default -> stores.addAll(List.of(cell, view, reused));
      }
    }
  }

  private void read(Fault fault) {
    int[] beginning = {0, 1, 2};
    for (int first : visible(VIEW, beginning)) {
      int[] seen = seen(beginning, first, fault != Fault.NO_ACQUIRE_OF_VIEW);
      int view = stores.get(first).value;
      for (int cell : visible(CELLS + view % 2, seen)) {
        if (stores.get(cell).value != 0) {
          continue;
        }
        int[] then = seen(seen, cell, fault != Fault.NO_FENCE_BEFORE_SECOND_VIEW);
        for (int second : visible(VIEW, then)) {
          if (stores.get(second).value == view || fault == Fault.NO_SECOND_VIEW) {
            wrong.add("nothing is found by stores %d, %d, %d".formatted(first, cell, second));
          }
        }
      }
    }
  }

  /** The stores that a load of a place may return. */
  private List<Integer> visible(int place, int[] seen) {
    List<Integer> visible = new ArrayList<>();
    for (int i = seen[place]; i < stores.size(); i++) {
      if (stores.get(i).place == place) {
        visible.add(i);
      }
    }
    return visible;
  }

  /** The least store of each place that a reader may see after it loaded one. */
  private int[] seen(int[] before, int store, boolean acquires) {
    int[] after = before.clone();
    after[stores.get(store).place] = store;
    if (acquires && stores.get(store).releases) {
      for (int i = 0; i < store; i++) {
        int place = stores.get(i).place;
        after[place] = Math.max(after[place], i);
      }
    }
    assertThat(after).hasSize(PLACES);
    return after;
  }
}
