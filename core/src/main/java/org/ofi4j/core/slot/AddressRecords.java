// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv6;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * Addresses that do not fit into the word of a slot, in records of 16 sizes.
 *
 * <pre>
 *   size class 0, 24 bytes: IPv6 without flow label and scope
 *     0 version (4) | 4 family AF_INET6 (2) | 6 port BE (2) | 8 address BE (16)
 *
 *   size class 1, 32 bytes: any other IPv6
 *     the same, and then 24 flow label (4) | 28 scope (4)
 *
 *   size classes 2 to 15, 48 to 6144 bytes: everything else
 *     0 version (4) | 4 unused (4) | 8 hash (8) | 16 record of AddressKey
 * </pre>
 *
 * <p>Records lie in blocks of the {@link SlabAllocator} and are named by their place in it, in
 * words of eight bytes: {@code unit * 8 + word in the unit}, which has 33 bits. Only a writer that
 * follows one that died gives units without records back to the allocator. The root has the place
 * of a free record of each size (8), or 0. A free record has the place of the next one at offset 8.
 *
 * <p>The record of a wide slot stays with the slot. It is written only while the slot is not live,
 * and its version stays even when the entry dies. If the slot says that its address is here, the
 * present version is that of its entry.
 *
 * <p>The version is odd while the record is written or free. A writer makes it odd, changes the
 * record, and makes it even again with a release store, before the one store of the slot that names
 * the record. A reader takes slot, version (acquire), content, slot again, version again. If the
 * version is the same and even, the content did not change meanwhile; if the slot is the same too,
 * the content was that of the slot when it was looked at again. If not, the entry died or got
 * another address while the reader looked. Who asks for the address of an index looks again. Who
 * asks whether it has a certain one need not: there was a moment when it had not.
 *
 * <p>A version returns after 2<sup>31</sup> uses of one record, which no reader sits through.
 */
public final class AddressRecords {
  private static final int[] STRIDES = {
    24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 6144
  };

  public static final int CLASSES = STRIDES.length;

  /** Units of the blocks of records of at most half their size; others have a block each. */
  private static final int BLOCK_UNITS = 12;

  /** Versions of records are at most so much above the one that records begin with. */
  private static final int VERSIONS = 1 << 16;

  private static final int IPV6 = 0;
  private static final int LONG_IPV6 = 1;
  private static final int FAMILY = 4;
  private static final int PORT = 6;
  public static final int ADDRESS = 8;
  private static final int FLOW = 24;
  private static final int SCOPE = 28;

  /** Where a free record has the place of the next one. */
  public static final int LINK = 8;

  private static final int HASH = 8;
  private static final int CONTENT = 16;

  private static final ValueLayout.OfLong BE_LONG = JAVA_LONG.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfShort BE_SHORT = JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

  private static final int WORDS_PER_UNIT = SlabAllocator.UNIT_BYTES / Long.BYTES;

  private final SlabAllocator allocator;
  private final MemorySegment root;

  public AddressRecords(SlabAllocator allocator) {
    this.allocator = allocator;
    this.root = allocator.root();
  }

  /**
   * Writes an address into a new record.
   *
   * @return state and body of the slot that is to name it
   * @throws OutOfMemoryError if memory ran out
   */
  long store(AddressKey key, long hash) {
    int sizeClass = sizeClassOf(key);
    long place = allocate(sizeClass);
    MemorySegment record = allocator.segment(unit(place));
    long offset = offset(place);
    int before = record.get(JAVA_INT, offset);
    int first = root.get(JAVA_INT, Superblock.FIRST_VERSION);
    int odd = (before == 0 ? first : before) | 1;
    // Kept near the latest version in steps, so that most records do not store it.
    if ((odd & VERSIONS - 1) == 1 && odd - first >= VERSIONS) {
      root.set(JAVA_INT, Superblock.FIRST_VERSION, odd - 1);
    }
    write(record, offset, odd, sizeClass, key, hash);
    return SlotWord.record(sizeClass, place);
  }

  /**
   * Writes an address into the record of a wide slot, which is not live, if it fits there.
   *
   * @return false if it does not, and nothing has changed
   */
  static boolean write(MemorySegment slots, long offset, AddressKey key) {
    if (key.kind() != AddressKey.Kind.IPV6 || sizeClassOf(key) != IPV6) {
      return false;
    }
    // The slot of the former entry is freed before the version becomes odd.
    VarHandle.storeStoreFence();
    write(slots, offset, slots.get(JAVA_INT, offset) | 1, IPV6, key, 0);
    return true;
  }

