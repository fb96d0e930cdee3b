// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Handles;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

class TableTest {
  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);

  @AfterEach
  void close() {
    memory.close();
  }

  private Table table(int buckets, int indexBits) {
    return Table.create(allocator, Superblock.CELLS, buckets, indexBits);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 100, 4_711, 1 << 20})
  void bucketsAreInTheOrderOfHashes(int buckets) {
    Table table = table(buckets, 20);
    int before = 0;
    for (long high = 0; high < 1L << 32; high += 65_521) {
      int home = table.homeBucket(high << 32);
      assertThat(home).isBetween(before, buckets - 1);
      before = home;
    }
    assertThat(table.homeBucket(-1L)).isEqualTo(buckets - 1);
  }

  @Test
  void hashesAreSpreadEvenly() {
    Table table = table(48, 20);
    int[] hits = new int[48];
    for (long i = 0; i < 48_000; i++) {
      hits[table.homeBucket(i * 0x9E37_79B9_7F4A_7C15L)]++;
    }
    assertThat(Arrays.stream(hits).boxed()).allMatch(n -> n > 900 && n < 1_100);
  }

  @Test
  void cellsHoldEveryNumberBesideBitsOfTheHash() {
    for (int number : new int[] {0, 1, 2, 6, 7, 63, 64, 1 << 20, Handles.MAX_ENTRIES - 1}) {
      Table table = table(1, Table.bitsFor(number));
      assertThat(table.fits(number)).isTrue();
      for (long hash : new long[] {0, -1, 0x5555_5555_5555_5555L}) {
        int tag = table.tag(hash);
        int cell = tag | number + 1;
        assertThat(cell).isNotZero().isNotEqualTo(Table.REMOVED);
        assertThat(table.number(cell, tag)).isEqualTo(number);
      }
    }
    assertThat(table(1, 3).fits(6)).isTrue();
    assertThat(table(1, 3).fits(7)).isFalse();
  }

  /** Also if all hashes have the last bucket. */
  @Test
  void smallTableHasCellsForAllThatItMayHave() {
    for (int buckets = 1; buckets <= 17; buckets++) {
      Table table = table(buckets, 10);
      int cells = (table.all() - (buckets - 1)) * Table.CELLS;
      assertThat(cells).isGreaterThanOrEqualTo(table.limit());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 16, 17, 48, 49, 1 << 17, 1 << 22, Table.MOST_BUCKETS})
  void blocksAreEnoughForAllBucketsAndFitIntoAList(int buckets) {
    Table table = table(buckets, 31);
    assertThat((long) table.blocks() * table.blockUnits())
        .isBetween((long) table.all(), table.all() + (long) table.blockUnits() - 1);
    assertThat(table.listUnits()).isLessThanOrEqualTo(SlabAllocator.MAX_UNITS);
    Table seen = Table.of(allocator, Superblock.CELLS);
    assertThat(seen.all()).isEqualTo(table.all());
    assertThat(seen.indexBits()).isEqualTo(31);
    assertThat(seen.list()).isEqualTo(table.list());
  }

  @Test
  void descriptorsThatNoTableHasAreRefused() {
    for (int field : new int[] {0, Table.LIST, Table.SHAPE}) {
      for (int value : new int[] {-1, Integer.MAX_VALUE, 1 << 30}) {
        table(100, 20);
        allocator.root().set(ValueLayout.JAVA_INT, Superblock.CELLS + field, value);
        assertThatThrownBy(() -> Table.of(allocator, Superblock.CELLS))
            .as("%s: %x", field, value)
            .isInstanceOf(IllegalStateException.class);
      }
    }
  }
}
