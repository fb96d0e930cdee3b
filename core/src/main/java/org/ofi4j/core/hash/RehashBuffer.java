// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;

/**
 * The numbers of a partition that is going to be built anew, with their hashes; without those whose
 * cells were tombstones, as far as that can be told before they are in cells again. Used again and
 * again by one thread.
 */
final class RehashBuffer {
  private final HashedNumbers meanings;
  private int[] numbers = {};
  private long[] hashes = {};
  private int used;
  private int count;
  private boolean mayRepeat;

  RehashBuffer(HashedNumbers meanings) {
    this.meanings = meanings;
  }

  /** Begins with a partition of so many cells, all of which {@link #copy} is to bring. */
  void begin(int cells) {
    if (numbers.length < cells) {
      int[] wider = new int[cells];
      // Both or none.
      hashes = new long[cells];
      numbers = wider;
    }
  }

  /** Brings the cells of a block. */
  void copy(MemorySegment block, long offset, int first, int length) {
    MemorySegment.copy(block, JAVA_INT, offset, numbers, first, length);
  }

  /**
   * Makes numbers with hashes of the cells.
   *
   * @param tombstones whether there are tombstones, here or elsewhere
   */
  void collect(long word, boolean tombstones) {
    int mask = PartitionWord.numberMask(PartitionWord.indexBits(word));
    int cells = PartitionWord.cells(word);
    used = 0;
    for (int i = 0; i < cells; i++) {
      int field = numbers[i] & mask;
      // Without a branch: the next number overwrites what is none.
      numbers[used] = field - 1;
      used += field == 0 ? 0 : 1;
    }
    count = meanings.hash(numbers, used, hashes);
    mayRepeat = tombstones;
    if (tombstones) {
      dropStrangers(word);
    }
  }

  /** Leaves out numbers that have hashes of other partitions by now. */
  private void dropStrangers(long word) {
    int left = 0;
    for (int i = 0; i < count; i++) {
      long hash = hashes[i];
      hashes[left] = hash;
      numbers[left] = numbers[i];
      left += PartitionWord.covers(word, hash) ? 1 : 0;
    }
    count = left;
  }

  /** How many cells were in use. */
  int used() {
    return used;
  }

  /**
   * How many numbers there are; one whose cell became a tombstone and that came back may be there
   * twice.
   */
  int count() {
    return count;
  }

  /** How many numbers have a hash whose bit behind the first so many is set. */
  int upperHalf(int depth) {
    int upper = 0;
    for (int i = 0; i < count; i++) {
      upper += half(hashes[i], depth);
    }
    return upper;
  }

  void fill(PartitionCells cells) {
    for (int i = 0; i < count; i++) {
      cells.add(hashes[i], numbers[i], mayRepeat);
    }
  }

  /** Puts the numbers into the cells of two halves, by the bit behind the first so many. */
  void fill(PartitionCells low, PartitionCells high, int depth) {
    PartitionCells[] halves = {low, high};
    for (int i = 0; i < count; i++) {
      halves[half(hashes[i], depth)].add(hashes[i], numbers[i], mayRepeat);
    }
  }

  private static int half(long hash, int depth) {
    return (int) (hash >>> (Long.SIZE - 1 - depth)) & 1;
  }
}
