// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.HashedNumbers;
import org.ofi4j.core.hash.Match;
import org.ofi4j.core.memory.SegmentAccess;

/**
 * The addresses that slots hold or name: what any thread does with a {@link SlotWord}, without
 * waiting, and what the writer does to make one. The numbers in the cells of the {@link
 * org.ofi4j.core.hash.HashTable}, in which each address has one cell, are indices of slots; what a
 * cell says is the slot's business.
 */
public final class Entries implements HashedNumbers, Match<AddressKey> {

  private final Slots slots;
  private final AddressRecords records;
  private final long seed;

  /** A sum of loaded words, which makes the compiler keep the loads. */
  @SuppressWarnings("UnusedVariable")
  private long touched;

  public Entries(Slots slots, AddressRecords records, long seed) {
    this.slots = slots;
    this.records = records;
    this.seed = seed;
  }

  /** The word of any number. */
  public long word(int index) {
    return slots.word(index);
  }

  public long hash(AddressKey key) {
    return key.hash(seed);
  }

  public long hashIpv4(long addressAndPort) {
    return AddressKey.hashIpv4(addressAndPort, seed);
  }

  /** The hash of the address of a live word; for the writer. */
  public long hashOf(long word) {
    return SlotWord.state(word) == SlotWord.IPV4
        ? AddressKey.hashIpv4(SlotWord.body(word), seed)
        : records.hash(word, seed);
  }

  /** {@inheritDoc} Of indices; those that are not live are left out. */
  @Override
  public int hash(int[] indices, int count, long[] hashes) {
    // First the loads alone, so that they overlap.
    slots.words(indices, 0, count, hashes);
    if (records.usedBytes() > 0) {
      touched = records.touch(hashes, count);
    }
    int live = 0;
    for (int i = 0; i < count; i++) {
      long word = hashes[i];
      if (SlotWord.state(word) == SlotWord.RECORD) {
        hashes[live] = records.hash(word, seed);
        indices[live++] = indices[i];
      } else {
        // Without a branch: the next one overwrites what is not live.
        hashes[live] = AddressKey.hashIpv4(SlotWord.body(word), seed);
        indices[live] = indices[i];
        live += (int) (word >>> (Long.SIZE - 1));
      }
    }
    return live;
  }

  @Override
  public long hash(int index, long otherwise) {
    long word = slots.word(index);
    return SlotWord.isLive(word) ? hashOf(word) : otherwise;
  }

  /**
   * Puts an address where a slot can name it.
   *
   * @throws OutOfMemoryError if memory ran out
   */
  public long encode(AddressKey key, long hash) {
    return key.kind() == AddressKey.Kind.IPV4
        ? SlotWord.ipv4(key.ipv4())
        : records.store(key, hash);
  }

  /** Frees what {@link #encode} took, once no slot names it. */
  public void discard(long word) {
    if (SlotWord.state(word) == SlotWord.RECORD) {
      records.retire(word);
    }
  }

  /**
   * Reads the address that a slot has or names; looks again if it became another one meanwhile.
   *
   * @param into becomes the address; anything if there is none
   * @return the word of the slot when it had the address; else one that is not live: 0 if a run may
   *     have the index
   */
  public long load(int index, AddressKey into) {
    while (true) {
      long word = word(index);
      if (SlotWord.state(word) == SlotWord.IPV4) {
        into.setIpv4(SlotWord.body(word));
        return word;
      }
      if (SlotWord.state(word) != SlotWord.RECORD) {
        return word;
      }
      MemorySegment record = records.segment(word);
      long offset = records.offsetOf(word);
      int version = AddressRecords.version(record, offset);
      boolean readable = (version & 1) == 0 && AddressRecords.load(word, record, offset, into);
      if (stayed(index, word, record, offset, version)) {
        // Where nothing changed, only damaged memory is not readable.
        return readable ? word : SlotWord.NOT_LIVE;
      }
    }
  }

  /**
   * Whether the slot of an index has an address of any kind or, without a key, one of IPv4; false
   * also if the entry died, or its address became another one.
   *
   * @param word the word of the slot
   */
  public boolean holds(int index, long word, @Nullable AddressKey key, long ipv4) {
    if (SlotWord.state(word) != SlotWord.RECORD) {
      return key == null
          ? SlotWord.isIpv4(word, ipv4)
          : key.isIpv4() && SlotWord.isIpv4(word, key.word(0));
    }
    MemorySegment record = records.segment(word);
    long offset = records.offsetOf(word);
    int version = AddressRecords.version(record, offset);
    return (version & 1) == 0
        && (key == null
            ? AddressRecords.matchesIpv4(word, record, offset, ipv4)
            : AddressRecords.matches(word, record, offset, key))
        && stayed(index, word, record, offset, version);
  }

  /** {@inheritDoc} Of an address of any kind; without a key, that of IPv4. */
  @Override
  public int look(
      MemorySegment block, long at, int cell, int index, @Nullable AddressKey key, long address) {
    long slot = word(index);
    if (holds(index, slot, key, address)) {
      return index;
    }
    return changed(block, at, cell, index, slot) ? Match.CHANGED : -1;
  }

  /**
   * Whether a cell and the slot that it names were no pair. The cell of an address that has several
   * entries goes over to the next one before the one it named dies: who loaded the cell before that
   * and the slot after it has seen neither. If the slot was the same before and after a look at the
   * cell, which was the same too, then the cell named just that slot at that moment.
   */
  private boolean changed(MemorySegment block, long offset, int cell, int index, long slot) {
    // The cell is loaded after the slot and, by the acquire, before the slot is loaded again.
    return SegmentAccess.intAcquire(block, offset) != cell
        || !SlotWord.sameEntry(slot, word(index));
  }

  public long recordBytes() {
    return records.usedBytes();
  }

  /** Whether the record that was read since the version was taken is the entry of the slot. */
  private boolean stayed(int index, long word, MemorySegment record, long offset, int version) {
    // The content is read before the slot, the slot before the version.
    VarHandle.acquireFence();
    return SlotWord.sameEntry(word, word(index))
        && AddressRecords.version(record, offset) == version;
  }
}
