// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * The walk of a search along the buckets of a partition, from the one that the hash says to one
 * that has free cells; again, if the partition changed meanwhile. For any thread.
 */
record CellSearch(SlabAllocator allocator, HashTable cells) {
  /** So many partitions do not change while one search is made: the memory is damaged. */
  private static final int MOST_LOOKS = 1 << 20;

  /** See {@link HashTable#find}. */
  <K> int find(long hash, HashTable.Match<K> match, @Nullable K key, long wanted) {
    int looks = 0;
    while (true) {
      int partition = cells.partition(hash);
      if (partition == 0) {
        return -1;
      }
      long word = cells.word(partition);
      if (PartitionWord.covers(word, hash)) {
        int found = search(partition, word, hash, match, key, wanted);
        if (found != HashTable.CHANGED && cells.isCurrent(partition, word)) {
          return found;
        }
      } else {
        cells.refresh();
      }
      if (looks++ == MOST_LOOKS) {
        throw new IllegalStateException("no partition has hash " + Long.toHexString(hash));
      }
    }
  }

  /** Searches a partition; the answer means nothing if the word changed meanwhile. */
  private <K> int search(
      int partition, long word, long hash, HashTable.Match<K> match, @Nullable K key, long wanted) {
    int buckets = PartitionWord.buckets(word);
    int indexBits = PartitionWord.indexBits(word);
    int bucketBits = PartitionWord.bucketBits(word);
    int tag = PartitionWord.tag(hash, indexBits);
    int bucket = PartitionWord.home(hash, buckets);
    // Blocks that were taken for something else may have no free cell where they had one.
    for (int left = buckets; left > 0; left--) {
      int unit = cells.block(partition, word, bucket >>> bucketBits);
      MemorySegment block = allocator.segment(unit);
      long offset = cells.bucket(unit, word, bucket);
      if (!HashTable.isBucket(block, offset)) {
        if (cells.isCurrent(partition, word)) {
          throw new IllegalStateException("a bucket is outside of memory");
        }
        return HashTable.CHANGED;
      }
      long tagged = Bucket.tagged(block, offset, tag, indexBits);
      for (; tagged != 0; tagged = Bucket.withoutFirst(tagged)) {
        long at = Bucket.offset(offset, tagged);
        int cell = SegmentAccess.intAcquire(block, at);
        int number = PartitionWord.number(cell, tag);
        int found = match.look(block, at, cell, number, key, wanted);
        if (found != -1) {
          return found;
        }
      }
      if (Bucket.hasFree(block, offset)) {
        return -1;
      }
      bucket = PartitionWord.nextBucket(bucket, word);
    }
    return -1;
  }
}
