// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.testing.Quick.same;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.av.VectorFixture;
import org.ofi4j.core.mapped.Change;
import org.ofi4j.core.mapped.NamedStore;
import org.ofi4j.core.mapped.NamedStores;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;

/** Indices that are used again more often than a slot can count. */
@Tag("AV-176")
class GenerationsTest {
  private static final int PEERS = 64;

  /** Bytes of a page of side words, and of the nodes that lead to it. */
  private static final long SIDE_PAGE = 512 + 5 * 128;

  /** What a slot could count once, and can now. */
  private static final int[] COUNTS = {4096, 8192, 16_384, 65_536, 1 << 18};

  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  @TempDir private Path directory;

  /** One at a time and many at once, at one index and at those beside it. */
  @Test
  void memoryAfterManyGenerationsIsThatAfterFew() {
    try (EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      int[] indices = new int[PEERS];
      long[] addresses = new long[PEERS];
      int[] outcomes = new int[PEERS];
      for (int i = 0; i < PEERS; i++) {
        addresses[i] = scattered(i);
        indices[i] = i;
      }
      long live = 0;
      long held = 0;
      for (int generations = 1; generations <= 10_000; generations++) {
        store.insertIpv4(addresses, PEERS, outcomes);
        if (generations == 1000) {
          live = store.memory().live();
          held = store.memory().held();
        }
        if (generations % 1000 == 0) {
          assertThat(outcomes).isEqualTo(indices);
          assertThat(store.memory().live())
              .as("after %s generations", generations)
              .isLessThanOrEqualTo(live + SIDE_PAGE);
          assertThat(store.memory().side())
              .as("after %s generations", generations)
              .isEqualTo(generations < 8192 ? 0 : SIDE_PAGE);
        }
        if (generations % 2 == 0) {
          store.remove(indices, PEERS, outcomes);
        } else {
          for (int i = PEERS - 1; i >= 0; i--) {
            outcomes[i] = store.remove(i);
          }
        }
      }
      // Slabs of 512 bytes.
      assertThat(store.memory().held()).isLessThanOrEqualTo(held + SIDE_PAGE + 1024);
    }
  }

  /** Those that stay do not pay for those that come and go. */
  @Test
  void peersThatStayNeedNoMoreBesidePeersThatDoNot() {
    try (EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      AddressKey key = new AddressKey();
      for (int i = 0; i < PEERS; i++) {
        key.setIpv4(scattered(i));
        same(store.insert(key), i, "insert");
      }
      long most = 0;
      long later = 0;
      for (int generations = 0; generations < 100_000; generations++) {
        same(store.remove(17), 0, "remove");
        key.setIpv4(scattered(17 + generations % 3 * PEERS));
        same(store.insert(key), 17, "insert");
        if (generations < 1000) {
          // Cells of removed addresses go in a bunch, from time to time.
          most = Math.max(most, store.memory().held());
        }
        later = Math.max(later, store.memory().held());
      }
      assertThat(later).isLessThanOrEqualTo(most + SIDE_PAGE + 1024);
      assertThat(store.memory().side()).isEqualTo(SIDE_PAGE);
      assertThat(store.generation(18)).isZero();
      assertThat(store.generation(17)).isEqualTo(100_000);
    }
  }

  /** An entry keeps its generation, however many come and go beside it. */
  @Test
  void generationOfAnOldEntryStays() {
    try (EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      exchange(store, 0, 10_000);
      store.insert(key(0));
      long generation = store.generation(0);
      assertThat(generation).isEqualTo(10_000);
      exchange(store, 1, 100_000);
      assertThat(store.generation(0)).isEqualTo(generation);
      assertThat(store.setUserId(0, 7)).isZero();
      assertThat(store.insert(key(0))).isZero();
      exchange(store, 1, 100_000);
      assertThat(store.generation(0)).isEqualTo(generation);
      assertThat(store.userId(0, -1)).isEqualTo(7);
      assertThat(store.count(0)).isEqualTo(2);
      assertThat(store.remove(0)).isEqualTo(1);
      assertThat(store.remove(0)).isZero();
      assertThat(store.insert(key(0))).isZero();
      assertThat(store.generation(0)).isEqualTo(generation + 1);
      assertThat(store.count(0)).isEqualTo(1);
      assertThat(store.generation(1)).isEqualTo(200_000);
      assertThat(store.memory().side()).isEqualTo(SIDE_PAGE);
    }
  }

