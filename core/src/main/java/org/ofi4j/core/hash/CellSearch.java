// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;

/** Searches for a number of which its user can tell whether it is the one. */
record CellSearch(SlabAllocator allocator, HashTable cells) {
  /** See {@link HashTable#find}. */
  int find(long hash, HashTable.Match match, long wanted) {
    int looks = 0;
    while (true) {
      int partition = cells.partition(hash);
      if (partition == 0) {
        return -1;
      }
      long word = cells.word(partition);
      if (!PartitionWord.covers(word, hash)) {
        cells.refresh();
        looks = HashTable.again(looks, hash);
        continue;
      }
      int found = search(partition, word, hash, match, wanted);
      if (cells.isCurrent(partition, word)) {
        return found;
      }
      looks = HashTable.again(looks, hash);
    }
  }

  /** Searches a partition; the answer means nothing if the word changed meanwhile. */
  private int search(int partition, long word, long hash, HashTable.Match match, long wanted) {
    int buckets = PartitionWord.buckets(word);
    int indexBits = PartitionWord.indexBits(word);
    int bucketBits = PartitionWord.bucketBits(word);
    int tag = PartitionWord.tag(hash, indexBits);
    int mask = PartitionWord.numberMask(indexBits);
    int bucket = PartitionWord.home(hash, buckets);
    // Blocks that were taken for something else may have no free cell where they had one.
    for (int left = buckets; left > 0; left--) {
      int unit = cells.block(partition, word, bucket >>> bucketBits);
      MemorySegment block = allocator.segment(unit);
      long offset = cells.bucket(unit, word, bucket);
      if (!HashTable.isBucket(block, offset)) {
        return -1;
      }
      long tagged = Bucket.tagged(block, offset, tag, indexBits);
      for (; tagged != 0; tagged = Bucket.withoutFirst(tagged)) {
        int cell = SegmentAccess.intAcquire(block, Bucket.offset(offset, tagged));
        int number = PartitionWord.number(cell, tag);
        if (number >= 0 && number < mask && match.matches(number, wanted)) {
          return number;
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
