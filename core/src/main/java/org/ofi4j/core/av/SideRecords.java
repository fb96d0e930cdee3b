package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * What few entries have: user id, count above one, firewall mark, a place among duplicates, a long
 * generation. An index without such a thing costs nothing here.
 *
 * <pre>
 *   top      index / 64           number of a leaf + 1, or 0             4 bytes
 *   leaf     0 records in it (4) | 4 unused (4)
 *            8 + 4 * (index % 64)   number of a record + 1, or 0       264 bytes
 *   record   0 version (4) | 4 index (4) | 8 user id (8)
 *            16 further shares (4) | 20 generation / 2^13 (4) | 24 flags (4)
 *            28 child | 32 next | 36 previous: links of {@link DuplicateHeap}
 *                                                                       40 bytes
 * </pre>
 *
 * <p>Free leaves are linked through bytes 4 to 7, free records through bytes 28 to 31.
 *
 * <p>One thread at a time writes. The version is odd while a record is free. A reader that was told
 * by a slot that the index has a record finds it, and checks that version and index are the same
 * before and after reading: then the record was that index's all the while. If not, the entry that
 * the slot told of has died meanwhile. Fields change one by one while the entry lives.
 */
final class SideRecords {
  static final int BYTES = 40;

  private static final int LEAF_BYTES = 264;
  private static final int LEAF_SHIFT = 6;
  private static final int LEAF_MASK = (1 << LEAF_SHIFT) - 1;

  private static final int VERSION = 0;
  private static final int INDEX = 4;
  private static final int USER_ID = 8;
  private static final int SHARES = 16;
  private static final int GENERATION = 20;
  private static final int FLAGS = 24;
  private static final int CHILD = 28;
  private static final int NEXT = 32;
  private static final int PREVIOUS = 36;

  private static final int HAS_USER_ID = 1;
  private static final int FIREWALL = 2;
  private static final int DUPLICATE = 4;

  private final Chunks top;
  private final Pool leaves;
  private final Pool records;

  SideRecords(MemorySource memory) {
    top = new Chunks(memory, Integer.BYTES, 4, 18);
    leaves = new Pool(memory, LEAF_BYTES, 4);
    records = new Pool(memory, BYTES, CHILD);
  }

  // For the writer.

  /**
   * Gives an index an empty record.
   *
   * @param index an index without one
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void attach(int index) {
    int block = index >>> LEAF_SHIFT;
    top.ensure(block);
    int record = records.take();
    MemorySegment topChunk = top.segment(block);
    int leaf = topChunk.get(JAVA_INT, top.offset(block)) - 1;
    boolean newLeaf = leaf < 0;
    if (newLeaf) {
      try {
        leaf = leaves.take();
      } catch (OutOfMemoryError e) {
        records.give(record);
        throw e;
      }
    }
    MemorySegment segment = records.segment(record);
    long offset = records.offset(record);
    int odd = segment.get(JAVA_INT, offset + VERSION) | 1;
    SegmentAccess.intOpaque(segment, offset + VERSION, odd);
    // The odd version is there before the first byte changes.
    VarHandle.storeStoreFence();
    segment.asSlice(offset + INDEX, BYTES - INDEX).fill((byte) 0);
    segment.set(JAVA_INT, offset + INDEX, index);
    SegmentAccess.intRelease(segment, offset + VERSION, odd + 1);

    MemorySegment leafSegment = leaves.segment(leaf);
    long leafOffset = leaves.offset(leaf);
    int count = newLeaf ? 0 : leafSegment.get(JAVA_INT, leafOffset);
    leafSegment.set(JAVA_INT, leafOffset, count + 1);
    SegmentAccess.intRelease(leafSegment, leafOffset + entry(index), record + 1);
    if (newLeaf) {
      SegmentAccess.intRelease(topChunk, top.offset(block), leaf + 1);
    }
  }

  /**
   * Takes the record of an index away; its slot does not tell of it any more.
   *
   * @param index an index with a record
   */
  void detach(int index) {
    int block = index >>> LEAF_SHIFT;
    MemorySegment topChunk = top.segment(block);
    int leaf = topChunk.get(JAVA_INT, top.offset(block)) - 1;
    MemorySegment leafSegment = leaves.segment(leaf);
    long leafOffset = leaves.offset(leaf);
    int record = leafSegment.get(JAVA_INT, leafOffset + entry(index)) - 1;
    // The slot, the version, the list: in this order for every reader.
    VarHandle.storeStoreFence();
    MemorySegment segment = records.segment(record);
    long offset = records.offset(record);
    SegmentAccess.intOpaque(segment, offset + VERSION, segment.get(JAVA_INT, offset + VERSION) + 1);
    VarHandle.storeStoreFence();
    records.give(record);

    SegmentAccess.intOpaque(leafSegment, leafOffset + entry(index), 0);
    int count = leafSegment.get(JAVA_INT, leafOffset) - 1;
    leafSegment.set(JAVA_INT, leafOffset, count);
    if (count == 0) {
      SegmentAccess.intOpaque(topChunk, top.offset(block), 0);
      leaves.give(leaf);
    }
  }

