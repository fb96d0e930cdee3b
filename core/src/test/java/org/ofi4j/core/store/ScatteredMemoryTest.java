// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.hash.KnownHashes;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * What scattered entries take, at every size in steps of 2 %, and what a single insertion may do:
 * to a million entries, with {@code -Dofi4j.long} to sixteen.
 */
class ScatteredMemoryTest {
  private static final int FIRST = 1 << 16;
  private static final int LAST = System.getProperty("ofi4j.long") == null ? 1 << 20 : 1 << 24;
  private static final int BATCH = 100;

  /** An odd multiplier permutes words of 48 bits, so all are different. */
  private static long address(long i) {
    return (i + 1) * 0x5DEE_CE66DL & (1L << 48) - 1;
  }

  @Test
  @Tag("AV-127")
  @DisplayName("An IPv4 peer takes at most 14.7 bytes, and 16 are held, from 65,536 peers on")
  void ipv4PeersTakeFewBytes() {
    long[] addresses = new long[BATCH];
    int[] outcomes = new int[BATCH];
    try (EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      int size = 0;
      for (double step = FIRST; step <= LAST; step *= 1.02) {
        while (size < step) {
          int count = Math.min(BATCH, (int) Math.ceil(step) - size);
          for (int i = 0; i < count; i++) {
            addresses[i] = address(size + i);
          }
          assertThat(store.insertIpv4(addresses, count, outcomes)).isEqualTo(count);
          assertThat(outcomes[count - 1]).isEqualTo(size + count - 1);
          size += count;
        }
        MemoryUse use = store.memory();
        assertThat(use.livePerPeer(size)).as("live, %s peers", size).isLessThanOrEqualTo(14.7);
        assertThat(use.heldPerPeer(size)).as("held, %s peers", size).isLessThanOrEqualTo(16.0);
      }
    }
  }

  @Test
  @Tag("AV-127")
  @DisplayName("An IPv6 peer without flow label and scope takes at most 40 bytes")
  void ipv6PeersTakeFewBytes() {
    AddressKey key = new AddressKey();
    try (EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      int size = 0;
      for (double step = FIRST; step <= LAST / 4; step *= 1.02) {
        for (; size < step; size++) {
          key.setIpv6(0xFE80L << 48, address(size), 5000, 0, 0);
          assertThat(store.insert(key)).isEqualTo(size);
        }
        MemoryUse use = store.memory();
        assertThat(use.livePerPeer(size)).as("live, %s peers", size).isLessThanOrEqualTo(40.0);
        assertThat(use.heldPerPeer(size)).as("held, %s peers", size).isLessThanOrEqualTo(43.0);
      }
    }
  }

  @Test
  @DisplayName("No insertion moves more than 8,192 cells or clears more than a megabyte")
  void noInsertionMovesMuch() {
    try (ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE)) {
      SlabAllocator allocator = new SlabAllocator(memory);
      HashTable cells =
          new HashTable(
              allocator,
              Superblock.CELLS,
              new KnownHashes(number -> AddressKey.hashIpv4(number, 5)),
              0);
      long mostMoved = 0;
      long mostCleared = 0;
      long moved = 0;
      long cleared = 0;
      long held = memory.held();
      for (int i = 0; i < LAST; i++) {
        long hash = AddressKey.hashIpv4(i, 5);
        cells.prepare(i, true);
        cells.put(hash, i);
        mostMoved = Math.max(mostMoved, cells.movedCells() - moved);
        // New memory comes cleared: that counts as well.
        long now = allocator.clearedBytes() + memory.held() - held;
        mostCleared = Math.max(mostCleared, now - cleared);
        moved = cells.movedCells();
        cleared = now;
      }
      assertThat(mostMoved).isLessThanOrEqualTo(8192).isGreaterThan(1000);
      assertThat(mostCleared).isLessThanOrEqualTo(1 << 20).isGreaterThan(4096);
      // All of them together: each cell moves three times.
      assertThat(moved).isLessThan(3L * LAST + LAST / 8);
    }
  }
}
