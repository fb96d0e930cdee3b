// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * Where the one thread that writes is going to change a cell of {@link HashTable}. It goes the way
 * of {@link CellSearch}, of which nothing can change meanwhile, and remembers the first cell that
 * may be filled.
 */
final class CellPlace {
  private final SlabAllocator allocator;
  private final Partitions partitions;
  private final HashedNumbers numbers;

  private long word;
  private MemorySegment block;
  private long offset;

  CellPlace(SlabAllocator allocator, Partitions partitions, HashedNumbers numbers) {
    this.allocator = allocator;
    this.partitions = partitions;
    this.numbers = numbers;
    this.block = allocator.root();
  }

  /**
   * Goes to the cell of a number that matches; if there is none, to where it would go, in a
   * partition with room for it: a cell that is free, removed, or a tombstone.
   *
   * @param tombstones whether there are any
   * @return as {@link HashTable#find}
   */
  <K> int find(
      int partition,
      long hash,
      boolean tombstones,
      HashTable.Match<K> match,
      @Nullable K key,
      long wanted) {
    word = partitions.word(partition);
    int indexBits = PartitionWord.indexBits(word);
    int tag = PartitionWord.tag(hash, indexBits);
    int bucket = PartitionWord.home(hash, PartitionWord.buckets(word));
    boolean placed = false;
    for (int left = PartitionWord.buckets(word); left > 0; left--) {
      int unit = partitions.bucket(partition, word, bucket);
      MemorySegment line = allocator.segment(unit);
      long start = allocator.offset(unit);
      long tagged = Bucket.tagged(line, start, tag, indexBits);
      for (; tagged != 0; tagged = Bucket.withoutFirst(tagged)) {
        long at = Bucket.offset(start, tagged);
        int cell = line.get(JAVA_INT, at);
        int number = PartitionWord.number(cell, tag);
        if (number < 0) {
          continue;
        }
        boolean found = match.look(line, at, cell, number, key, wanted) >= 0;
        // Who comes again and again takes the cell that it left.
        if (found || (tombstones && numbers.isNothing(number))) {
          block = line;
          offset = at;
          placed = true;
        }
        if (found) {
          return number;
        }
      }
      long usable = placed ? 0 : Bucket.usable(line, start);
      if (usable != 0) {
        block = line;
        offset = Bucket.offset(start, usable);
        placed = true;
      }
      if (placed && Bucket.hasFree(line, start)) {
        return -1;
      }
      bucket = PartitionWord.nextBucket(bucket, word);
    }
    throw new IllegalStateException("no place for hash " + Long.toHexString(hash));
  }

  /** The word of the partition. */
  long word() {
    return word;
  }

  /** What the cell is. */
  int cell() {
    return block.get(JAVA_INT, offset);
  }

  /** Lets the cell have a number. */
  void fill(long hash, int number) {
    store(PartitionWord.cell(hash, number, PartitionWord.indexBits(word)));
  }

  void store(int cell) {
    SegmentAccess.intRelease(block, offset, cell);
  }
}