  private static void write(
      MemorySegment record, long offset, int odd, int sizeClass, AddressKey key, long hash) {
    SegmentAccess.intOpaque(record, offset, odd);
    // The odd version is there before the first byte changes.
    VarHandle.storeStoreFence();
    if (sizeClass <= LONG_IPV6) {
      long scopeAndPort = key.word(2);
      record.set(JAVA_SHORT, offset + FAMILY, (short) PackedIpv6.FAMILY);
      record.set(BE_SHORT, offset + PORT, (short) scopeAndPort);
      record.set(BE_LONG, offset + ADDRESS, key.word(0));
      record.set(BE_LONG, offset + ADDRESS + 8, key.word(1));
      if (sizeClass == LONG_IPV6) {
        record.set(JAVA_INT, offset + FLOW, (int) key.word(3));
        record.set(JAVA_INT, offset + SCOPE, (int) (scopeAndPort >>> 32));
      }
    } else {
      record.set(JAVA_LONG, offset + HASH, hash);
      key.writeRecord(record, offset + CONTENT);
    }
    SegmentAccess.intRelease(record, offset, odd + 1);
  }

  /** Frees a record that no slot names any more. */
  void retire(long word) {
    long place = SlotWord.place(word);
    int sizeClass = SlotWord.sizeClass(word);
    MemorySegment record = allocator.segment(unit(place));
    long offset = offset(place);
    // The slot stopped naming the record before the version says so, and that before the list
    // overwrites it.
    VarHandle.storeStoreFence();
    SegmentAccess.intOpaque(record, offset, record.get(JAVA_INT, offset) + 1);
    VarHandle.storeStoreFence();
    addFree(sizeClass, place);
    count(-STRIDES[sizeClass]);
  }

  /** Bytes of records of a size, 0 to 15. */
  public static int stride(int sizeClass) {
    return STRIDES[sizeClass];
  }

  /** The memory that a record lies in. */
  public MemorySegment segment(long word) {
    return allocator.segment(unit(SlotWord.place(word)));
  }

  /** Where in that memory it begins. */
  public long offsetOf(long word) {
    return offset(SlotWord.place(word));
  }

  /** The version of a record; what is read afterwards is at least as new. */
  public static int version(MemorySegment segment, long offset) {
    return SegmentAccess.intAcquire(segment, offset);
  }

  /**
   * Copies a record. It means nothing before version and slot are checked.
   *
   * @return false if the record cannot be one
   */
  public static boolean load(long word, MemorySegment record, long offset, AddressKey into) {
    int sizeClass = SlotWord.sizeClass(word);
    if (sizeClass > LONG_IPV6) {
      return into.readRecord(record, offset + CONTENT);
    }
    if (record.get(JAVA_SHORT, offset + FAMILY) != PackedIpv6.FAMILY) {
      return false;
    }
    boolean isLong = sizeClass == LONG_IPV6;
    into.setIpv6(
        record.get(BE_LONG, offset + ADDRESS),
        record.get(BE_LONG, offset + ADDRESS + 8),
        record.get(BE_SHORT, offset + PORT) & 0xFFFF,
        isLong ? record.get(JAVA_INT, offset + FLOW) : 0,
        isLong ? record.get(JAVA_INT, offset + SCOPE) : 0);
    return true;
  }

  /**
   * Compares a record. It means nothing before version and slot are checked.
   *
   * @return true if both are the same address
   */
  static boolean matches(long word, MemorySegment record, long offset, AddressKey key) {
    int sizeClass = SlotWord.sizeClass(word);
    if (sizeClass > LONG_IPV6) {
      return key.matchesRecord(record, offset + CONTENT);
    }
    int scope = sizeClass == LONG_IPV6 ? record.get(JAVA_INT, offset + SCOPE) : 0;
    return key.isIpv6()
        && record.get(BE_LONG, offset + ADDRESS + 8) == key.word(1)
        && record.get(BE_LONG, offset + ADDRESS) == key.word(0)
        && record.get(BE_SHORT, offset + PORT) == (short) key.word(2)
        && scope == (int) (key.word(2) >>> 32);
  }

