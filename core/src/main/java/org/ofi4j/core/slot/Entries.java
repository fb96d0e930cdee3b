// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Objects;
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

  /** The hash of the address of a live index, which has a word; for the writer. */
  public long hashOf(int index, long word) {
    if (SlotWord.state(word) == SlotWord.IPV4) {
      return AddressKey.hashIpv4(SlotWord.body(word), seed);
    }
    MemorySegment record = record(index, word);
    return AddressRecords.hash(word, record, offset(index, word, record), seed);
  }

  /** Whether a word says that the address is in the slot itself. */
  public boolean isInSlot(long word) {
    return SlotWord.isInSlot(word) && slots.pages().isWide();
  }

  /** The memory with the record that the word of an index names. */
  public MemorySegment record(int index, long word) {
    return isInSlot(word)
        ? Objects.requireNonNull(slots.page(index), "a slot without a page")
        : records.segment(word);
  }

  /** The offset of the record in that memory. */
  public long offset(int index, long word, MemorySegment record) {
    return isInSlot(word)
        ? slots.pages().offset(record, index) + SlotPages.RECORD
        : records.offsetOf(word);
  }

  /** {@inheritDoc} Of indices; those that are not live are left out. */
  @Override
  public int hash(int[] indices, int count, long[] hashes) {
    // First the loads alone, so that they overlap.
    slots.words(indices, 0, count, hashes);
    int live = 0;
    for (int i = 0; i < count; i++) {
      long word = hashes[i];
      if (SlotWord.state(word) == SlotWord.RECORD) {
        hashes[live] = hashOf(indices[i], word);
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
    return SlotWord.isLive(word) ? hashOf(index, word) : otherwise;
  }

  /**
   * Puts an address where a slot can name it: into the slot itself if that is wide and not live, as
   * a live entry keeps its address until it has another one.
   *
   * @param index an index that has a slot
   * @throws OutOfMemoryError if memory ran out
   */
  public long encode(int index, AddressKey key, long hash) {
    if (key.kind() == AddressKey.Kind.IPV4) {
      return SlotWord.ipv4(key.ipv4());
    }
    if (slots.pages().isWide() && !SlotWord.isLive(word(index))) {
      MemorySegment page = record(index, SlotWord.IN_SLOT);
      if (AddressRecords.write(page, offset(index, SlotWord.IN_SLOT, page), key)) {
        return SlotWord.IN_SLOT;
      }
    }
    return records.store(key, hash);
  }

  /** Frees what {@link #encode} took, once no slot names it. */
  public void discard(long word) {
    if (SlotWord.state(word) == SlotWord.RECORD && !isInSlot(word)) {
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
      MemorySegment record = record(index, word);
      long offset = offset(index, word, record);
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
    MemorySegment record = record(index, word);
    long offset = offset(index, word, record);
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
