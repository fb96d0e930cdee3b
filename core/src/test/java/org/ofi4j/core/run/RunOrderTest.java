// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.store.Ranges.insert;
import static org.ofi4j.core.store.Ranges.nodes;

import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.FailingMemory;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.Searches;
import org.ofi4j.core.store.StoreOptions;

/** How many runs a search has to look at, and what becomes of addresses where there are many. */
class RunOrderTest {
  /** The fewest addresses that become a run of their own. */
  private static final int LEAST = 16;

  private final FailingMemory memory = new FailingMemory(-1);
  private final AddressKey key = new AddressKey();

  @AfterEach
  void close() {
    memory.close();
  }

  private EntryStore open(DuplicatePolicy duplicates) {
    return new EntryStore(StoreOptions.of(0, true, duplicates), memory);
  }

  /** How many runs a search for an address looks at. */
  private static int looks(EntryStore store, long word) {
    return store.parts().runs().near(RunShape.row(word, 0, 0), 1).size();
  }

  private static long word(long node) {
    return (0x0A00_0000L + node) << 16 | 7;
  }

  @ParameterizedTest
  @CsvSource({"16, 1000", "100, 300"})
  @Tag("AV-127")
  void searchesLookAtFewRunsWhereverNodesComeColumnByColumn(int rows, int columns) {
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      long[] words = new long[rows];
      int[] outcomes = new int[rows];
      for (int column = 0; column < columns; column++) {
        for (int row = 0; row < rows; row++) {
          words[row] = word(column + (long) row * columns);
        }
        assertThat(store.insertIpv4(words, rows, outcomes)).isEqualTo(rows);
        assertThat(outcomes[rows - 1]).isEqualTo(column * rows + rows - 1);
      }
      assertThat(store.parts().runs().present().count()).isBetween(1, 2 * columns);
      for (int node = 0; node < rows * columns; node++) {
        int index = node % columns * rows + node / columns;
        assertThat(Searches.find(store, word(node))).isEqualTo(index);
        assertThat(store.ipv4(index)).isEqualTo(word(node));
        assertThat(looks(store, word(node))).isLessThanOrEqualTo(RunOrder.MOST_OVER_KEY);
      }
    }
  }

  @Test
  @Tag("AV-077")
  void searchesLookAtFewRunsHoweverOftenTheSameRangeComes() {
    int times = 1000;
    try (EntryStore store = open(DuplicatePolicy.NEW_INDEX)) {
      for (int i = 0; i < times; i++) {
        RangeOutcome outcome = insert(store, nodes(0x0A00_0000L, LEAST));
        assertThat(outcome.outcome(0)).isEqualTo(i * LEAST);
        assertThat(outcome.outcome(LEAST - 1)).isEqualTo(i * LEAST + LEAST - 1);
      }
      assertThat(store.parts().runs().present().count()).isEqualTo(RunOrder.MOST_OVER_KEY);
      assertThat(looks(store, word(3))).isEqualTo(RunOrder.MOST_OVER_KEY);
      for (int i = 0; i < times; i++) {
        assertThat(Searches.find(store, word(3))).isEqualTo(i * LEAST + 3);
        assertThat(store.remove(i * LEAST + 3)).isZero();
      }
      assertThat(Searches.find(store, word(3))).isEqualTo(-1);
      assertThat(store.size()).isEqualTo(times * (LEAST - 1L));
    }
  }

  @Test
  @Tag("AV-127")
  void aRunGrowsUpToWhereTooManyOverlapAndNoFurther() {
    try (EntryStore store = open(DuplicatePolicy.NEW_INDEX)) {
      for (int i = 0; i < RunOrder.MOST_OVER_KEY; i++) {
        insert(store, nodes(0x0A00_0000L + 1000, LEAST));
      }
      int first = RunOrder.MOST_OVER_KEY * LEAST;
      for (int i = 0; i < 1000; i += 20) {
        insertNodes(store, i, i + 20, first);
      }
      insertNodes(store, 1000, 1000 + LEAST, first);
      insertNodes(store, 1000 + LEAST, 1100, first);
      for (int i = 0; i < 1100; i++) {
        boolean many = i >= 1000 && i < 1000 + LEAST;
        assertThat(looks(store, word(i)))
            .as("node %s", i)
            .isEqualTo(many ? RunOrder.MOST_OVER_KEY : 1);
        assertThat(store.ipv4(first + i)).isEqualTo(word(i));
        assertThat(Searches.find(store, word(i))).isEqualTo(many ? i - 1000 : first + i);
      }
      assertThat(store.parts().runs().present().count()).isEqualTo(RunOrder.MOST_OVER_KEY + 2);
    }
  }

  /** Inserts nodes by one call; node i has index {@code first + i}. */
  private static void insertNodes(EntryStore store, int from, int to, int first) {
    long[] words = IntStream.range(from, to).mapToLong(RunOrderTest::word).toArray();
    int[] outcomes = new int[words.length];
    assertThat(store.insertIpv4(words, words.length, outcomes)).isEqualTo(words.length);
    assertThat(outcomes[words.length - 1]).isEqualTo(first + to - 1);
  }

  @Test
  @Tag("AV-077")
  void whatIsLargeIsARunWhereverItIs() {
    int large = 4096;
    try (EntryStore store = open(DuplicatePolicy.NEW_INDEX)) {
      for (int i = 0; i < 3 * RunOrder.MOST_OVER_KEY; i++) {
        RangeOutcome outcome = insert(store, nodes(0x0A00_0000L, large));
        assertThat(outcome.pieces()).isEqualTo(1);
      }
      assertThat(store.parts().runs().present().count()).isEqualTo(3 * RunOrder.MOST_OVER_KEY);
      insert(store, nodes(0x0A00_0000L, large - 1));
      assertThat(store.parts().runs().present().count()).isEqualTo(3 * RunOrder.MOST_OVER_KEY);
      assertThat(Searches.find(store, word(large - 1))).isEqualTo(large - 1);
    }
  }

  @Test
  @Tag("AV-127")
  void manyRunsBesideEachOtherDoNotOverlap() {
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      for (int i = 0; i < 40; i++) {
        insert(store, nodes(0x0A00_0000L + 50 * i, LEAST));
      }
      assertThat(store.parts().runs().present().count()).isEqualTo(40);
      // What is between them.
      RangeOutcome outcome = insert(store, nodes(0x0A00_0000L, 50 * 40));
      assertThat(outcome.pieces()).isEqualTo(80);
      assertThat(store.parts().runs().present().count()).isEqualTo(80);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 2000})
  @Tag("AV-083")
  void aRunGetsSharesAsItIsWhateverHolesItHasAtItsEnds(int holes) {
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      insert(store, nodes(0x0A00_0000L, 5000));
      for (int i = 0; i < holes; i++) {
        assertThat(store.remove(i)).isZero();
      }
      for (int i = 0; i < holes; i++) {
        key.setIpv4(word(1_000_000 + 1000L * i * i % 7919 + 8000L * i));
        assertThat(store.insert(key)).isEqualTo(i);
      }
      assertThat(store.parts().runs().present().count()).isEqualTo(1);
      // All of the run but the holes.
      RangeOutcome outcome = insert(store, nodes(0x0A00_0000L + holes, 5000 - holes));
      assertThat(outcome.pieces()).isEqualTo(1);
      assertThat(store.parts().runs().present().count()).isEqualTo(1);
      assertThat(store.count(holes)).isEqualTo(2);
      assertThat(store.count(holes - 1)).isEqualTo(1);
    }
  }
}
