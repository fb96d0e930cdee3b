// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import java.lang.foreign.MemorySegment;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.address.PackedIpv6;
import org.ofi4j.core.hash.HashLookups;
import org.ofi4j.core.hash.Table;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.AddressRecords;
import org.ofi4j.core.slot.SlotPages;
import org.ofi4j.core.slot.SlotWord;

/**
 * Lookups of the usual kinds of addresses into native memory, and searches for IPv4 addresses that
 * have entries, in as few instructions as can be: among a million peers they miss the cache, and
 * misses overlap only as far as the instructions of successive calls fit into the window of some
 * hundred that a processor works on at a time. What is not usual is for others: the general way
 * through {@link EntryLookups}.
 *
 * <p>A search is right because the slot decides: where each address has one entry at most, a live
 * slot with the address is the answer, whatever led there. So nothing that is looked at before
 * needs to be of one time, nor to be looked at again: not the table, nor the cells, which may be
 * those of a block that serves another table by now, or no cells at all.
 *
 * <p>Lock-free; by any thread. The fields that {@link #stop} changes are plain, because even an
 * opaque load, which the processor does as any other, makes the compiler load everything again
 * behind it. A thread that sees late that reads have stopped finds nothing, or that the memory is
 * closed.
 */
public final class FastReads {
  /** How many buckets are looked at: what was the table may have no free cells any more. */
  private static final int MOST_BUCKETS = 16;

  /** The offset of the address in a wide slot. */
  private static final int SLOT_ADDRESS = SlotPages.RECORD + AddressRecords.ADDRESS;

  private final long seed;
  private final HashLookups cells;
  private final Runs runs;

  /** Whether an address may have several entries: the slot does not say which is the lowest. */
  private final boolean several;

  /** Whether slots are wide. */
  private final boolean wide;

  /** Whether the memory is that of a file, which may be cut. */
  private final boolean mapped;

  private SlotPages pages;
  private boolean readable = true;

  FastReads(StoreParts parts, StoreOptions options, boolean mapped) {
    this.seed = options.seed();
    this.cells = parts.cells().lookups();
    this.runs = parts.runs();
    this.wide = options.wide();
    this.several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    this.mapped = mapped;
    this.pages = parts.slots().pages();
  }

  /** Reads nothing from now on, as the memory of the file must not be read any more. */
  void stop() {
    readable = false;
    pages = new SlotPages(wide);
  }

  /**
   * Copies the packed address of a handle.
   *
   * @param handle any handle
   * @param target takes the address; its content is undefined if the entry changes during the call
   * @return the length of the address; 0 if that has to be found out in the general way, which also
   *     says what is wrong with the memory or a damaged file
   */
  public int copy(long handle, MemorySegment target) {
    try {
      int length = wide ? copyFromWide(handle, target) : copyIpv4(handle, target);
      if (mapped) {
        MappedFaults.surface();
      }
      return length;
    } catch (RuntimeException | InternalError failed) {
      return 0;
    }
  }

  private int copyIpv4(long handle, MemorySegment target) {
    if (!SegmentAccess.isNative(target) || target.byteSize() < PackedIpv4.SIZE) {
      return 0;
    }
    long word = pages.nearWord(handle);
    if (SlotWord.isIpv4(word)) {
      PackedIpv4.write(SlotWord.body(word), target);
      return PackedIpv4.SIZE;
    }
    return word == 0 ? copyFromRun(handle, target) : 0;
  }

  private int copyFromRun(long handle, MemorySegment target) {
    int index = (int) handle;
    long address = index == handle && readable ? runs.ipv4InOrder(index) : -1;
    if (address < 0) {
      return 0;
    }
    PackedIpv4.write(address, target);
    return PackedIpv4.SIZE;
  }

  /**
   * Copies an address from a wide slot. While the version of the record there is the same, the slot
   * can only be live with this address. So the version is loaded first and last, and the slot in
   * between.
   *
   * <p>On x86 the stores into the target keep these loads in order: that of the version before the
   * first store, and its second load behind the last one; the slot and the first half may be loaded
   * in any order. Parts are stored as they are loaded, because the compiler needs fewer registers
   * then: with the stores at the end a lookup takes twice as long.
   */
  private int copyFromWide(long handle, MemorySegment target) {
    int index = (int) handle;
    MemorySegment page = index == handle ? pages.nearPage(index) : null;
    if (page == null
        || !SegmentAccess.isNative(page)
        || !SegmentAccess.isNative(target)
        || target.byteSize() < PackedIpv6.SIZE) {
      return 0;
    }
    long slot = pages.nearOffset(index);
    if (!SlotWord.isInSlot(SegmentAccess.longInOrder(page, slot))) {
      return 0;
    }
    long head = SegmentAccess.longInOrder(page, slot + SlotPages.RECORD);
    PackedIpv6.writeFamilyAndPort(head, target);
    if (!SlotWord.isInSlot(SegmentAccess.longInOrder(page, slot))) {
      return 0;
    }
    PackedIpv6.writeFirstHalf(SegmentAccess.longInOrder(page, slot + SLOT_ADDRESS), target);
    PackedIpv6.writeSecondHalf(
        SegmentAccess.longInOrder(page, slot + SLOT_ADDRESS + Long.BYTES), target);
    return SegmentAccess.longInOrder(page, slot + SlotPages.RECORD) == head ? PackedIpv6.SIZE : 0;
  }

  /**
   * Finds an IPv4 address.
   *
   * @param address {@code address << 16 | port}, or any number
   * @return an index that had it at a moment during the call; -1 if that has to be found out in the
   *     general way, which also says what is wrong with a file
   */
  public int find(long address) {
    if (several || wide) {
      return -1;
    }
    return mapped ? findInFile(address) : findInCells(address);
  }

  private int findInFile(long address) {
    if (!readable) {
      return -1;
    }
    try {
      int index = findInCells(address);
      if (index < 0) {
        index = runs.findIpv4(address);
      }
      MappedFaults.surface();
      return index;
    } catch (IllegalStateException | InternalError failed) {
      return -1;
    }
  }

  /**
   * Finds an address in cells. The method is longer than what HotSpot makes part of its callers,
   * which would be too large for theirs then; and so their segments would be objects on the heap.
   */
  private int findInCells(long address) {
    long hash = AddressKey.hashIpv4(address, seed);
    Table table = cells.likely(hash);
    int tag = table.tag(hash);
    long home = table.home(hash);
    int first = Table.bucket(home);
    int end = Math.min(table.all(), first + MOST_BUCKETS);
    for (int bucket = first; bucket < end; bucket++) {
      MemorySegment block = table.block(bucket);
      if (block == null || !SegmentAccess.isNative(block)) {
        return -1;
      }
      long start = table.start(bucket);
      for (int i = 0; i < Table.CELLS; i++) {
        // It is aligned; the layout only keeps the compiler from checking that.
        int cell = block.get(JAVA_INT_UNALIGNED, start + Table.offset(home, i));
        int index = table.number(cell, tag);
        if (index >= 0 && SlotWord.isIpv4(pages.nearWordAcquire(index), address)) {
          return index;
        }
        if (cell == 0) {
          return -1;
        }
      }
      home = 0;
    }
    return -1;
  }
}