  /** An index begins each generation without the id that this process gave to an earlier one. */
  @Test
  void userIdOfAnEarlierGenerationIsNoneAfterAnyNumberOfThem() {
    StoreOptions options = Change.INSERT_IPV4.options();
    try (NamedVector vector = NamedStores.vector(directory, options, false);
        NamedStore store = NamedStore.of(vector, options)) {
      store.begin();
      assertThat(store.insert(key(0))).isZero();
      assertThat(store.setUserId(0, 77)).isZero();
      int generations = 0;
      for (int count : COUNTS) {
        for (; generations < count; generations++) {
          same(store.remove(0), 0, "remove");
          same(store.insert(key(0)), 0, "insert");
        }
        same(store.userId(0, -1), -1, "after %s generations", count);
      }
      assertThat(store.setUserId(0, 78)).isZero();
      assertThat(store.userId(0, -1)).isEqualTo(78);
      store.end();
    }
  }

  /** So a receive that is directed at an entry never takes what its index has later. */
  @Test
  void generationThatAReceiveRemembersNeverComesAgain() {
    try (CoreAddressVector vector = VectorFixture.table()) {
      Set<Long> seen = new HashSet<>();
      long handle = vector.insert(VectorFixture.a(1));
      long remembered = vector.peers().generation(handle);
      int generations = 0;
      for (int count : COUNTS) {
        for (; generations < count; generations++) {
          same(seen.add(vector.peers().generation(handle)), true, "new generation");
          vector.remove(handle);
          same(vector.insert(VectorFixture.a(1)), handle, "insert");
        }
        assertThat(vector.peers().generation(handle)).isNotEqualTo(remembered);
      }
    }
  }

  /** A copy, as a repair or saving makes one, has the same generations. */
  @ParameterizedTest
  @EnumSource(names = {"SHARE", "NEW_INDEX"})
  void noTwoGenerationsOfAnIndexAreTheSame(DuplicatePolicy duplicates) {
    System.out.println("-Dofi4j.seed=" + SEED);
    SplittableRandom random = new SplittableRandom(SEED);
    boolean several = duplicates == DuplicatePolicy.NEW_INDEX;
    StoreOptions options = new StoreOptions(0, true, duplicates, 1 << 20, 5, false);
    EntryStore store = new EntryStore(options, new ArenaMemory(Long.MAX_VALUE));
    Map<Integer, Long> generations = new HashMap<>();
    Map<Integer, Long> last = new HashMap<>();
    int rounds = 200_000;
    for (int i = 0; i < rounds; i++) {
      // Some indices are used a thousand times as often as others, and that changes.
      int most = random.nextInt(100) == 0 ? 40 : 4;
      int index = (i / 50_000 * 5 + random.nextInt(most)) % 40;
      if (generations.containsKey(index)) {
        same(store.generation(index), generations.remove(index), "generation");
        same(store.remove(index), 0, "remove");
      } else if (random.nextInt(8) == 0) {
        index = store.reserve();
        long generation = store.generation(index);
        same(store.publish(index, key(several ? i % 20 : i)), index, "publish");
        same(store.generation(index), generation, "generation");
        begun(store, index, generations, last);
      } else {
        index = store.insert(key(several ? i % 20 : i));
        begun(store, index, generations, last);
      }
      if (i % 200 == 0 && generations.containsKey(index)) {
        same(store.setUserId(index, i), 0, "setUserId");
      }
      if (i % (rounds / 8) == 0) {
        store = copy(store, options);
      }
      if (i % 5000 == 0) {
        EntryStore now = store;
        generations.forEach(
            (of, generation) -> assertThat(now.generation(of)).isEqualTo(generation));
      }
    }
    store.close();
  }

  private static EntryStore copy(EntryStore store, StoreOptions options) {
    EntryStore copy = new EntryStore(options, new ArenaMemory(Long.MAX_VALUE));
    store.copyInto(copy, options);
    long side = copy.memory().side();
    assertThat(side).isLessThanOrEqualTo(store.memory().side());
    store.close();
    return copy;
  }

  private static void begun(
      EntryStore store, int index, Map<Integer, Long> generations, Map<Integer, Long> last) {
    long generation = store.generation(index);
    same(generations.put(index, generation) == null, true, "new entry");
    Long before = last.put(index, generation);
    same(before == null || generation > before, true, "greater generation");
  }

  /** Removes and inserts an entry at an unused index so many times; it is unused after that. */
  private static void exchange(EntryStore store, int index, int times) {
    AddressKey key = key(index);
    for (int i = 0; i < times; i++) {
      same(store.insert(key), index, "insert");
      same(store.remove(index), 0, "remove");
    }
  }

  private static AddressKey key(int i) {
    AddressKey key = new AddressKey();
    key.setIpv4(scattered(i));
    return key;
  }

  /** Addresses of which no two follow each other. */
  private static long scattered(int i) {
    return (0x0A00_0000L + i * 7L) << 16 | (1024 + i % 1000);
  }
}