  /** As {@link #matches}, of an IPv4 address: text may spell one. */
  static boolean matchesIpv4(long word, MemorySegment record, long offset, long address) {
    return SlotWord.sizeClass(word) > LONG_IPV6
        && AddressKey.isIpv4Record(record, offset + CONTENT, address);
  }

  /** The hash of a record; for the writer. */
  static long hash(long word, MemorySegment record, long offset, long seed) {
    int sizeClass = SlotWord.sizeClass(word);
    if (sizeClass > LONG_IPV6) {
      return record.get(JAVA_LONG, offset + HASH);
    }
    long scope = sizeClass == LONG_IPV6 ? record.get(JAVA_INT, offset + SCOPE) : 0;
    return AddressKey.hashIpv6(
        record.get(BE_LONG, offset + ADDRESS),
        record.get(BE_LONG, offset + ADDRESS + 8),
        scope << Integer.SIZE | (record.get(BE_SHORT, offset + PORT) & 0xFFFF),
        seed);
  }

  public long usedBytes() {
    return root.get(JAVA_LONG, Superblock.RECORD_BYTES);
  }

  // For a writer that follows one that died.

  /**
   * Begins without records; {@link #addFree} and {@link #count} add those that are free, and those
   * in use. A record in memory that had another use begins with a version above all versions so
   * far. So a reader that has stopped in a former record there finds another version.
   */
  public void restore() {
    root.asSlice(Superblock.RECORDS, (long) CLASSES * Long.BYTES).fill((byte) 0);
    root.set(JAVA_LONG, Superblock.RECORD_BYTES, 0);
    int version = root.get(JAVA_INT, Superblock.FIRST_VERSION);
    root.set(JAVA_INT, Superblock.FIRST_VERSION, version + VERSIONS);
  }

  /** Makes a record free. */
  public void addFree(int sizeClass, long place) {
    long list = list(sizeClass);
    allocator.segment(unit(place)).set(JAVA_LONG, offset(place) + LINK, root.get(JAVA_LONG, list));
    root.set(JAVA_LONG, list, place);
  }

  private long allocate(int sizeClass) {
    long list = list(sizeClass);
    if (root.get(JAVA_LONG, list) == 0) {
      addBlock(sizeClass);
    }
    long place = root.get(JAVA_LONG, list);
    root.set(JAVA_LONG, list, allocator.segment(unit(place)).get(JAVA_LONG, offset(place) + LINK));
    count(STRIDES[sizeClass]);
    return place;
  }

  /** Makes the records of a new block free, the first of them the next one to be used. */
  private void addBlock(int sizeClass) {
    int stride = STRIDES[sizeClass];
    int ownUnits = stride / SlabAllocator.UNIT_BYTES;
    int units = ownUnits * 2 <= BLOCK_UNITS ? BLOCK_UNITS : ownUnits;
    long block = (long) allocator.allocate(units) * WORDS_PER_UNIT;
    for (int i = units * SlabAllocator.UNIT_BYTES / stride - 1; i >= 0; i--) {
      addFree(sizeClass, block + (long) i * stride / Long.BYTES);
    }
  }

  /** Adds to the bytes of the records in use. */
  public void count(int bytes) {
    root.set(JAVA_LONG, Superblock.RECORD_BYTES, usedBytes() + bytes);
  }

  /** Returns the offset in the root of the place of a free record of a size. */
  public static long list(int sizeClass) {
    return Superblock.RECORDS + (long) sizeClass * Long.BYTES;
  }

  public static int unit(long place) {
    return (int) (place / WORDS_PER_UNIT);
  }

  /** Where a place is in the segment of its unit. */
  public long offset(long place) {
    return allocator.offset(unit(place)) + place % WORDS_PER_UNIT * Long.BYTES;
  }

  private static int sizeClassOf(AddressKey key) {
    if (key.kind() == AddressKey.Kind.IPV6) {
      boolean plain = key.word(3) == 0 && key.word(2) >>> 32 == 0;
      return plain ? IPV6 : LONG_IPV6;
    }
    int size = CONTENT + key.recordSize();
    for (int i = LONG_IPV6 + 1; i < STRIDES.length; i++) {
      if (STRIDES[i] >= size) {
        return i;
      }
    }
    throw new IllegalArgumentException("address record of " + size + " bytes");
  }
}
