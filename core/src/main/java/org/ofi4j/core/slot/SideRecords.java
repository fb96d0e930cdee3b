// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.function.IntConsumer;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.hash.HashedNumbers;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * What few entries have: user id, count above one, firewall mark, a place among duplicates, a long
 * generation. An index without such a thing costs nothing here. A record is found by a hash of its
 * index.
 *
 * <pre>
 *   record    0 version (4) | 4 index (4) | 8 user id (8)
 *            16 further shares (4) | 20 low half of the generation (4) | 24 flags (4)
 *            28 left | 32 right | 36 parent: links of {@link DuplicateHeap}          40 bytes
 *            28 shares of the run that an entry with a slot came from, where there are no links
 *
 *   flags     0 has a user id | 1 firewall | 2 duplicate | 8 to 23 generation / 2^32
 *             24 to 31 rank in the heap
 * </pre>
 *
 * <p>One thread at a time writes. The version is odd while a record is free. A reader finds the
 * record of an index, and checks that version and index are the same before and after reading: then
 * the record was that index's all the while. If not, the entry that it asks about has died
 * meanwhile. Fields change one by one while the entry lives.
 */
public final class SideRecords implements HashedNumbers {
  private static final int VERSION = SideRecordMemory.VERSION;
  public static final int INDEX = 4;
  static final int USER_ID = 8;
  static final int SHARES = 16;
  static final int GENERATION = 20;
  static final int FLAGS = 24;
  public static final int LEFT = 28;
  static final int RUN_SHARES = LEFT;
  public static final int RIGHT = 32;
  public static final int PARENT = 36;

  static final int HAS_USER_ID = 1;
  static final int FIREWALL = 2;
  private static final int DUPLICATE = 4;
  private static final int RANK_SHIFT = 24;
  private static final int GENERATION_SHIFT = 8;
  private static final int GENERATION_MASK = 0xFFFF << GENERATION_SHIFT;

  private final SideRecordMemory memory;
  private final HashTable cells;
  private final SideRecordLookups lookups;

  /** The index that the writer asked for last, and its record. */
  private int knownIndex = -1;

  private int known;

  /** No records, or those that the root tells of. */
  public SideRecords(SlabAllocator allocator) {
    this.memory = new SideRecordMemory(allocator);
    this.cells = new HashTable(allocator, Superblock.SIDE_CELLS, this, 0);
    this.lookups = new SideRecordLookups(allocator, memory, cells);
  }

  /** What any thread may ask; all else is for the writer. */
  public SideRecordLookups lookups() {
    return lookups;
  }

  /** Goes by what the root says, as another process may have written. */
  public void follow() {
    knownIndex = -1;
  }

  /** Visits the indices that have records. */
  public void forEach(IntConsumer visitor) {
    cells.forEach(record -> visitor.accept(indexOf(record)));
  }

  /**
   * Gives an index an empty record.
   *
   * @param index an index without one
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  public void attach(int index) {
    long hash = lookups.hash(index);
    int record = memory.allocate();
    try {
      cells.prepare(record, true);
    } catch (OutOfMemoryError e) {
      memory.free(record);
      throw e;
    }
    MemorySegment segment = memory.segment(record);
    long offset = memory.offset(record);
    int odd = segment.get(JAVA_INT, offset + VERSION);
    // It was odd, for all to see, before the record was free.
    for (int at = USER_ID; at < SideRecordMemory.BYTES; at += Long.BYTES) {
      segment.set(JAVA_LONG, offset + at, 0);
    }
    segment.set(JAVA_INT, offset + INDEX, index);
    SegmentAccess.intRelease(segment, offset + VERSION, odd + 1);
    cells.put(hash, record);
    knownIndex = index;
    known = record;
  }

  /** Takes the record of an index away, which has one; nothing else tells of it any more. */
  public void detach(int index) {
    int record = record(index);
    knownIndex = -1;
    cells.remove(lookups.hash(index), record);
    // The slot and the cell, the version, the list: in this order for every reader.
    VarHandle.storeStoreFence();
    MemorySegment segment = memory.segment(record);
    long version = memory.offset(record) + VERSION;
    SegmentAccess.intOpaque(segment, version, segment.get(JAVA_INT, version) + 1);
    VarHandle.storeStoreFence();
    memory.free(record);
  }

