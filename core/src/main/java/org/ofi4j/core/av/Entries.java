package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.ofi4j.AddressFormat;
import org.ofi4j.core.address.AddressKey;

/**
 * The slots, one {@link SlotWord} for each index, and the addresses that they hold or name.
 *
 * <p>The release store of a slot publishes its entry; the acquire load of a slot sees the whole of
 * what it names. One thread at a time writes; any thread reads, without waiting.
 */
final class Entries {
  private static final int FORMAT_IPV4 = AddressFormat.SOCKADDR_IN.number();

  /** 64 slots to begin with, at most a megabyte at a time. */
  private static final int FIRST_BITS = 6;

  private static final int MAX_BITS = 17;

  private final MemorySource memory;
  private final Chunks slots;
  private final AddressRecords records;
  private final AddressKey scratch = new AddressKey();
  private final long seed;

  Entries(MemorySource memory, long seed) {
    this.memory = memory;
    this.slots = new Chunks(memory, Long.BYTES, FIRST_BITS, MAX_BITS);
    this.records = new AddressRecords(memory);
    this.seed = seed;
  }

  /** How many slots there are. */
  long capacity() {
    return slots.capacity();
  }

  /** Makes sure that an index has a slot. */
  void ensure(int index) {
    slots.ensure(index);
  }

  /** The word of any number; that of an index never used if there is no slot. */
  long word(int index) {
    MemorySegment chunk = slots.chunk(index);
    if (chunk == null) {
      memory.checkOpen();
      return 0;
    }
    return SegmentAccess.longAcquire(chunk, slots.offset(index));
  }

  /** Stores a word; what was written before is seen by whoever sees the word. */
  void store(int index, long word) {
    SegmentAccess.longRelease(slots.segment(index), slots.offset(index), word);
  }

  /** The hash that the store gives an address. */
  long hash(AddressKey key) {
    return key.hash(seed);
  }

  /** The hash of the address of a live index; for the writer. */
  long hash(int index) {
    long word = word(index);
    return SlotWord.state(word) == SlotWord.IPV4
        ? AddressKey.hashIpv4(SlotWord.body(word), seed)
        : records.hash(word, seed, scratch);
  }

  /**
   * Puts an address where a slot can name it.
   *
   * @param key the address
   * @param hash its hash
   * @return state and body of the slot
   * @throws OutOfMemoryError if memory ran out
   */
  long encode(AddressKey key, long hash) {
    return key.kind() == AddressKey.Kind.IPV4
        ? SlotWord.ipv4(key.ipv4())
        : records.store(key, hash);
  }

  /** Frees what {@link #encode} took, once no slot names it. */
  void discard(long word) {
    if (SlotWord.state(word) == SlotWord.RECORD) {
      records.retire(word);
    }
  }

  /** Reads an entry; see {@link EntryStore#load}. */
  boolean load(int index, AddressKey into) {
    long word = word(index);
    if (SlotWord.state(word) == SlotWord.IPV4) {
      into.setIpv4(SlotWord.body(word));
      return true;
    }
    if (SlotWord.state(word) == SlotWord.RECORD) {
      MemorySegment record = records.segment(word);
      long offset = records.offset(word);
      int version = AddressRecords.version(record, offset);
      if ((version & 1) == 0
          && AddressRecords.load(word, record, offset, into)
          && stayed(index, word, record, offset, version)) {
        return true;
      }
    }
    into.clear();
    return false;
  }

  /** Whether an index is live and has an address. */
  boolean holds(int index, AddressKey key) {
    return holds(index, word(index), key);
  }

  /**
   * As {@link #holds(int, AddressKey)}, with the word of the index.
   *
   * @return false also if the entry of that word died during the call
   */
  boolean holds(int index, long word, AddressKey key) {
    if (SlotWord.state(word) == SlotWord.IPV4) {
      return SlotWord.body(word) == key.word(0) && key.format() == FORMAT_IPV4;
    }
    if (SlotWord.state(word) != SlotWord.RECORD) {
      return false;
    }
    MemorySegment record = records.segment(word);
    long offset = records.offset(word);
    int version = AddressRecords.version(record, offset);
    return (version & 1) == 0
        && AddressRecords.matches(word, record, offset, key)
        && stayed(index, word, record, offset, version);
  }

  /** Bytes of the records in use. */
  long recordBytes() {
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
