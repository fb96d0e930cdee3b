// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.ofi4j.Handles;
import org.ofi4j.core.hash.PartitionSizes;
import org.ofi4j.core.hash.PartitionWord;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.slot.SlotWord;

/** The words that the engine packs its state into, at their limits. */
class LayoutTest {
  private static final long MOST_LIVES = (1L << SlotWord.GENERATION_BITS) - 1;
  private static final int MOST_OWNERS = NamedVector.MOST_PARTICIPANTS + 1;
  private static final int[] INDICES = {0, 1, 2, 6, 7, 63, 64, 1 << 20, Handles.MAX_ENTRIES - 1};

  @Test
  void memoryAsItComesIsAnUnusedIndex() {
    assertThat(SlotWord.state(0)).isEqualTo(SlotWord.UNUSED);
    assertThat(SlotWord.generation(0)).isZero();
    assertThat(SlotWord.isLive(0)).isFalse();
    assertThat(SlotWord.hasSide(0)).isFalse();
  }

  @Test
  void slotKeepsAddressGenerationAndSideBitApart() {
    long address = (1L << 48) - 1;
    long word = SlotWord.withGeneration(SlotWord.ipv4(address), MOST_LIVES) | SlotWord.SIDE;
    assertThat(SlotWord.isLive(word)).isTrue();
    assertThat(SlotWord.state(word)).isEqualTo(SlotWord.IPV4);
    assertThat(SlotWord.body(word)).isEqualTo(address);
    assertThat(SlotWord.lowGeneration(word)).isEqualTo((1 << SlotWord.LOW_GENERATION_BITS) - 1);
    assertThat(SlotWord.hadMany(word)).isTrue();
    assertThat(SlotWord.sameEntry(word, word & ~SlotWord.SIDE)).isTrue();
    assertThat(SlotWord.sameEntry(word, word ^ 1L << 48)).isFalse();
    assertThat(SlotWord.sameEntry(word, word ^ 1L)).isFalse();
  }

  @Test
  void slotNamesTheLastRecordOfTheLastClass() {
    long word = SlotWord.withGeneration(SlotWord.record(15, (1L << 33) - 1), 0);
    assertThat(SlotWord.state(word)).isEqualTo(SlotWord.RECORD);
    assertThat(SlotWord.sizeClass(word)).isEqualTo(15);
    assertThat(SlotWord.place(word)).isEqualTo((1L << 33) - 1);
    assertThat(SlotWord.lowGeneration(word)).isZero();
    assertThat(SlotWord.hadMany(word)).isFalse();
  }

  @Test
  void slotOfAnAddressIsToldFromEveryOther() {
    long address = 0x7F00_0001L << 16 | 80;
    long word = SlotWord.ipv4(address);
    assertThat(SlotWord.isIpv4(word, address)).isTrue();
    assertThat(SlotWord.isIpv4(SlotWord.withGeneration(word, MOST_LIVES) | SlotWord.SIDE, address))
        .isTrue();
    assertThat(SlotWord.isIpv4(word, address + 1)).isFalse();
    assertThat(SlotWord.isIpv4(address, address)).as("unused").isFalse();
    assertThat(SlotWord.isIpv4(SlotWord.record(0, address), address)).isFalse();
  }

  @Test
  void unusedAndReservedKeepTheWholeGeneration() {
    for (long generation : new long[] {0, 1, 1 << 13, 1L << 32, MOST_LIVES}) {
      assertThat(SlotWord.generation(SlotWord.unused(generation))).isEqualTo(generation);
      assertThat(SlotWord.generation(SlotWord.reserved(generation, 0))).isEqualTo(generation);
      assertThat(SlotWord.state(SlotWord.reserved(generation, 0))).isEqualTo(SlotWord.RESERVED);
      assertThat(SlotWord.isLive(SlotWord.reserved(generation, 0))).isFalse();
      assertThat(SlotWord.owner(SlotWord.reserved(generation, MOST_OWNERS))).isEqualTo(MOST_OWNERS);
      assertThat(SlotWord.hasSide(SlotWord.reserved(generation, MOST_OWNERS))).isFalse();
    }
  }

