// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.Bucket;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.hash.PartitionWord;
import org.ofi4j.core.hash.ReaderPartitionCache;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.slot.SlotPages;
import org.ofi4j.core.slot.SlotWord;

/**
 * Searches for IPv4 addresses that have entries, in as few instructions as can be: a search among a
 * million peers misses the cache twice, at the cell and at the slot that it names, and successive
 * searches overlap only as far as their instructions fit into the window of some hundred that a
 * processor works on at a time. What is not found here is for others: the general way through
 * {@link EntryLookups}.
 *
 * <p>That is right because the slot decides: where each address has one entry at most, a live slot
 * with the address is the answer, whatever led there. So nothing that is looked at before needs to
 * be of one time, nor to be looked at again: not what this process has seen of the partitions
 * ({@link ReaderPartitionCache}), nor the cells, which may be those of a block that serves another
 * partition by now, or no cells at all.
 *
 * <p>The walk along the buckets is one of its own, and begins with a look at the first candidate
 * alone, since a search takes twice the time in the general one, and 4 to 5 % more without that
 * look.
 *
 * <p>Lock-free; by any thread.
 */
public final class Ipv4Searches implements ShortSearches {
  /** How many full buckets are passed before the general way does better. */
  private static final int MOST_BUCKETS = 4;

  private final long seed;
  private final SlabAllocator allocator;
  private final SlotPages pages;
  private final HashTable cells;

  /** Perhaps seen late by others, but never in part: its fields are final. */
  private ReaderPartitionCache seen = new ReaderPartitionCache(1);

  Ipv4Searches(SlabAllocator allocator, long seed, SlotPages pages, HashTable cells) {
    this.allocator = allocator;
    this.seed = seed;
    this.pages = pages;
    this.cells = cells;
  }

  /**
   * {@inheritDoc} The method is one, and longer than what HotSpot makes part of its callers, which
   * would be too large for theirs then; and so their segments would be objects on the heap.
   */
  @Override
  public int find(long address) {
    long hash = AddressKey.hashIpv4(address, seed);
    ReaderPartitionCache known = seen;
    int place = known.place(hash);
    int shape = known.shape(place);
    if (shape == 0) {
      return -1;
    }
    int bucket = ReaderPartitionCache.home(hash, shape);
    int unit = known.unit(place, shape, bucket);
    MemorySegment slab = allocator.knownSegment(unit);
    long offset = allocator.offset(unit);
    if (slab == null || !SegmentAccess.isNative(slab) || !HashTable.isBucket(slab, offset)) {
      return -1;
    }
    // Of a length that the compiler knows: no bounds are checked for what is at fixed places.
    MemorySegment cellLine = slab.asSlice(offset, SlabAllocator.UNIT_BYTES);
    int indexBits = ReaderPartitionCache.indexBits(shape);
    int tag = PartitionWord.tag(hash, indexBits);
    long tagged = Bucket.tagged(cellLine, 0, tag, indexBits);
    if (tagged != 0) {
      int index = PartitionWord.number(Bucket.first(cellLine, tagged), tag);
      if (SlotWord.isIpv4(pages.nearWordAcquire(index), address)) {
        return index;
      }
    }
    for (int passed = 0; passed < MOST_BUCKETS; passed++) {
      unit = known.unit(place, shape, bucket);
      slab = allocator.knownSegment(unit);
      offset = allocator.offset(unit);
      if (slab == null || !SegmentAccess.isNative(slab) || !HashTable.isBucket(slab, offset)) {
        return -1;
      }
      cellLine = slab.asSlice(offset, SlabAllocator.UNIT_BYTES);
      tagged = Bucket.tagged(cellLine, 0, tag, indexBits);
      for (; tagged != 0; tagged = Bucket.withoutFirst(tagged)) {
        int index = PartitionWord.number(Bucket.first(cellLine, tagged), tag);
        if (SlotWord.isIpv4(pages.nearWordAcquire(index), address)) {
          return index;
        }
      }
      if (Bucket.hasFree(cellLine, 0)) {
        return -1;
      }
      bucket = bucket + 1 == ReaderPartitionCache.buckets(shape) ? 0 : bucket + 1;
    }
    return -1;
  }

  /**
   * Takes note of the partition of an address that was found in the general way, so that others of
   * it are found here. Not for a store where an address may have several entries: which of them is
   * the one that is searched for, the slot does not say.
   */
  void note(long hash) {
    int partition = cells.partition(hash);
    if (partition == 0) {
      return;
    }
    long word = cells.word(partition);
    if (!PartitionWord.covers(word, hash)) {
      return;
    }
    int depth = PartitionWord.depth(word);
    ReaderPartitionCache known = seen;
    if (known.depth() < depth) {
      known = new ReaderPartitionCache(depth);
      seen = known;
    }
    known.note(cells, hash, partition, word);
  }
}
