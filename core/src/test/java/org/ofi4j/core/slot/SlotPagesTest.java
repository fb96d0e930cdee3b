// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.Ranges;
import org.ofi4j.core.testing.Allocation;

/** Slots at any index, the highest ones too, and what those cost that are not there. */
class SlotPagesTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int LAST_PAGE = Integer.MAX_VALUE - 4095;

  private final AddressKey key = new AddressKey();

  /** Near pages, far ones, near ones that were far, small ones, and a flat one. */
  @ParameterizedTest
  @CsvSource({
    "0, false",
    "12288, false",
    "1000000, false",
    "9223372036854775807, false",
    "0, true",
    "1000000, true"
  })
  void slotsAreThoseOfAModelWhereverPagesAre(long expected, boolean wide) {
    SplittableRandom random = new SplittableRandom(SEED);
    TreeMap<Integer, Long> model = new TreeMap<>();
    try (MemorySource memory = MemorySource.system()) {
      Slots slots = new Slots(memory, 0, wide);
      slots.expect(expected);
      for (int step = 0; step < 400; step++) {
        int index =
            switch (random.nextInt(5)) {
              case 0 -> random.nextInt(5000);
              case 1 -> random.nextInt(4 << 20);
              case 2 -> random.nextInt(Integer.MAX_VALUE);
              // No store has an index beyond the next to last.
              case 3 -> LAST_PAGE + random.nextInt(4095);
              default -> step << SlotPages.AREA_BITS;
            };
        slots.ensure(index, random.nextInt(3) == 0);
        long word = SlotWord.withGeneration(SlotWord.ipv4(random.nextLong(1L << 48)), 0);
        slots.show(index, word, 0, false);
        model.put(index, word);
        if (step % 20 == 19) {
          TreeMap<Integer, Long> seen = new TreeMap<>();
          slots.forEachLive(seen::put);
          assertThat(seen).as("-Dofi4j.seed=%s, step %s", SEED, step).isEqualTo(model);
        }
        int first = random.nextBoolean() ? index : random.nextInt(Integer.MAX_VALUE);
        int end = random.nextInt(first, Integer.MAX_VALUE);
        for (int last : new int[] {end, Integer.MAX_VALUE}) {
          Integer used = model.ceilingKey(first);
          assertThat(slots.usedFrom(first, last))
              .as("-Dofi4j.seed=%s, step %s, from %s to %s", SEED, step, first, last)
              .isEqualTo(used == null ? last : Math.min(used, last));
        }
        // From page to page of the smallest, and some of 4096.
        int near = random.nextInt(5000);
        int behind = near + random.nextInt(200);
        assertThat(slots.countUsed(near, behind))
            .as("-Dofi4j.seed=%s, step %s, from %s to %s", SEED, step, near, behind)
            .isEqualTo(model.subMap(near, behind).size());
        int empty = near;
        while (empty < behind && model.containsKey(empty)) {
          empty++;
        }
        assertThat(slots.emptyFrom(near, behind)).isEqualTo(empty);
      }
      for (Map.Entry<Integer, Long> slot : model.entrySet()) {
        int index = slot.getKey();
        SlotPages pages = slots.pages();
        MemorySegment near = wide ? pages.nearPage(index) : null;
        long word = slots.word(index);
        assertThat(
                wide
                    ? List.of(
                        word, near == null ? word : near.get(JAVA_LONG, pages.nearOffset(index)))
                    : List.of(word, pages.nearWord(index), pages.nearWordAcquire(index)))
            .as("-Dofi4j.seed=%s, %s", SEED, index)
            .containsOnly(slot.getValue());
      }
      assertThat(slots.pages().nearWord(-1)).isZero();
      assertThat(slots.pages().nearWord(1L << 32 | 5000)).isZero();
      assertThat(slots.word(-1)).isZero();
      assertThat(slots.word(Integer.MIN_VALUE)).isZero();
    }
  }

  @Test
  void slotsThatAreUsedAreFoundUpToTheLast() {
    try (MemorySource memory = MemorySource.system()) {
      Slots slots = new Slots(memory, 0, false);
      assertThat(slots.usedFrom(0, Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE);
      slots.ensure(LAST_PAGE, false);
      slots.free(Integer.MAX_VALUE - 1, 1);
      assertThat(slots.usedFrom(0, Integer.MAX_VALUE)).isEqualTo(Integer.MAX_VALUE - 1);
      assertThat(slots.usedFrom(7, 100_000)).isEqualTo(100_000);
      slots.ensure(200, false);
      slots.free(130, 1);
      assertThat(slots.usedFrom(7, 100_000)).isEqualTo(130);
      assertThat(slots.usedFrom(131, 100_000)).isEqualTo(100_000);
    }
  }

  /** Tags say which pages there can be, and no two of them have an index in common. */
  @Test
  void pagesAreThoseThatTagsSay() {
    int small = 1 << 25;
    assertThat(List.of(0, 1, 2, 4, 32, 64, 128, LAST_PAGE / 64)).allMatch(SlotPages::isPage);
    assertThat(
            List.of(
                small | 2,
                small | 3,
                small | 63,
                small | 64,
                small | 65,
                small | LAST_PAGE / 64 + 63,
                small << 2,
                small << 2 | 64,
                small << 2 | small | 2))
        .allMatch(SlotPages::isPage);
    assertThat(List.of(3, 33, 65, 127, LAST_PAGE / 64 + 1, -1, Integer.MIN_VALUE))
        .noneMatch(SlotPages::isPage);
    assertThat(
            List.of(
                small,
                small | 1,
                small << 1,
                small << 1 | small | 2,
                small | 1 << 30,
                small << 2 | 3))
        .noneMatch(SlotPages::isPage);
    assertThat(List.of(small << 1 | 1, small << 1 | 257, small << 2 | small << 1 | 2))
        .noneMatch(SlotPages::isPage);
    assertThat(List.of(small << 1 | 2, small << 1 | 256)).allMatch(SlotPages::isPage);
    try (MemorySource memory = MemorySource.system()) {
      Slots slots = new Slots(memory, 0, false);
      for (int area : new int[] {0, 1 << 20, LAST_PAGE}) {
        // Of 2048 slots in the first area.
        slots.ensure(area + 3000, true);
        long before = slots.capacity();
        slots.ensure(area + 2100, false);
        assertThat(slots.capacity() - before).as("beside a small one").isEqualTo(64);
        slots.ensure(area + 2111, false);
        assertThat(slots.capacity() - before).as("in a page").isEqualTo(64);
        assertThat(slots.page(area + 2047)).isNull();
      }
      slots.ensure(1 << 22, false);
      long before = slots.capacity();
      slots.ensure((1 << 22) + 4095, true);
      assertThat(slots.capacity()).as("in a full one").isEqualTo(before);
    }
  }

  /** The flat page begins where the pages of the first area end, unless there are other pages. */
  @Test
  @Tag("AV-035")
  void flatPageHasWhatIsExpected() {
    try (MemorySource memory = MemorySource.system()) {
      Slots slots = new Slots(memory, 0, false);
      slots.expect(10_000);
      slots.ensure(4095, false);
      assertThat(slots.capacity()).isEqualTo(2048);
      slots.ensure(5000, false);
      assertThat(slots.capacity()).isEqualTo(2048 + 8192);
      slots.ensure(4096 + 8191, false);
      assertThat(slots.capacity()).isEqualTo(2048 + 8192);
      slots.ensure(4096 + 8192, false);
      assertThat(slots.capacity()).isEqualTo(2048 + 8192 + 4096);
    }
    try (MemorySource memory = MemorySource.system()) {
      Slots slots = new Slots(memory, 20_000, false);
      // The guess of a call ends with the next one, that of the vector stays.
      slots.expect(1 << 20);
      slots.expect(0);
      slots.ensure(4096, false);
      assertThat(slots.capacity()).isEqualTo(16_384);
    }
    for (int first : new int[] {4096 + 64, 1 << 20}) {
      try (MemorySource memory = MemorySource.system()) {
        Slots slots = new Slots(memory, 0, false);
        slots.expect(1 << 21);
        // In the hole of a run, or beyond what a run has.
        slots.ensure(first, first < 1 << 20);
        slots.ensure(4096, false);
        assertThat(slots.capacity()).isLessThanOrEqualTo(8192);
      }
    }
  }

  /** Few addresses are looked up, for many all slots are looked through. */
  @ParameterizedTest
  @CsvSource({"SHARE, 16", "SHARE, 150", "REJECT, 16", "REJECT, 150"})
  @Tag("AV-117")
  @Tag("AV-178")
  void rangeMeetsScatteredAddressesAtTheHighestIndices(DuplicatePolicy duplicates, int nodes) {
    int before = Integer.MAX_VALUE - 201;
    try (EntryStore store = EntryStore.open(0, true, duplicates)) {
      Ranges.insert(store, Ranges.nodes(1, before));
      long first = 3L << 30;
      assertThat(insert(store, first + 5)).isEqualTo(before);
      assertThat(insert(store, first + 9)).isEqualTo(before + 1);
      RangeOutcome outcome = Ranges.insert(store, Ranges.nodes(first, nodes));
      boolean shared = duplicates == DuplicatePolicy.SHARE;
      int already = -Errno.EALREADY.number();
      assertThat(outcome.outcome(4)).isEqualTo(before + 6);
      assertThat(outcome.outcome(5)).isEqualTo(shared ? before : already);
      assertThat(outcome.outcome(6)).isEqualTo(before + 7);
      assertThat(outcome.outcome(9)).isEqualTo(shared ? before + 1 : already);
      assertThat(store.count(before)).isEqualTo(shared ? 2 : 1);
      assertThat(store.size()).isEqualTo(before + nodes);
    }
  }

  /** An entry behind a large range has a page far from all others. */
  @Test
  @Tag("AV-117")
  @Tag("AV-127")
  void pageFarOutCostsNeitherHeapNorSteps() {
    int before = Integer.MAX_VALUE - 5001;
    try (EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      Ranges.insert(store, Ranges.nodes(1, before));
      key.setIpv4((3L << 30) << Short.SIZE | 7);
      long allocated = Allocation.bytes();
      int index = store.insert(key);
      // An array of all pages up to there would be two megabytes.
      assertThat(Allocation.bytes() - allocated).isLessThan(128 << 10);
      assertThat(index).isEqualTo(before);
      // Pages that are not there are passed over together.
      long visited = slots(store).visitedAreas();
      Ranges.insert(store, Ranges.nodes(1, 1000));
      assertThat(slots(store).visitedAreas() - visited).isLessThanOrEqualTo(1);
    }
  }

  /**
   * Where a quarter of a million entries were, and a hundred are, a few addresses are looked up.
   */
  @Test
  @Tag("AV-127")
  void fewAddressesCostLittleWhereManySlotsAre() {
    int count = 1 << 18;
    try (EntryStore store = EntryStore.open(count, true, DuplicatePolicy.SHARE)) {
      for (int i = 0; i < count; i++) {
        key.setIpv4((i * 0x9E37_79B9L & 0xFFFF_FFFFL) << 16 | 9);
        store.insert(key);
      }
      for (int i = 0; i < count; i++) {
        if (i % 10_000 != 0) {
          store.remove(i);
        }
      }
      long visited = slots(store).visitedAreas();
      Ranges.insert(store, Ranges.nodes(1, 16));
      assertThat(slots(store).visitedAreas()).isEqualTo(visited);
      Ranges.insert(store, Ranges.nodes(1, 1 << 20));
      assertThat(slots(store).visitedAreas() - visited).isEqualTo(count >> SlotPages.AREA_BITS);
    }
  }

  private static Slots slots(EntryStore store) {
    return store.parts().slots();
  }

  private int insert(EntryStore store, long node) {
    key.setIpv4(node << 16 | 7);
    return store.insert(key);
  }
}
