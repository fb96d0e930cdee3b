// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * What any thread may ask of {@link SideRecords}, lock-free. That there is a record is told by a
 * slot, or, of an entry of a run, by nothing but this.
 */
public final class SideRecordLookups implements HashTable.Match<Void> {
  private static final int VERSION = SideRecordMemory.VERSION;

  private final MemorySegment root;
  private final SideRecordMemory memory;
  private final HashTable cells;

  SideRecordLookups(SlabAllocator allocator, SideRecordMemory memory, HashTable cells) {
    this.root = allocator.root();
    this.memory = memory;
    this.cells = cells;
  }

  public long userId(int index, long absent) {
    return read(index, SideRecords.USER_ID, SideRecords.HAS_USER_ID, absent);
  }

  public boolean hasUserId(int index) {
    return (read(index, SideRecords.FLAGS, SideRecords.HAS_USER_ID, 0) & SideRecords.HAS_USER_ID)
        != 0;
  }

  public boolean isFirewall(int index) {
    return (read(index, SideRecords.FLAGS, SideRecords.FIREWALL, 0) & SideRecords.FIREWALL) != 0;
  }

  /** The shares of an index beyond the first, or {@code absent} if its record is gone. */
  public int shares(int index, int absent) {
    return (int) read(index, SideRecords.SHARES, 0, absent);
  }

  /** Those that it has beside them from a run, if it has a slot; 0 if its record is gone. */
  public int runShares(int index) {
    return (int) read(index, SideRecords.RUN_SHARES, 0, 0);
  }

  /** The generation of an index that has a slot, or -1 if its record is gone. */
  long generation(int index) {
    return read(index, SideRecords.GENERATION, 0, -1);
  }

  /**
   * A field of the record of an index.
   *
   * @param field where the field is, which tells how long it is
   * @param flag the flag that says whether the field is set, or 0
   * @param absent the answer if it is not, or the record is gone
   */
  private long read(int index, int field, int flag, long absent) {
    int record = find(index);
    if (record < 0) {
      return absent;
    }
    MemorySegment segment = memory.segment(record);
    long offset = memory.offset(record);
    int version = SegmentAccess.intAcquire(segment, offset + VERSION);
    // A flag comes after what it speaks of, so it is loaded before.
    int flags = SegmentAccess.intAcquire(segment, offset + SideRecords.FLAGS);
    long value =
        field == SideRecords.USER_ID
            ? SegmentAccess.longAcquire(segment, offset + field)
            : SegmentAccess.intOpaque(segment, offset + field);
    if (field == SideRecords.GENERATION) {
      value = SideRecords.generation(flags, (int) value);
    }
    int owner = SegmentAccess.intOpaque(segment, offset + SideRecords.INDEX);
    // What was read is older than the second look at the version: if that is the same, the record
    // was the index's from the first look on.
    VarHandle.acquireFence();
    return (flags & flag) == flag
            && (version & 1) == 0
            && owner == index
            && SegmentAccess.intOpaque(segment, offset + VERSION) == version
        ? value
        : absent;
  }

  /** The record whose cell is found, or -1. It may be free, or of another index, by now. */
  int find(int index) {
    return cells.find(hash(index), this, null, index);
  }

  @Override
  public int look(
      MemorySegment block, long at, int cell, int number, @Nullable Void key, long wanted) {
    // A block of cells that is used for something else by now may hold any number.
    boolean found =
        number >= 0
            && memory.has(number)
            && SegmentAccess.intOpaque(
                    memory.segment(number), memory.offset(number) + SideRecords.INDEX)
                == wanted;
    return found ? number : -1;
  }

  /** Whoever can choose indices that get records must not be able to choose many of one hash. */
  long hash(int index) {
    return AddressKey.hashIpv4(index, root.get(JAVA_LONG, Superblock.SEED));
  }
}
