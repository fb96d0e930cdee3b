// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.core.memory.ArenaMemory;

/** Slots in pages, of which most are not there. */
class SlotsTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int LAST = Integer.MAX_VALUE - 1;

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final Slots slots = new Slots(memory, 0, false);

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
    slots.ensure(5000, false);
    for (int index : new int[] {0, 63, 4095, 4095 + (2 << 12), LAST, -1, Integer.MIN_VALUE}) {
      assertThat(slots.word(index)).isZero();
      assertThat(slots.page(index)).isNull();
    }
    assertThat(slots.capacity()).isEqualTo(4096);
    assertThat(slots.usedFrom(0, LAST)).isEqualTo(LAST);
  }

  @Test
  void pageWithoutMemoryChangesNothing() {
    slots.ensure(0, false);
    memory.limit(memory.held());
    assertThatThrownBy(() -> slots.ensure(64, false)).isInstanceOf(OutOfMemoryError.class);
    assertThat(slots.capacity()).isEqualTo(64);
    assertThat(slots.word(64)).isZero();
    memory.limit(Long.MAX_VALUE);
    slots.ensure(64, false);
    assertThat(slots.capacity()).isEqualTo(128);
  }

  @Test
  @Tag("AV-035")
  void withoutMemoryForAllThatIsExpectedThereAreOrdinaryPages() {
    slots.expect(1 << 20);
    memory.limit(memory.held() + 2 * 32_768);
    slots.ensure(4096, false);
    slots.ensure(8192, false);
    assertThat(slots.capacity()).isEqualTo(8192);
    assertThatThrownBy(() -> slots.ensure(12_288, false)).isInstanceOf(OutOfMemoryError.class);
    memory.limit(Long.MAX_VALUE);
    slots.ensure(12_288, false);
    assertThat(slots.capacity()).isEqualTo(12_288);
  }

  /** What was wanted and not had decides nothing for those that come after. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anyPageCanComeWhereThereWasNoMemoryForAnother(boolean small) {
    for (int index : new int[] {3000, 5000, LAST - 4096}) {
      long before = slots.capacity();
      memory.limit(memory.held());
      assertThatThrownBy(() -> slots.ensure(index, !small)).isInstanceOf(OutOfMemoryError.class);
      assertThat(slots.page(index)).isNull();
      memory.limit(Long.MAX_VALUE);
      slots.ensure(index, small);
      int full = index < 4096 ? 2048 : 4096;
      assertThat(slots.capacity() - before).isEqualTo(small ? 64 : full);
      slots.free(index, 7);
      assertThat(slots.word(index)).isEqualTo(7);
      assertThat(slots.usedFrom(index - 999, LAST)).isEqualTo(index);
    }
  }

  private void put(TreeMap<Integer, Long> words, int index) {
    long word = SlotWord.ipv4(index * 31L & (1L << 48) - 1);
    slots.ensure(index, index % 3 == 0);
    slots.show(index, word, 0, false);
    words.put(index, word);
  }
}
