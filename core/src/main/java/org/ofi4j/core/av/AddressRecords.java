package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.core.address.AddressKey;

/**
 * Addresses that do not fit into a slot, in records of 16 sizes.
 *
 * <pre>
 *   size class 0, 32 bytes: IPv6
 *     0 version (4) | 4 port (4) | 8 flow label (4) | 12 scope (4) | 16 address (16)
 *
 *   size classes 1 to 15, 48 to 6144 bytes: everything else
 *     0 version (4) | 4 unused (4) | 8 hash (8) | 16 record of AddressKey
 * </pre>
 *
 * <p>While a record is free, bytes 4 to 7 hold the list of free ones.
 *
 * <p>The version is odd while nobody may read the record. A writer makes it odd, changes the
 * record, and makes it even again with a release store, before the one store of the slot that names
 * the record. A reader takes slot, version (acquire), content, slot again, version again. If the
 * version is the same and even, the content did not change meanwhile; if the slot is the same too,
 * the content was that of the slot when it was looked at again. If not, the entry died while the
 * reader looked, and there was a moment without it: no need to try again.
 *
 * <p>A version returns after 2<sup>31</sup> lives of one record, which no reader sits through.
 */
final class AddressRecords {
  private static final int[] STRIDES = {
    32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144
  };
  private static final int IPV6 = 0;
  private static final int FORMAT_IPV6 = AddressFormat.SOCKADDR_IN6.number();
  private static final int LINK = 4;
  private static final int HASH = 8;
  private static final int CONTENT = 16;

  private final MemorySource memory;
  private final @Nullable Pool[] pools = new Pool[STRIDES.length];

  AddressRecords(MemorySource memory) {
    this.memory = memory;
  }

  /**
   * Writes an address into a new record.
   *
   * @param key the address
   * @param hash its hash
   * @return state and body of the slot that is to name it
   * @throws OutOfMemoryError if memory ran out
   */
  long store(AddressKey key, long hash) {
    int sizeClass = sizeClassOf(key);
    Pool pool = pools[sizeClass];
    if (pool == null) {
      pool = new Pool(memory, STRIDES[sizeClass], LINK);
      pools[sizeClass] = pool;
    }
    int number = pool.take();
    MemorySegment record = pool.segment(number);
    long offset = pool.offset(number);
    int odd = record.get(JAVA_INT, offset) | 1;
    SegmentAccess.intOpaque(record, offset, odd);
    // The odd version is there before the first byte changes.
    VarHandle.storeStoreFence();
    if (sizeClass == IPV6) {
      long scopeAndPort = key.word(2);
      record.set(JAVA_INT, offset + 4, (int) (scopeAndPort & 0xFFFF));
      record.set(JAVA_INT, offset + 8, (int) key.word(3));
      record.set(JAVA_INT, offset + 12, (int) (scopeAndPort >>> 32));
      record.set(JAVA_LONG, offset + 16, key.word(0));
      record.set(JAVA_LONG, offset + 24, key.word(1));
    } else {
      record.set(JAVA_LONG, offset + HASH, hash);
      key.writeRecord(record, offset + CONTENT);
    }
    SegmentAccess.intRelease(record, offset, odd + 1);
    return SlotWord.record(sizeClass, number);
  }

  /**
   * Frees a record that no slot names any more.
   *
   * @param word the slot that named it
   */
  void retire(long word) {
    Pool pool = pool(word);
    int number = SlotWord.number(word);
    MemorySegment record = pool.segment(number);
    long offset = pool.offset(number);
    // The slot stopped naming the record before the version says so, and that before the list
    // overwrites it.
    VarHandle.storeStoreFence();
    SegmentAccess.intOpaque(record, offset, record.get(JAVA_INT, offset) + 1);
    VarHandle.storeStoreFence();
    pool.give(number);
  }

  /** The memory that a record lies in. */
  MemorySegment segment(long word) {
    return pool(word).segment(SlotWord.number(word));
  }

  /** Where in that memory it begins. */
  long offset(long word) {
    return pool(word).offset(SlotWord.number(word));
  }

  /** The version of a record; what is read afterwards is at least as new. */
  static int version(MemorySegment segment, long offset) {
    return SegmentAccess.intAcquire(segment, offset);
  }

  /**
   * Copies a record. It means nothing before version and slot are checked.
   *
   * @param word the slot that names it
   * @param record the memory it lies in
   * @param offset where it begins
   * @param into becomes its address
   * @return false if the record cannot be one
   */
  static boolean load(long word, MemorySegment record, long offset, AddressKey into) {
    if (SlotWord.sizeClass(word) != IPV6) {
      return into.readRecord(record, offset + CONTENT);
    }
    into.setIpv6(
        record.get(JAVA_LONG, offset + 16),
        record.get(JAVA_LONG, offset + 24),
        record.get(JAVA_INT, offset + 4),
        record.get(JAVA_INT, offset + 8),
        record.get(JAVA_INT, offset + 12));
    return true;
  }

  /**
   * Compares a record. It means nothing before version and slot are checked.
   *
   * @param word the slot that names it
   * @param record the memory it lies in
   * @param offset where it begins
   * @param key an address
   * @return true if both are the same address
   */
  static boolean matches(long word, MemorySegment record, long offset, AddressKey key) {
    if (SlotWord.sizeClass(word) != IPV6) {
      return key.matchesRecord(record, offset + CONTENT);
    }
    return key.format() == FORMAT_IPV6
        && record.get(JAVA_LONG, offset + 24) == key.word(1)
        && record.get(JAVA_LONG, offset + 16) == key.word(0)
        && record.get(JAVA_INT, offset + 4) == (int) (key.word(2) & 0xFFFF)
        && record.get(JAVA_INT, offset + 12) == (int) (key.word(2) >>> 32);
  }

  /**
   * The hash of a record; for the writer.
   *
   * @param word the slot that names it
   * @param seed the seed of the hash
   * @param scratch a key to use on the way
   * @return the hash of its address
   */
  long hash(long word, long seed, AddressKey scratch) {
    MemorySegment record = segment(word);
    long offset = offset(word);
    if (SlotWord.sizeClass(word) == IPV6) {
      load(word, record, offset, scratch);
      return scratch.hash(seed);
    }
    return record.get(JAVA_LONG, offset + HASH);
  }

  /** Bytes of the records in use. */
  long usedBytes() {
    long bytes = 0;
    for (Pool pool : pools) {
      bytes += pool == null ? 0 : pool.usedBytes();
    }
    return bytes;
  }

  private Pool pool(long word) {
    Pool pool = pools[SlotWord.sizeClass(word)];
    if (pool == null) {
      throw new IllegalStateException("slot names a record of a size that was never used");
    }
    return pool;
  }

  private static int sizeClassOf(AddressKey key) {
    if (key.kind() == AddressKey.Kind.IPV6) {
      return IPV6;
    }
    int size = CONTENT + key.recordSize();
    for (int i = 1; i < STRIDES.length; i++) {
      if (STRIDES[i] >= size) {
        return i;
      }
    }
    throw new IllegalArgumentException("address record of " + size + " bytes");
  }
}
