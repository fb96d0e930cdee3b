// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * Where {@link SideRecords} lie, and which of them are free.
 *
 * <pre>
 *   block    eight records of 40 bytes, in five units of the {@link SlabAllocator}
 *   number   unit of the block * 8 + which of the eight
 *   free     0 version, odd (4) | 28 the next free record + 1 (4)
 * </pre>
 *
 * <p>A word in the root leads to the first free one. A record once made stays a record, and its
 * version stays at its place: whoever comes to one by an old number can tell what it is now.
 *
 * <p>One thread at a time allocates, frees and writes.
 */
public final class SideRecordMemory {
  public static final int BYTES = 40;
  public static final int VERSION = 0;

  /** Of a free record the next one, of any other what its owner likes. */
  public static final int NEXT_FREE = 28;

  private static final int BLOCK_UNITS = 5;
  private static final int BLOCK_BITS = 3;

  private final SlabAllocator allocator;
  private final MemorySegment root;

  public SideRecordMemory(SlabAllocator allocator) {
    this.allocator = allocator;
    this.root = allocator.root();
  }

  /**
   * Allocates a record.
   *
   * @return its number; its version is odd, and has been for all to see
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  int allocate() {
    int head = root.get(JAVA_INT, Superblock.SIDE_FREE);
    if (head == 0) {
      head = allocateBlock() + 1;
    }
    int record = head - 1;
    root.set(JAVA_INT, Superblock.SIDE_FREE, get(record, NEXT_FREE));
    return record;
  }

  /** Takes back a record whose version is odd. */
  void free(int record) {
    set(record, NEXT_FREE, root.get(JAVA_INT, Superblock.SIDE_FREE));
    root.set(JAVA_INT, Superblock.SIDE_FREE, record + 1);
  }

  /** Whether there is memory where a record of a number would be; for any number. */
  public boolean has(int record) {
    return allocator.has(record >>> BLOCK_BITS, BLOCK_UNITS);
  }

  /** Where a record lies in all memory, in words of eight bytes. */
  public static long place(int record) {
    return (long) (record >>> BLOCK_BITS) * (SlabAllocator.UNIT_BYTES / Long.BYTES)
        + (long) (record & (1 << BLOCK_BITS) - 1) * (BYTES / Long.BYTES);
  }

  MemorySegment segment(int record) {
    return allocator.segment(record >>> BLOCK_BITS);
  }

  long offset(int record) {
    return allocator.offset(record >>> BLOCK_BITS)
        + (record & (1 << BLOCK_BITS) - 1) * (long) BYTES;
  }

  public int get(int record, int field) {
    return segment(record).get(JAVA_INT, offset(record) + field);
  }

  /** Stores what readers do not look at. */
  public void set(int record, int field, int value) {
    segment(record).set(JAVA_INT, offset(record) + field, value);
  }

  void setRelease(int record, int field, int value) {
    SegmentAccess.intRelease(segment(record), offset(record) + field, value);
  }

  void setLongRelease(int record, int field, long value) {
    SegmentAccess.longRelease(segment(record), offset(record) + field, value);
  }

  /** Makes eight free records, and answers the first. */
  private int allocateBlock() {
    int unit = allocator.allocate(BLOCK_UNITS);
    int first = unit << BLOCK_BITS;
    int last = first + (1 << BLOCK_BITS) - 1;
    if (unit >>> (Integer.SIZE - 1 - BLOCK_BITS) != 0 || last == Integer.MAX_VALUE) {
      allocator.free(unit, BLOCK_UNITS);
      throw new OutOfMemoryError("address vector: no side records beyond 16 GiB of memory");
    }
    for (int record = last; record >= first; record--) {
      SegmentAccess.intOpaque(segment(record), offset(record) + VERSION, 1);
      free(record);
    }
    // All are odd before the first one changes.
    VarHandle.storeStoreFence();
    return first;
  }
}
