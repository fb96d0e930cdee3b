// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.ArenaMemory;

/** Searches in few instructions find nearly all IPv4 addresses, and never a wrong one. */
@Tag("AV-035")
class FastReadsTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final AddressKey key = new AddressKey();

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void nearlyAllAreFound() {
    EntryStore store = store(DuplicatePolicy.SHARE, memory);
    int count = 100_000;
    fill(store, 0, count);
    int found = 0;
    for (int i = 0; i < count; i++) {
      int index = store.fastReads().find(address(i));
      assertThat(index).isIn(i, -1);
      found += index == i ? 1 : 0;
      assertThat(store.fastReads().find(address(count + i))).isEqualTo(-1);
    }
    assertThat(found).isGreaterThan(count * 98 / 100);
  }

  @Test
  void whatWasSeenMayBeOutOfDate() {
    EntryStore store = store(DuplicatePolicy.SHARE, memory);
    SplittableRandom random = new SplittableRandom(SEED);
    int[] indices = new int[60_000];
    Arrays.fill(indices, -1);
    // Tables are seen, grow, shrink and take the place of others, in turn.
    for (int step = 0; step < 40; step++) {
      int from = random.nextInt(indices.length);
      int to = Math.min(indices.length, from + random.nextInt(20_000));
      boolean away = step % 4 == 3;
      for (int i = away ? 0 : from; i < (away ? indices.length : to); i++) {
        if (away && indices[i] >= 0 && (i < from || i >= to)) {
          assertThat(store.remove(indices[i])).isZero();
          indices[i] = -1;
        } else if (!away && indices[i] < 0) {
          indices[i] = insert(store, address(i));
        }
      }
      for (int i = 0; i < 20_000; i++) {
        int one = random.nextInt(indices.length);
        int near = store.fastReads().find(address(one));
        assertThat(near)
            .as("-Dofi4j.seed=%s step %s address %s", SEED, step, one)
            .isIn(indices[one], -1);
        assertThat(store.findIpv4(address(one)))
            .as("-Dofi4j.seed=%s step %s address %s", SEED, step, one)
            .isEqualTo(indices[one]);
      }
    }
  }

  @Test
  void entriesWithSideRecordsAreFoundAndOthersAreNot() {
    EntryStore store = store(DuplicatePolicy.SHARE, memory);
    fill(store, 0, 10);
    store.setUserId(3, 77);
    key.setIpv6(1, 2, 3, 4, 5);
    store.insert(key);
    for (int i = 0; i < 10; i++) {
      store.findIpv4(address(i));
    }
    assertThat(store.fastReads().find(address(3))).isEqualTo(3);
    store.remove(3);
    assertThat(store.fastReads().find(address(3))).isEqualTo(-1);
    assertThat(store.findIpv4(address(3))).isEqualTo(-1);
    // What is no address of a peer is none here either.
    for (long other : new long[] {-1, 0, 1, 1L << 16, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThat(store.fastReads().find(other)).isEqualTo(-1);
    }
  }

  @Test
  void addressesWithSeveralEntriesAreForOthers() {
    EntryStore store = store(DuplicatePolicy.NEW_INDEX, memory);
    fill(store, 0, 100);
    fill(store, 0, 100);
    for (int i = 0; i < 100; i++) {
      assertThat(store.findIpv4(address(i))).isEqualTo(i);
      assertThat(store.fastReads().find(address(i))).isEqualTo(-1);
      store.remove(i);
      assertThat(store.findIpv4(address(i))).isEqualTo(100 + i);
    }
  }

  @Test
  void aClosedStoreIsNotLookedAt() {
    EntryStore store = store(DuplicatePolicy.SHARE, memory);
    fill(store, 0, 100);
    for (int i = 0; i < 100; i++) {
      store.findIpv4(address(i));
    }
    store.close();
    assertThatThrownBy(() -> store.fastReads().find(address(5)))
        .isInstanceOf(IllegalStateException.class);
  }

  private void fill(EntryStore store, int from, int to) {
    for (int i = from; i < to; i++) {
      insert(store, address(i));
    }
  }

  private int insert(EntryStore store, long address) {
    key.setIpv4(address);
    return store.insert(key);
  }

  /** Addresses that do not follow each other. */
  private static long address(int number) {
    long node = Integer.toUnsignedLong((number + 1) * 0x9E37_79B1);
    return node << Short.SIZE | 1024 + (number * 31 & 0x3FFF);
  }

  private static EntryStore store(DuplicatePolicy duplicates, ArenaMemory memory) {
    return new EntryStore(
        new StoreOptions(0, true, duplicates, Integer.MAX_VALUE - 1, SEED, false), memory);
  }
}
