// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.store.Ranges.insert;
import static org.ofi4j.core.store.Ranges.nodes;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntToLongFunction;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.FailingMemory;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.run.Runs;

/** What runs cost: memory, and work that goes by pieces and not by addresses. */
class EntryStoreRunsTest {
  private static final int ALL = Integer.MAX_VALUE - 1;
  private static final int BLOCK = 1 << 16;

  private final FailingMemory memory = new FailingMemory(-1);
  private final AddressKey key = new AddressKey();

  @AfterEach
  void close() {
    memory.close();
  }

  private EntryStore open(DuplicatePolicy duplicates) {
    return new EntryStore(StoreOptions.of(0, true, duplicates), memory);
  }

  @Test
  @Tag("AV-117")
  void theLargestRangeIsOnePieceAndLessThanAKilobyte() {
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      int before = memory.allocations();
      RangeOutcome outcome = insert(store, nodes(5, ALL));
      assertThat(outcome.pieces()).isEqualTo(1);
      assertThat(outcome.outcome(ALL - 1)).isEqualTo(ALL - 1);
      assertThat(store.size()).isEqualTo(ALL);
      assertThat(store.memory().live()).isLessThan(1024);
      assertThat(memory.allocations() - before).isLessThanOrEqualTo(1);
      assertThat(store.ipv4(ALL - 1)).isEqualTo((5L + ALL - 1) << 16 | 7);
      assertThat(Searches.find(store, (5L + 123_456_789) << 16 | 7)).isEqualTo(123_456_789);
      key.setIpv4(1);
      assertThat(store.insert(key)).isEqualTo(-Errno.ENOMEM.number());

      RangeOutcome again = insert(store, nodes(5, ALL));
      assertThat(again.pieces()).isEqualTo(1);
      assertThat(again.first(0)).isZero();
      assertThat(store.count(77)).isEqualTo(2);
      assertThat(store.memory().live()).isLessThan(1024);
      assertThat(store.remove(77)).isEqualTo(1);
      assertThat(store.remove(77)).isZero();
      assertThat(store.count(77)).isZero();
      assertThat(store.count(78)).isEqualTo(2);
      assertThat(store.insert(key)).isEqualTo(77);
    }
  }

  @Test
  @Tag("AV-117")
  void aRangeOverAHoleAndAnEntryIsAFewPieces() {
    try (EntryStore store = open(DuplicatePolicy.REJECT)) {
      key.setIpv4(1000L << 16 | 7);
      store.insert(key);
      insert(store, nodes(5000, 100));
      RangeOutcome outcome = insert(store, nodes(0, 1 << 30));
      assertThat(outcome.pieces()).isEqualTo(5);
      assertThat(outcome.outcome(1000)).isEqualTo(-Errno.EALREADY.number());
      assertThat(outcome.outcome(5099)).isEqualTo(-Errno.EALREADY.number());
      assertThat(outcome.outcome(5100)).isEqualTo(5100);
      assertThat(outcome.inserted()).isEqualTo((1 << 30) - 101);
      assertThat(store.memory().live()).isLessThan(2048);
    }
  }

  @Test
  @Tag("AV-127")
  void addressesInAnyRegularOrderTakeLessThanAByte() {
    int count = 200_000;
    List<IntToLongFunction> orders = new ArrayList<>();
    orders.add(i -> (0x0A00_0000L + i) << 16 | 5000);
    orders.add(i -> (0x0A00_0000L + count - i) << 16 | 5000);
    orders.add(i -> (0x0A00_0000L + 2L * i) << 16 | 5000);
    orders.add(i -> (0x0A00_0000L + i / 8) << 16 | (5000 + i % 8));
    orders.add(i -> (0x0A00_0000L + i % 25_000) << 16 | (5000 + i / 25_000));
    for (int order = 0; order < orders.size(); order++) {
      try (EntryStore many =
          new EntryStore(StoreOptions.of(0, true, DuplicatePolicy.SHARE), MemorySource.system())) {
        long[] words = new long[1000];
        int[] outcomes = new int[1000];
        for (int i = 0; i < count; i += words.length) {
          for (int k = 0; k < words.length; k++) {
            words[k] = orders.get(order).applyAsLong(i + k);
          }
          assertThat(many.insertIpv4(words, words.length, outcomes)).isEqualTo(words.length);
          assertThat(outcomes[0]).isEqualTo(i);
          assertThat(outcomes[999]).isEqualTo(i + 999);
        }
        assertThat(many.memory().live()).as("order %s", order).isLessThan(count / 10);
        assertThat(many.memory().held()).as("order %s", order).isLessThan(count);
        for (int i = 0; i < count; i += 77) {
          assertThat(Searches.find(many, orders.get(order).applyAsLong(i))).isEqualTo(i);
        }
      }
    }
  }

  /** An entry of a run that dies gets a slot, and a bit that says that its index is free. */
  @Test
  @Tag("AV-127")
  void holesTakeAsMuchAsSlotsAndRunsWithoutEntriesNothing() {
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      insert(store, nodes(0, 10 * BLOCK));
      long before = store.memory().live();
      long held = store.memory().held();
      for (int i = 0; i < 10; i++) {
        store.remove(3 * BLOCK + 100 * i);
      }
      // Slots of dead entries are not counted, as others will have them; bits are.
      assertThat(store.memory().live() - before).isLessThan(3000);
      assertThat(store.memory().held() - held).isLessThan(20_000);
      SplittableRandom random = new SplittableRandom(5);
      for (int i = 0; i < BLOCK / 2; i++) {
        store.remove(3 * BLOCK + random.nextInt(BLOCK));
      }
      assertThat(store.memory().live() - before).isLessThan(BLOCK / 8 + 3000);
      assertThat(store.memory().held() - held).isLessThan(BLOCK * 9);
      long size = store.size();
      long dense = store.memory().live();
      for (int i = 0; i < 200; i++) {
        key.setIpv4((0x0B00_0000L + i * i) << 16 | 8);
        assertThat(store.insert(key)).isBetween(3 * BLOCK, 4 * BLOCK);
      }
      assertThat(store.memory().live() - dense).isLessThanOrEqualTo(200 * 64);
      assertThat(store.size()).isEqualTo(size + 200);
      store.remove(5);
      for (int i = 3 * BLOCK; i < 4 * BLOCK; i++) {
        store.remove(i);
      }
      assertThat(store.size()).isEqualTo(9 * BLOCK - 1);
      assertThat(store.ipv4(3 * BLOCK)).isEqualTo(-1);
      assertThat(store.ipv4(4 * BLOCK)).isEqualTo((4L * BLOCK) << 16 | 7);
      // Its indices are the next ones, and a run again.
      key.setIpv4(1L << 40);
      assertThat(store.insert(key)).isEqualTo(5);
      RangeOutcome outcome = insert(store, nodes(1L << 30, BLOCK));
      assertThat(outcome.pieces()).isEqualTo(1);
      assertThat(outcome.first(0)).isEqualTo(3 * BLOCK);
      assertThat(store.generation(3 * BLOCK)).isNotZero();
      assertThat(store.memory().live() - before).isLessThan(BLOCK / 8 + 3000);
      assertThat(store.memory().held() - held).isLessThan(BLOCK * 9);
      for (int i = 0; i < 10 * BLOCK; i++) {
        store.remove(i);
      }
      assertThat(store.size()).isZero();
      assertThat(store.memory().live()).isZero();
    }
  }

  /** Many runs, each with a hole: one at a time goes when its last entry dies. */
  @Test
  @Tag("AV-127")
  void aRunWithoutEntriesGoes() {
    try (EntryStore store =
        new EntryStore(StoreOptions.of(0, false, DuplicatePolicy.SHARE), memory)) {
      for (int i = 0; i < 100; i++) {
        insert(store, nodes(1000L * i, 20));
      }
      for (int i = 0; i < 100; i++) {
        assertThat(store.parts().runs().present().count()).isEqualTo(100 - i);
        for (int entry = 19; entry >= 0; entry--) {
          assertThat(store.remove(20 * i + entry)).isZero();
        }
      }
      assertThat(store.parts().runs().isEmpty()).isTrue();
      assertThat(store.parts().runs().usedBytes()).isZero();
    }
  }

  /** Ranges that are inserted when there are as many runs as there may be have slots. */
  @Test
  @Tag("AV-127")
  void thereAreAtMostSoManyRuns() {
    try (EntryStore store =
        new EntryStore(StoreOptions.of(0, true, DuplicatePolicy.SHARE), memory)) {
      int ranges = Runs.MOST + 10;
      for (int i = 0; i < ranges; i++) {
        RangeOutcome outcome = insert(store, nodes(100L * i, 20));
        assertThat(outcome.pieces()).isEqualTo(1);
        assertThat(outcome.first(0)).isEqualTo(20 * i);
      }
      assertThat(store.parts().runs().present().count()).isBetween(Runs.MOST - 1, Runs.MOST);
      assertThat(store.size()).isEqualTo(20L * ranges);
      for (int i = 0; i < ranges; i++) {
        assertThat(Searches.find(store, (100L * i + 7) << 16 | 7)).isEqualTo(20 * i + 7);
        assertThat(store.ipv4(20 * i + 19)).isEqualTo((100L * i + 19) << 16 | 7);
      }
      // Parts of runs get shares, too.
      assertThat(insert(store, nodes(5, 10)).pieces()).isEqualTo(1);
      assertThat(store.count(5)).isEqualTo(2);
      assertThat(store.count(4)).isOne();
    }
  }

  @Test
  @Tag("AV-065")
  void everyAllocationOfARangeMayFail() {
    for (int failing = 0; failing < 40; failing++) {
      FailingMemory scarce = new FailingMemory(failing + 1);
      try (EntryStore store =
          new EntryStore(StoreOptions.of(0, true, DuplicatePolicy.SHARE), scarce)) {
        long expected = 0;
        for (int i = 0; i < 300; i++) {
          // Every second node, so that each is a run of its own.
          RangeOutcome outcome = insert(store, nodes(i * 100L, 20 + i % 2));
          int inserted = outcome.inserted();
          expected += inserted;
          assertThat(store.size()).isEqualTo(expected);
          if (inserted < outcome.count()) {
            assertThat(outcome.outcome(inserted)).isEqualTo(-Errno.ENOMEM.number());
          }
          key.setIpv4(i * 100L << 16 | 7);
          assertThat(store.find(key)).isEqualTo(inserted == 0 ? -1 : outcome.first(0));
        }
        assertThat(store.size()).isGreaterThan(300 * 20 - 50);
      }
    }
  }
}