  @Test
  void partitionWordKeepsItsFieldsApart() {
    int prefix = (1 << PartitionWord.MAX_DEPTH) - 1;
    long empty = PartitionWord.empty(-1L << 38, prefix, PartitionWord.MAX_DEPTH);
    long word =
        PartitionWord.of(empty, 31, PartitionSizes.LAST_CELL_BITS, PartitionWord.MAX_BLOCKS);
    assertThat(PartitionWord.prefix(word)).isEqualTo(prefix);
    assertThat(PartitionWord.depth(word)).isEqualTo(PartitionWord.MAX_DEPTH);
    assertThat(PartitionWord.indexBits(word)).isEqualTo(31);
    assertThat(PartitionWord.cellBits(word)).isEqualTo(PartitionSizes.LAST_CELL_BITS);
    assertThat(PartitionWord.blocks(word)).isEqualTo(7);
    assertThat(PartitionWord.cells(word)).isEqualTo(57_344);
    long next = PartitionWord.empty(word, prefix, PartitionWord.MAX_DEPTH);
    assertThat(PartitionWord.blocks(next)).isZero();
    assertThat(PartitionWord.prefix(next)).isEqualTo(prefix);
    assertThat(next).isNotEqualTo(empty);
  }

  @Test
  void partitionCoversTheHashesThatBeginWithItsPrefix() {
    for (int depth = 1; depth <= PartitionWord.MAX_DEPTH; depth++) {
      long word = PartitionWord.empty(0, 1, depth);
      long first = 1L << -depth;
      long last = first + (first - 1);
      assertThat(PartitionWord.covers(word, first)).isTrue();
      assertThat(PartitionWord.covers(word, last)).isTrue();
      assertThat(PartitionWord.covers(word, first - 1)).isFalse();
      assertThat(PartitionWord.covers(word, last + 1)).isFalse();
    }
    long unused = PartitionWord.unused(PartitionWord.empty(0, 1, 1));
    for (long hash : new long[] {0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThat(PartitionWord.covers(unused, hash)).isFalse();
    }
  }

  @Test
  void blocksOfAPartitionAndOfTheNextLieApart() {
    boolean[] used = new boolean[SlabAllocator.UNIT_BYTES];
    Arrays.fill(used, 0, Long.BYTES, true);
    long word = 0;
    for (int version = 0; version < 2; version++) {
      word = PartitionWord.of(PartitionWord.empty(word, 0, 1), 1, 4, 7);
      for (int block = 0; block < PartitionWord.MAX_BLOCKS; block++) {
        long offset = PartitionWord.blockOffset(word, block);
        for (int i = 0; i < Integer.BYTES; i++) {
          assertThat(used[(int) offset + i]).isFalse();
          used[(int) offset + i] = true;
        }
      }
    }
  }

  @Test
  void cellsHoldEveryIndexBesideBitsOfTheHash() {
    for (int index : INDICES) {
      int bits = PartitionWord.bitsFor(index);
      assertThat(PartitionWord.fits(index, bits)).isTrue();
      for (long hash : new long[] {0, -1, 0x5555_5555_5555_5555L}) {
        int cell = PartitionWord.cell(hash, index, bits);
        assertThat(cell).isNotZero().isNotEqualTo(PartitionWord.REMOVED);
        assertThat(cell ^ PartitionWord.tag(hash, bits)).isEqualTo(index + 1);
      }
    }
    assertThat(PartitionWord.fits(6, 3)).isTrue();
    assertThat(PartitionWord.fits(7, 3)).isFalse();
  }

  @Test
  void partitionsGrowInTurn() {
    int largest = PartitionSizes.MAX_CELL_BITS;
    double[] cells = new double[5_000];
    int partitions = 1 << 10;
    for (int i = 0; i < partitions; i++) {
      int fraction = PartitionSizes.fraction(i, 10);
      int size = 0;
      int limit = 0;
      for (int live = 1; live < cells.length; live++) {
        if (live > limit) {
          size = PartitionSizes.sizeFor(live, fraction);
          limit = PartitionSizes.limit(size, fraction);
          int all = PartitionSizes.blocks(size) << PartitionSizes.cellBits(size);
          assertThat(limit).isBetween(Math.max(live, all * 8 / 10), all * 94 / 100);
        }
        cells[live] += PartitionSizes.blocks(size) << PartitionSizes.cellBits(size);
      }
      assertThat(PartitionSizes.sizeFor(7 << largest, fraction)).isGreaterThan(largest << 3 | 7);
    }
    for (int live = 700; live < cells.length; live++) {
      double each = cells[live] / partitions / live;
      assertThat(each).as("cells for each of %s entries", live).isBetween(1.23, 1.48);
    }
  }

  @Test
  void homesCoverAPartitionEvenly() {
    int[] hits = new int[48];
    for (long i = 0; i < 48_000; i++) {
      hits[PartitionWord.home(i * 0x9E37_79B9L, hits.length)]++;
    }
    assertThat(Arrays.stream(hits).boxed()).allMatch(n -> n > 900 && n < 1100);
  }
}