  /** The number of the record of any index, or -1 if it has none. */
  public int record(int index) {
    if (index != knownIndex) {
      int found = lookups.find(index);
      if (found < 0) {
        return -1;
      }
      knownIndex = index;
      known = found;
    }
    return known;
  }

  public void setUserId(int index, long id) {
    int record = record(index);
    memory.setLongRelease(record, USER_ID, id);
    raise(record, HAS_USER_ID);
  }

  public void setFirewall(int index) {
    raise(record(index), FIREWALL);
  }

  public boolean isFirewall(int index) {
    return (memory.get(record(index), FLAGS) & FIREWALL) != 0;
  }

  void setDuplicate(int index) {
    raise(record(index), DUPLICATE);
  }

  boolean isDuplicate(int index) {
    return (memory.get(record(index), FLAGS) & DUPLICATE) != 0;
  }

  /** Whether a record is that of an entry that has or had companions. */
  public boolean isDuplicateRecord(int record) {
    return (memory.get(record, FLAGS) & DUPLICATE) != 0;
  }

  public int shares(int index) {
    return memory.get(record(index), SHARES);
  }

  public void setShares(int index, int shares) {
    memory.setRelease(record(index), SHARES, shares);
  }

  /** The shares of its run that an entry with a slot has beside its own. */
  public int runShares(int index) {
    return memory.get(record(index), RUN_SHARES);
  }

  /**
   * Says which shares of its run an entry keeps that gets a slot: they count as its own from the
   * store of the slot on, which so changes no number.
   */
  public void setRunShares(int index, int shares) {
    memory.setRelease(record(index), RUN_SHARES, shares);
  }

  public long generation(int index) {
    int record = record(index);
    return generation(memory.get(record, FLAGS), memory.get(record, GENERATION));
  }

  /** Says which generation the entry of an index has, before its slot tells of the record. */
  public void setGeneration(int index, long generation) {
    int record = record(index);
    memory.setRelease(record, GENERATION, (int) generation);
    int high = (int) (generation >>> Integer.SIZE) << GENERATION_SHIFT;
    memory.setRelease(record, FLAGS, (memory.get(record, FLAGS) & ~GENERATION_MASK) | high);
  }

  static long generation(int flags, int low) {
    long high = (long) (flags & GENERATION_MASK) >>> GENERATION_SHIFT;
    return high << Integer.SIZE | Integer.toUnsignedLong(low);
  }

  int indexOf(int record) {
    return memory.get(record, INDEX);
  }

  int link(int record, int which) {
    return memory.get(record, which);
  }

  void setLink(int record, int which, int link) {
    memory.set(record, which, link);
  }

  public int rank(int record) {
    return memory.get(record, FLAGS) >>> RANK_SHIFT;
  }

  void setRank(int record, int rank) {
    int flags = memory.get(record, FLAGS) & (1 << RANK_SHIFT) - 1;
    memory.setRelease(record, FLAGS, rank << RANK_SHIFT | flags);
  }

  int count() {
    return cells.presentCount();
  }

  /** Bytes that the records in use take, with what leads to them. */
  public long usedBytes() {
    return (long) count() * SideRecordMemory.BYTES + cells.usedBytes();
  }

  @Override
  public int hash(int[] numbers, int count, long[] hashes) {
    for (int i = 0; i < count; i++) {
      hashes[i] = lookups.hash(indexOf(numbers[i]));
    }
    return count;
  }

  private void raise(int record, int flag) {
    memory.setRelease(record, FLAGS, memory.get(record, FLAGS) | flag);
  }
}
