// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.testing.Quick.same;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.memory.ArenaMemory;

/** What lives is found by looking at little else. */
@Tag("AV-226")
class LiveIndicesTest {
  private static final int BLOCK = 1 << 16;
  private static final int LAST = Integer.MAX_VALUE - 2;

  private final EntryStore store =
      new EntryStore(
          StoreOptions.of(0, true, DuplicatePolicy.SHARE), new ArenaMemory(Long.MAX_VALUE));
  private int looks;

  @AfterEach
  void close() {
    store.close();
  }

  private int liveFrom(int first, int last, int stride) {
    return store
        .lookups()
        .liveFrom(
            first,
            last,
            stride,
            index -> {
              looks++;
              return store.isLive(index);
            });
  }

  @Test
  void nothingIsLookedAtInAnEmptyStore() {
    assertThat(liveFrom(0, LAST, 1)).isEqualTo(-1);
    assertThat(looks).isZero();
  }

  @Test
  void aRangeOfARunCostsWhatItHolds() {
    insertRange(30_000, 32_768);
    for (int i = 0; i < 10; i++) {
      assertThat(liveFrom(900_000_000 + i, 900_000_009, 1)).isEqualTo(900_000_000 + i);
    }
    assertThat(liveFrom(900_000_010, 900_000_009, 1)).isEqualTo(-1);
    assertThat(liveFrom(3, LAST, 100_000_000)).isEqualTo(3);
    assertThat(looks).isEqualTo(11);
    assertThat(liveFrom(30_000 * 32_768, LAST, 1)).isEqualTo(-1);
    assertThat(looks).isEqualTo(11);
  }

  /** Indices that have no slots, and are in no run, are passed over together. */
  @Test
  void indicesThatWereNeverUsedAreFewLooks() {
    insertRange(20, 32_768);
    int last = 20 * 32_768 - 1;
    removeAll(100, 900);
    assertThat(liveFrom(100, last, 1)).isEqualTo(900);
    assertThat(looks).isEqualTo(801);
    assertThat(liveFrom(100, last, 400)).isEqualTo(900);
    assertThat(looks).isEqualTo(804);
    removeAll(BLOCK, last + 1);
    assertThat(liveFrom(BLOCK, LAST, 1)).isEqualTo(-1);
    assertThat(looks).as("none behind the end").isEqualTo(804);
  }

  /** Runs with holes, entries in those, and scattered entries, with any stride. */
  @Test
  void findsWhatTheStoreSaysLives() {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    System.out.println("LiveIndicesTest: -Dofi4j.seed=" + seed);
    SplittableRandom random = new SplittableRandom(seed);
    insertRange(10, 20_000);
    AddressKey key = new AddressKey();
    for (int i = 0; i < 5_000; i++) {
      key.setIpv4((0x0B00_0000L + 3L * i) << 16 | 9);
      store.insert(key);
    }
    for (int round = 0; round < 12; round++) {
      int from = random.nextInt(200_000);
      removeAll(from, Math.min(205_000, from + random.nextInt(1 << random.nextInt(17))));
      for (int i = 0; i < random.nextInt(300); i++) {
        store.remove(random.nextInt(205_000));
        key.setIpv4((0x0C00_0000L + random.nextInt(1 << 20)) << 16 | 9);
        store.insert(key);
      }
      BitSet expected = new BitSet();
      for (int i = 0; i < 206_000; i++) {
        expected.set(i, store.isLive(i));
      }
      int first = random.nextInt(1_000);
      int stride = 1 + random.nextInt(1 << random.nextInt(12));
      for (int i = first; i < 206_000; i += stride) {
        int found = liveFrom(i, LAST, stride);
        for (; i != found && i < 206_000; i += stride) {
          same(expected.get(i), false, "index %s", i);
        }
        same(found, i < 206_000 ? i : -1, "found");
      }
    }
  }

  private void insertRange(int nodes, int services) {
    Ranges.insert(store, new AddressRange(false, 0, 0x0A00_0001, 0, 1024, nodes, services));
  }

  private void removeAll(int from, int to) {
    int[] indices = new int[to - from];
    Arrays.setAll(indices, i -> from + i);
    store.remove(indices, indices.length, indices);
  }
}
