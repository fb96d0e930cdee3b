// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.SlabAllocator;

/** Slots in pages, of which most are not there. */
class SlotsTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int LAST = Integer.MAX_VALUE - 1;

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final OverflowSlots overflowSlots = overflowSlots(new SlabAllocator(memory));
  private final Slots slots = new Slots(memory, overflowSlots);
  private final SlotChanges changes = new SlotChanges(slots, overflowSlots);

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void slotsAreFoundAgainWhereverTheyAre() {
    SplittableRandom random = new SplittableRandom(SEED);
    TreeMap<Integer, Long> words = new TreeMap<>();
    for (int i = 0; i < 300; i++) {
      int index = random.nextInt(1 << random.nextInt(5, 31));
      put(words, index);
    }
    for (int index : new int[] {0, 63, 64, 127, 128, 4095, 4096, LAST - 4096, LAST}) {
      put(words, index);
    }
    long all = 0;
    for (int index : words.keySet()) {
      assertThat(slots.word(index))
          .as("%s, -Dofi4j.seed=%s", index, SEED)
          .isEqualTo(words.get(index));
      all++;
    }
    List<Integer> visited = new ArrayList<>();
    slots.forEachLive((index, word) -> {
      assertThat(word).isEqualTo(words.get(index));
      visited.add(index);
    });
    assertThat(visited)
        .as("-Dofi4j.seed=%s", SEED)
        .containsExactlyElementsOf(words.keySet())
        .hasSize((int) all);
    int from = 0;
    for (int index : words.keySet()) {
      assertThat(slots.usedFrom(from, LAST))
          .as("from %s, -Dofi4j.seed=%s", from, SEED)
          .isEqualTo(index);
      assertThat(slots.usedFrom(from, index)).isEqualTo(index);
      from = index + 1;
    }
    assertThat(slots.usedFrom(LAST - 100, LAST - 50)).isEqualTo(LAST - 50);
  }

  @Test
  void indicesWithoutPageHaveNoWord() {
    changes.ensure(5000);
    for (int index : new int[] {0, 63, 4095, 4095 + (2 << 12), LAST, -1, Integer.MIN_VALUE}) {
      assertThat(slots.word(index)).isZero();
      assertThat(slots.page(index)).isNull();
    }
    assertThat(slots.capacity()).isEqualTo(4096);
    assertThat(slots.usedFrom(0, LAST)).isEqualTo(LAST);
  }

  @Test
  void pageWithoutMemoryChangesNothing() {
    changes.ensure(0);
    memory.limit(memory.held());
    assertThatThrownBy(() -> changes.ensure(64)).isInstanceOf(OutOfMemoryError.class);
    assertThat(slots.capacity()).isEqualTo(64);
    assertThat(slots.word(64)).isZero();
    memory.limit(Long.MAX_VALUE);
    changes.ensure(64);
    assertThat(slots.capacity()).isEqualTo(128);
  }

  private void put(TreeMap<Integer, Long> words, int index) {
    long word = SlotWord.ipv4(index * 31L & (1L << 48) - 1);
    changes.ensure(index);
    changes.show(index, word, 0, false);
    words.put(index, word);
  }

  static OverflowSlots overflowSlots(SlabAllocator allocator) {
    FreeIndices freeIndices = new FreeIndices(allocator, true, LAST);
    return new OverflowSlots(allocator, freeIndices, new SideRecords(allocator));
  }
}