  void setUserId(int index, long id) {
    int record = record(index);
    SegmentAccess.longRelease(records.segment(record), records.offset(record) + USER_ID, id);
    raise(record, HAS_USER_ID);
  }

  void setFirewall(int index) {
    raise(record(index), FIREWALL);
  }

  void setDuplicate(int index) {
    raise(record(index), DUPLICATE);
  }

  boolean isDuplicate(int index) {
    int record = record(index);
    return (field(record, FLAGS) & DUPLICATE) != 0;
  }

  int shares(int index) {
    return field(record(index), SHARES);
  }

  void setShares(int index, int shares) {
    setField(record(index), SHARES, shares);
  }

  int highGeneration(int index) {
    return field(record(index), GENERATION);
  }

  void setHighGeneration(int index, int generation) {
    setField(record(index), GENERATION, generation);
  }

  int child(int index) {
    return field(record(index), CHILD);
  }

  void setChild(int index, int link) {
    setField(record(index), CHILD, link);
  }

  int next(int index) {
    return field(record(index), NEXT);
  }

  void setNext(int index, int link) {
    setField(record(index), NEXT, link);
  }

  int previous(int index) {
    return field(record(index), PREVIOUS);
  }

  void setPrevious(int index, int link) {
    setField(record(index), PREVIOUS, link);
  }

  /** Bytes that the records in use take, with what leads to them. */
  long usedBytes() {
    long used = records.usedBytes();
    return used == 0 ? 0 : used + leaves.usedBytes() + top.capacity() * Integer.BYTES;
  }

  // For any thread; the slot has told that there is a record.

  /**
   * The user id of an index.
   *
   * @param index the index
   * @param absent the answer if it has none
   * @return the user id
   */
  long readUserId(int index, long absent) {
    int record = record(index);
    if (record < 0) {
      return absent;
    }
    MemorySegment segment = records.segment(record);
    long offset = records.offset(record);
    int version = SegmentAccess.intAcquire(segment, offset + VERSION);
    // The flag comes after the first user id, so it is loaded before.
    int flags = SegmentAccess.intAcquire(segment, offset + FLAGS);
    long id = SegmentAccess.longOpaque(segment, offset + USER_ID);
    return (flags & HAS_USER_ID) != 0 && belongs(segment, offset, version, index) ? id : absent;
  }

  boolean readFirewall(int index) {
    return (read(index, FLAGS, 0) & FIREWALL) != 0;
  }

  /**
   * The shares of an index beyond the first.
   *
   * @param index the index
   * @param absent the answer if its record is gone
   * @return the number
   */
  int readShares(int index, int absent) {
    return read(index, SHARES, absent);
  }

  /**
   * The high bits of the generation of an index.
   *
   * @param index the index
   * @param absent the answer if its record is gone
   * @return the generation divided by 2<sup>13</sup>
   */
  int readHighGeneration(int index, int absent) {
    return read(index, GENERATION, absent);
  }

  private int read(int index, int field, int absent) {
    int record = record(index);
    if (record < 0) {
      return absent;
    }
    MemorySegment segment = records.segment(record);
    long offset = records.offset(record);
    int version = SegmentAccess.intAcquire(segment, offset + VERSION);
    int value = SegmentAccess.intOpaque(segment, offset + field);
    return belongs(segment, offset, version, index) ? value : absent;
  }

  /** Whether the record was the index's from the load of the version until now. */
  private static boolean belongs(MemorySegment segment, long offset, int version, int index) {
    int owner = SegmentAccess.intOpaque(segment, offset + INDEX);
    // What was read is older than the second look at the version.
    VarHandle.acquireFence();
    return (version & 1) == 0
        && owner == index
        && SegmentAccess.intOpaque(segment, offset + VERSION) == version;
  }

  /** The record that top and leaf lead to, or -1. A reader may be led to one of another index. */
  private int record(int index) {
    int block = index >>> LEAF_SHIFT;
    MemorySegment topChunk = top.chunk(block);
    if (topChunk == null) {
      return -1;
    }
    int leaf = SegmentAccess.intAcquire(topChunk, top.offset(block)) - 1;
    if (leaf < 0) {
      return -1;
    }
    return SegmentAccess.intAcquire(leaves.segment(leaf), leaves.offset(leaf) + entry(index)) - 1;
  }

  private static int entry(int index) {
    return 8 + (index & LEAF_MASK) * Integer.BYTES;
  }

  private int field(int record, int field) {
    return records.segment(record).get(JAVA_INT, records.offset(record) + field);
  }

  private void setField(int record, int field, int value) {
    SegmentAccess.intRelease(records.segment(record), records.offset(record) + field, value);
  }

  private void raise(int record, int flag) {
    setField(record, FLAGS, field(record, FLAGS) | flag);
  }
}
