// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.testing.Quick.same;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.FailingMemory;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.run.RunSnapshot;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.testing.Rounds;

/** What single operations of a store do to memory, generations and order. */
class EntryStoreTest {
  private static final int NO_MEMORY = StoreModel.NO_MEMORY;

  private final AddressKey key = new AddressKey();

  private static EntryStore open(DuplicatePolicy duplicates) {
    return EntryStore.open(0, true, duplicates);
  }

  @Test
  @Tag("AV-035")
  void hintOfAnySizeTakesLittle() {
    for (int k = 0; k <= 31; k++) {
      try (EntryStore store = EntryStore.open(1L << k, true, DuplicatePolicy.SHARE)) {
        assertThat(store.memory().held()).as("2^%s at opening", k).isEqualTo(4096);
        assertThat(store.insert(ipv4(1))).isZero();
        assertThat(store.memory().held()).as("2^%s with an entry", k).isLessThan(700 << 10);
      }
    }
    try (EntryStore store = EntryStore.open(Long.MAX_VALUE, true, DuplicatePolicy.SHARE)) {
      assertThat(store.insert(ipv4(1))).isZero();
    }
  }

  @Test
  @Tag("AV-035")
  void moreThanTheHintGoIn() {
    try (EntryStore store = EntryStore.open(10, true, DuplicatePolicy.SHARE)) {
      for (int i = 0; i < 10_000; i++) {
        same(store.insert(ipv4(i)), i, "insert");
      }
      for (int i = 0; i < 10_000; i++) {
        same(store.find(ipv4(i)), i, "find");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void peerThatRestartsAllTheTimeTakesNoMemory(DuplicatePolicy duplicates) {
    for (boolean reuse : new boolean[] {true, false}) {
      try (EntryStore store = EntryStore.open(0, reuse, duplicates)) {
        for (int i = 0; i < 2_000; i++) {
          store.insert(ipv4(i));
        }
        int other = store.insert(ipv4(3_000));
        int index = store.insert(ipv4(4_000));
        long live = store.memory().live();
        for (int i = 0; i < 20_000; i++) {
          same(store.remove(index), 0, "remove");
          if (reuse) {
            // Another one takes the index, and gives up that of its own.
            same(store.insert(ipv4(5_000 + i)), index, "insert");
            same(store.remove(other), 0, "remove");
            other = index;
          }
          index = store.insert(ipv4(4_000));
          same(store.find(ipv4(4_000)), index, "find");
        }
        // A larger table, and the slots of indices that are not used again.
        long slots = reuse ? 0 : 8 * 24_000;
        assertThat(store.memory().live()).isLessThan(2 * live + slots);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void entryThatGoesFromAddressToAddressTakesNoMemory(DuplicatePolicy duplicates) {
    try (EntryStore store = open(duplicates)) {
      for (int i = 0; i < 2_000; i++) {
        store.insert(ipv4(i));
      }
      long live = store.memory().live();
      for (int i = 0; i < 20_000; i++) {
        same(store.replace(7, ipv4(3_000 + i % 2)), 0, "replace");
        same(store.find(ipv4(3_000 + i % 2)), 7, "find");
      }
      assertThat(store.memory().live()).isLessThan(live + 2048);
    }
  }

  @Test
  @DisplayName("What comes in batches of any length can go one by one")
  void batchesOfAnyLength() {
    for (int batch : new int[] {100, 128, 700, 1000}) {
      try (EntryStore store = open(DuplicatePolicy.SHARE)) {
        int count = 0;
        while (count < 70_000) {
          int first = count;
          int length = count == 0 ? 65_536 : batch;
          long[] addresses =
              IntStream.range(first, first + length)
                  .mapToLong(i -> (i * 0x9E37_79B9_7F4A_7C15L >>> 16) | 1)
                  .toArray();
          store.insertIpv4(addresses, length, new int[length]);
          count += length;
          // One of the last ones, so that no later batch prepares for it.
          int gone = count - length / 2;
          assertThat(store.remove(gone)).isZero();
          assertThat(store.insertIpv4(new long[] {(long) gone << 16 | 7}, 1, new int[1]))
              .isEqualTo(1);
        }
      }
    }
  }

  @Test
  void fewEntriesTakeFewBytes() {
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      assertThat(store.memory().live()).isZero();
      store.insert(ipv4(1));
      assertThat(store.memory().held()).isLessThanOrEqualTo(6 << 10);
      assertThat(store.memory().live()).isLessThanOrEqualTo(704);
    }
  }

  /** Else one could miss an address that goes from entry to entry while another one has it. */
  @Test
  @Tag("AV-178")
  void searchesThatAReplacementOvertakesBeginAgain() {
    StoreOptions options = StoreOptions.of(0, true, DuplicatePolicy.NEW_INDEX);
    try (EntryStore store = new EntryStore(options, MemorySource.system())) {
      store.insert(ipv4(1));
      for (int i = 2; i < 5; i++) {
        RunSnapshot runs = store.parts().runs().present();
        assertThat(store.replace(0, ipv4(i))).isZero();
        assertThat(store.parts().runs().isPresent(runs)).isFalse();
      }
    }
  }

  @Test
  @Tag("AV-127")
  void manyEntriesComeAndGoWithinTheBytesOfTheFirstTime() {
    int count = 150_000;
    SplittableRandom random = new SplittableRandom(7);
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      long held = 0;
      for (int round = 0; round < 3; round++) {
        for (int i = 0; i < count; i++) {
          same(store.insert(scattered(i)), i, "insert");
        }
        assertThat(store.memory().livePerPeer(count)).isBetween(12.5, 17.0);
        assertThat(store.memory().heldPerPeer(count)).isLessThan(32);
        held = round == 0 ? store.memory().held() : held;
        for (int i = 0; i < count; i++) {
          same(store.find(scattered(i)), i, "find");
        }
        int odd = random.nextInt(count / 2) * 2 + 1;
        for (int i = 0, at = 0; i < count; i++, at = (at + odd) % count) {
          // An odd step visits some twice; those left over go after.
          store.remove(at);
        }
        for (int i = 0; i < count; i++) {
          store.remove(i);
        }
        same(store.size(), 0, "size");
        same(store.memory().live(), 0, "live");
        same(store.find(scattered(1)), -1, "find");
      }
      assertThat(store.memory().held()).isLessThanOrEqualTo(held + (held >> 2));
      assertThat(store.highWaterMark()).isEqualTo(count);
    }
  }

  /** {@code -Dofi4j.churn=10000000} is the full run. */
  @Test
  void churnTakesNoMemory() {
    int cycles = Rounds.of("ofi4j.churn", 150_000, 300_000);
    for (int present : new int[] {1, 10, 1000}) {
      try (EntryStore store = open(DuplicatePolicy.SHARE)) {
        for (int i = 0; i < present; i++) {
          store.insert(ipv4(i));
        }
        long held = 0;
        for (int i = 0; i < cycles; i++) {
          int oldest = store.find(ipv4(i));
          same(store.remove(oldest), 0, "remove");
          same(store.insert(ipv4(i + present)), oldest, "insert");
          if (i == cycles / 10) {
            held = store.memory().held();
          }
        }
        // An index that has had more generations than a slot counts has a side word.
        assertThat(store.memory().held())
            .as("%s present", present)
            .isLessThanOrEqualTo(held + present * 100L + 8192);
        assertThat(store.memory().live()).isLessThan(present * 100L + 8192);
        same(store.size(), present, "size");
      }
    }
  }

  @Test
  void textAndWideAddressesChurnWithoutMemory() {
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      long held = 0;
      for (int i = 0; i < 50_000; i++) {
        key.setIpv6(1, i, 5, 0, 0);
        same(store.insert(key), i % 50, "insert");
        held = i == 5_000 ? store.memory().held() : held;
        if (i % 50 == 49) {
          for (int j = 0; j < 50; j++) {
            same(store.remove(j), 0, "remove");
          }
          same(store.memory().live(), 0, "live");
        }
      }
      // By chance more of the 50 are in one partition than ever before.
      assertThat(store.memory().held()).isLessThanOrEqualTo(held + 2048);
    }
  }

  @Test
  void generationsGoBeyondWhatASlotHolds() {
    int generations = (1 << SlotWord.LOW_GENERATION_BITS) * 3 + 5;
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      for (int i = 0; i < generations; i++) {
        same(store.generation(0), i, "generation");
        same(store.insert(ipv4(i)), 0, "insert");
        same(store.generation(0), i, "generation");
        same(store.remove(0), 0, "remove");
      }
      assertThat(store.generation(0)).isEqualTo(generations);
      assertThat(store.memory().side()).isZero();
      assertThat(store.reserve()).isZero();
      assertThat(store.generation(0)).isEqualTo(generations);
      assertThat(store.publish(0, ipv4(3))).isZero();
      assertThat(store.generation(0)).isEqualTo(generations);
    }
  }

  @Test
  void nextEntryOfAnIndexInheritsNothing() {
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      assertThat(store.insert(ipv4(1))).isZero();
      assertThat(store.insert(ipv4(1))).isZero();
      assertThat(store.setUserId(0, 5)).isZero();
      assertThat(store.markFirewall(0)).isZero();
      assertThat(store.memory().side()).isPositive();
      assertThat(store.remove(0)).isEqualTo(1);
      assertThat(store.userId(0, -1)).isEqualTo(5);
      assertThat(store.remove(0)).isZero();
      assertThat(store.userId(0, -1)).isEqualTo(-1);
      assertThat(store.insert(ipv4(1))).isZero();
      assertThat(store.userId(0, -1)).isEqualTo(-1);
      assertThat(store.isFirewalled(0)).isFalse();
      assertThat(store.count(0)).isEqualTo(1);
    }
  }

  @Test
  void cancelledReservationForgetsWhatWasAttached() {
    try (EntryStore store = open(DuplicatePolicy.SHARE)) {
      assertThat(store.reserve()).isZero();
      assertThat(store.setUserId(0, 5)).isZero();
      assertThat(store.userId(0, -1)).as("not shown").isEqualTo(-1);
      store.cancel(0);
      store.cancel(0);
      assertThat(store.memory().live()).isZero();
      assertThat(store.insert(ipv4(1))).isZero();
      assertThat(store.userId(0, -1)).isEqualTo(-1);
    }
  }

  @Test
  @Tag("AV-086")
  void reservedIndexShowsUserIdAndAddressTogether() {
    try (EntryStore store = open(DuplicatePolicy.NEW_INDEX)) {
      assertThat(store.reserve()).isZero();
      assertThat(store.reserve()).isEqualTo(1);
      assertThat(store.insert(ipv4(9))).isEqualTo(2);
      assertThat(store.setUserId(1, 5)).isZero();
      assertThat(store.publish(1, ipv4(8))).isEqualTo(1);
      assertThat(store.userId(1, -1)).isEqualTo(5);
      assertThat(store.isLive(0)).isFalse();
      assertThat(store.publish(1, ipv4(7))).isEqualTo(StoreModel.INVALID);
      assertThat(store.size()).isEqualTo(2);
    }
  }

  @Test
  @Tag("AV-178")
  void sameAddressAHundredThousandTimes() {
    int count = 100_000;
    SplittableRandom random = new SplittableRandom(3);
    try (EntryStore store = open(DuplicatePolicy.NEW_INDEX)) {
      for (int i = 0; i < count; i++) {
        assertThat(store.insert(ipv4(1))).isEqualTo(i);
      }
      assertThat(store.find(ipv4(1))).isZero();
      int[] order = random.ints(0, count).distinct().limit(count / 2).toArray();
      BitSet present = new BitSet();
      present.set(0, count);
      for (int index : order) {
        assertThat(store.remove(index)).isZero();
        present.clear(index);
        assertThat(store.find(ipv4(1))).isEqualTo(present.nextSetBit(0));
      }
      for (int i = present.nextSetBit(0); i >= 0; i = present.nextSetBit(i)) {
        assertThat(store.find(ipv4(1))).isEqualTo(i);
        assertThat(store.remove(i)).isZero();
        present.clear(i);
      }
      assertThat(store.find(ipv4(1))).isEqualTo(-1);
      assertThat(store.memory().live()).isZero();
    }
  }

  @Test
  void indicesEndAtTheCapacity() {
    StoreOptions options = new StoreOptions(0, false, DuplicatePolicy.NEW_INDEX, 3, 1, false);
    try (EntryStore store = new EntryStore(options, MemorySource.system())) {
      for (int i = 0; i < 3; i++) {
        assertThat(store.insert(ipv4(i))).isEqualTo(i);
      }
      store.remove(1);
      assertThat(store.insert(ipv4(9))).isEqualTo(NO_MEMORY);
      assertThat(store.reserve()).isEqualTo(NO_MEMORY);
      assertThat(store.size()).isEqualTo(2);
    }
  }

  @Test
  @Tag("AV-065")
  void storeWithoutMemoryForItsRootIsNotOpened() {
    StoreOptions options = StoreOptions.of(0, true, DuplicatePolicy.SHARE);
    assertThatThrownBy(() -> new EntryStore(options, new FailingMemory(0)))
        .isInstanceOf(OutOfMemoryError.class);
  }

  /** Every allocation that a sequence of insertions makes fails until an insertion has failed. */
  @Test
  @Tag("AV-065")
  void failureOfAnyAllocationChangesNothing() {
    for (DuplicatePolicy duplicates :
        new DuplicatePolicy[] {DuplicatePolicy.SHARE, DuplicatePolicy.NEW_INDEX}) {
      int allocations = 2;
      // The first one is the root: without it there is no store.
      for (int failing = 1; failing < allocations; failing++) {
        FailingMemory memory = FailingMemory.untilMended(failing);
        StoreOptions options =
            new StoreOptions(0, true, duplicates, Integer.MAX_VALUE - 1, 1, false);
        try (EntryStore store = new EntryStore(options, memory)) {
          int failures = 0;
          int fresh = 0;
          for (int i = 0; i < 4000; i++) {
            AddressKey address = i % 3 == 0 ? ipv6(i / 2) : ipv4(i / 2);
            int before = store.find(address);
            long size = store.size();
            int outcome = store.insert(address);
            if (outcome == NO_MEMORY) {
              failures++;
              memory.mend();
              same(store.find(address), before, "find");
              same(store.size(), size, "size");
              outcome = store.insert(address);
            }
            boolean repeated = before >= 0 && duplicates == DuplicatePolicy.SHARE;
            same(outcome, repeated ? before : fresh, "outcome");
            fresh += repeated ? 0 : 1;
          }
          same(failures, 1, "allocation %s", failing);
          allocations = memory.allocations();
          for (int i = 0; i < fresh; i++) {
            while (store.remove(i) > 0) {}
          }
          same(store.memory().live(), 0, "live");
        }
      }
      assertThat(allocations).isGreaterThan(20);
    }
  }

  @Test
  void closedStoreIsRefused() {
    EntryStore store = open(DuplicatePolicy.SHARE);
    store.insert(ipv4(1));
    store.close();
    store.close();
    assertThatThrownBy(() -> store.ipv4(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> store.ipv4(1 << 20)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> store.find(ipv4(1))).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> store.insert(ipv4(1))).isInstanceOf(IllegalStateException.class);
    assertThat(store.memory().held()).isZero();
    EntryStore empty = open(DuplicatePolicy.SHARE);
    empty.close();
    assertThatThrownBy(() -> empty.find(ipv4(1))).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> empty.isLive(0)).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> empty.insert(ipv4(1))).isInstanceOf(IllegalStateException.class);
  }

  private AddressKey ipv4(int i) {
    key.setIpv4((i & 0xFFFF_FFFFL) << 16 | 5000);
    return key;
  }

  private AddressKey ipv6(int i) {
    key.setIpv6(0xFE80L << 48, i, 5000, 0, 2);
    return key;
  }

  /** The address of a number, far from those of its neighbours. */
  private AddressKey scattered(int number) {
    int mixed = number * 0x9E37_79B1;
    return ipv4(mixed ^ (mixed >>> 15));
  }
}
