// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * Where the cells of {@link HashTable} are that the one thread that writes is going to change. A
 * place is the unit of a bucket, in the upper half, and how far in the bucket a cell is.
 */
record CellPlaces(SlabAllocator allocator, Partitions partitions, HashedNumbers numbers) {
  static int unit(long place) {
    return (int) (place >>> Integer.SIZE);
  }

  /** Where a place is in the segment of its unit. */
  long offset(long place) {
    return allocator.offset(unit(place)) + (int) place;
  }

  /**
   * Where a cell goes, in a partition with room for it.
   *
   * @param tombstones whether there are tombstones in the table
   * @return the place of a cell that is free, removed, or a tombstone
   */
  long forCell(int partition, long word, long hash, int cell, boolean tombstones) {
    int bucket = PartitionWord.home(hash, PartitionWord.buckets(word));
    for (int left = PartitionWord.buckets(word); left > 0; left--) {
      int unit = partitions.bucket(partition, word, bucket);
      MemorySegment block = allocator.segment(unit);
      long offset = allocator.offset(unit);
      // Who comes again and again takes the cell that it left.
      long usable = tombstones ? tombstones(block, offset, word, cell) : 0;
      if (usable == 0) {
        usable = Bucket.usable(block, offset);
      }
      if (usable != 0) {
        return place(unit, Bucket.offset(offset, usable) - offset);
      }
      bucket = PartitionWord.nextBucket(bucket, word);
    }
    throw new IllegalStateException("no place for cell " + Integer.toHexString(cell));
  }

  long ofCell(int partition, long word, long hash, int cell) {
    int indexBits = PartitionWord.indexBits(word);
    int tag = cell & ~PartitionWord.numberMask(indexBits);
    int bucket = PartitionWord.home(hash, PartitionWord.buckets(word));
    for (int left = PartitionWord.buckets(word); left > 0; left--) {
      int unit = partitions.bucket(partition, word, bucket);
      MemorySegment block = allocator.segment(unit);
      long offset = allocator.offset(unit);
      long tagged = Bucket.tagged(block, offset, tag, indexBits);
      for (; tagged != 0; tagged = Bucket.withoutFirst(tagged)) {
        long at = Bucket.offset(offset, tagged);
        if (block.get(JAVA_INT, at) == cell) {
          return place(unit, at - offset);
        }
      }
      bucket = PartitionWord.nextBucket(bucket, word);
    }
    throw new IllegalStateException("no place for cell " + Integer.toHexString(cell));
  }

  /** The cells of a bucket that have the tag of a cell, from the first tombstone on. */
  private long tombstones(MemorySegment block, long bucket, long word, int cell) {
    int indexBits = PartitionWord.indexBits(word);
    int mask = PartitionWord.numberMask(indexBits);
    long tagged = Bucket.tagged(block, bucket, cell & ~mask, indexBits);
    for (; tagged != 0; tagged = Bucket.withoutFirst(tagged)) {
      int field = block.get(JAVA_INT, Bucket.offset(bucket, tagged)) & mask;
      if (field != 0 && numbers.isNothing(field - 1)) {
        break;
      }
    }
    return tagged;
  }

  private static long place(int unit, long inLine) {
    return (long) unit << Integer.SIZE | inLine;
  }
}
