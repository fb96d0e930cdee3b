// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * Moves the cells of one table into the next, from front to back, without those of numbers that
 * have no meaning any more. For the writer.
 */
final class TableMove {
  /**
   * A step ends at a bucket with a free cell behind so many cells, or behind all that it may move.
   */
  private static final int GATHERED = 256;

  /** Buckets of the next table that get memory ahead of their homes, for cells that overflow. */
  private static final int AHEAD = 33;

  private final SlabAllocator allocator;
  private final HashTable tables;
  private final HashedNumbers meanings;
  private int[] numbers = {};
  private long[] hashes = {};
  private long moved;

  TableMove(SlabAllocator allocator, HashTable tables, HashedNumbers meanings) {
    this.allocator = allocator;
    this.tables = tables;
    this.meanings = meanings;
  }

  long moved() {
    return moved;
  }

  /**
   * Moves cells, up to a bucket with a free one: no search passes over that.
   *
   * @param frontier the first bucket that was not moved
   * @param most how many cells are enough
   * @return how many cells were looked at; at least 1
   * @throws OutOfMemoryError if memory ran out; then all is found that was found before
   */
  int step(Table from, Table to, int frontier, int most) {
    int end = frontier;
    int cells = 0;
    boolean hasFree = true;
    while (end < from.all() && (!hasFree || cells < Math.min(most, GATHERED))) {
      hasFree = gather(from, end, cells);
      cells += Bucket.CELLS;
      end++;
    }
    int used = used(cells);
    int count = numbersOf(from, used);
    int live = meanings.hash(numbers, count, hashes);
    // Blocks for all of them first.
    int reach =
        end == from.all()
            ? to.all()
            : (int) Math.min(to.all(), (long) end * to.buckets() / from.buckets() + AHEAD);
    addBlocks(to, reach);
    for (int i = 0; i < live; i++) {
      // A tombstone whose number has come again may have another hash.
      int home = from.home(hashes[i]);
      if (home >= frontier && home < end) {
        append(to, hashes[i], numbers[i]);
      }
    }
    moved += count;
    tables.addUsed(false, -used);
    tables.moved(end);
    int firstBlock = frontier / from.blockUnits();
    if (end == from.all()) {
      tables.free(from, frontier);
    } else {
      for (int block = firstBlock; (block + 1) * from.blockUnits() <= end; block++) {
        tables.freeBlock(from, block);
      }
    }
    return Math.max(cells, 1);
  }

  /** Brings the cells of a bucket; whether it has a free one. */
  private boolean gather(Table from, int bucket, int count) {
    if (numbers.length < count + Bucket.CELLS) {
      int length = Math.max(2 * numbers.length, 2 * GATHERED);
      // Both or none.
      long[] wider = Arrays.copyOf(hashes, length);
      numbers = Arrays.copyOf(numbers, length);
      hashes = wider;
    }
    int unit = from.unit(bucket);
    if (unit == 0) {
      throw new IllegalStateException("bucket " + bucket + " has no memory");
    }
    MemorySegment block = allocator.segment(unit);
    long offset = allocator.offset(unit);
    MemorySegment.copy(block, JAVA_INT, offset, numbers, count, Bucket.CELLS);
    return Bucket.hasFree(block, offset);
  }

  /** Leaves out cells that are free; how many are left. */
  private int used(int count) {
    int left = 0;
    for (int i = 0; i < count; i++) {
      int cell = numbers[i];
      // Without a branch: the next cell overwrites one that is free.
      numbers[left] = cell;
      left += cell == 0 ? 0 : 1;
    }
    return left;
  }

  /** Makes numbers of cells, without those that were removed; how many are left. */
  private int numbersOf(Table from, int count) {
    int mask = -1 >>> (Integer.SIZE - from.indexBits());
    int left = 0;
    for (int i = 0; i < count; i++) {
      int field = numbers[i] & mask;
      numbers[left] = field - 1;
      left += field == 0 ? 0 : 1;
    }
    return left;
  }

  private void addBlocks(Table to, int reach) {
    int blocks = Math.ceilDiv(reach, to.blockUnits());
    int first = blocks;
    while (first > 0 && to.blockUnit(first - 1) == 0) {
      first--;
    }
    for (int block = first; block < blocks; block++) {
      addBlock(to, block);
    }
  }

  private void addBlock(Table to, int block) {
    to.addBlock(block, allocator.allocate(to.blockUnits()));
    tables.addUnits(to.blockUnits());
  }

  /**
   * Gives a number a cell, unless it has one: of a tombstone, or of a step that memory ran out in.
   */
  private void append(Table to, long hash, int number) {
    int tag = to.tag(hash);
    int cell = tag | number + 1;
    for (int bucket = to.home(hash); bucket < to.all(); bucket++) {
      if (to.unit(bucket) == 0) {
        addBlock(to, bucket / to.blockUnits());
      }
      int unit = to.unit(bucket);
      MemorySegment block = allocator.segment(unit);
      long offset = allocator.offset(unit);
      if (Bucket.contains(block, offset, cell, tag, to.indexBits())) {
        return;
      }
      if (Bucket.hasFree(block, offset)) {
        SegmentAccess.intRelease(block, Bucket.freeCell(block, offset), cell);
        tables.addUsed(true, 1);
        return;
      }
    }
    throw new IllegalStateException("no place for hash " + Long.toHexString(hash));
  }
}
