// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.address.PackedIpv6;
import org.ofi4j.core.memory.MappedFaults;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.AddressRecords;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.SlotPages;
import org.ofi4j.core.slot.SlotWord;

/**
 * Lookups of the usual kinds of addresses into the usual kind of buffer, in as few instructions as
 * can be: a lookup among a million peers misses the cache, and misses overlap only as far as the
 * instructions of successive lookups fit into the window of some hundred that a processor works on
 * at a time. What is not usual is for others: the general way through {@link EntryLookups}.
 *
 * <p>Lock-free; by any thread. The fields that {@link #stop} changes are plain, because even an
 * opaque load, which the processor does as any other, makes the compiler load everything again
 * behind it. A thread that sees late that lookups have stopped finds nothing, or that the memory is
 * closed.
 */
public final class PackedLookups {
  private SlotPages pages;
  private @Nullable Runs runs;
  private @Nullable AddressRecords records;

  /** Whether the memory is that of a file, which may be cut. */
  private final boolean mapped;

  /**
   * Lookups in a store.
   *
   * @param runs its runs; null if there are none
   * @param records its addresses that are not in slots; null if there are none
   */
  PackedLookups(
      SlotPages pages, @Nullable Runs runs, @Nullable AddressRecords records, boolean mapped) {
    this.pages = pages;
    this.runs = runs;
    this.records = records;
    this.mapped = mapped;
  }

  /** Lookups that find nothing: where handles are no indices. */
  public static PackedLookups none() {
    return new PackedLookups(new SlotPages(), null, null, false);
  }

  /** Finds nothing from now on. */
  public void stop() {
    pages = new SlotPages();
    runs = null;
    records = null;
  }

  /**
   * Copies the packed address of a handle.
   *
   * @param handle any handle
   * @return the length of the address; 0 if that has to be found out in the general way, which also
   *     says what is wrong with the memory or a damaged file, and then nothing was copied
   */
  public int copy(long handle, MemorySegment target) {
    try {
      if (target.byteSize() < PackedIpv4.SIZE) {
        return 0;
      }
      int length = copyAny(handle, target);
      if (mapped) {
        MappedFaults.surface();
      }
      return length;
    } catch (IllegalStateException
        | IllegalArgumentException
        | IndexOutOfBoundsException
        | WrongThreadException
        | InternalError failed) {
      return 0;
    }
  }

  private int copyAny(long handle, MemorySegment target) {
    if (!SegmentAccess.isNative(target)) {
      return copyToHeap(handle, target);
    }
    long word = pages.nearWord(handle);
    if (SlotWord.isIpv4(word)) {
      PackedIpv4.write(SlotWord.body(word), target);
      return PackedIpv4.SIZE;
    }
    return word == 0 ? copyFromRun(handle, target) : copyIpv6(handle, word, target);
  }

  private int copyToHeap(long handle, MemorySegment target) {
    long word = pages.nearWord(handle);
    // There is no store into native memory that would keep loads in order.
    VarHandle.acquireFence();
    if (!SlotWord.isIpv4(word)) {
      return 0;
    }
    if (SegmentAccess.isBytes(target)) {
      PackedIpv4.write(SlotWord.body(word), target);
      return PackedIpv4.SIZE;
    }
    if (SegmentAccess.isLongs(target)) {
      PackedIpv4.write(SlotWord.body(word), target);
      return PackedIpv4.SIZE;
    }
    return 0;
  }

  private int copyFromRun(long handle, MemorySegment target) {
    int index = (int) handle;
    Runs all = runs;
    long address = index == handle && all != null ? all.ipv4InOrder(index) : -1;
    if (address < 0) {
      return 0;
    }
    PackedIpv4.write(address, target);
    return PackedIpv4.SIZE;
  }

  /** As {@link Entries#load} does it, of an IPv6 address without flow label and scope. */
  private int copyIpv6(long handle, long word, MemorySegment target) {
    AddressRecords known = records;
    if (known == null || !AddressRecords.isIpv6(word) || target.byteSize() < PackedIpv6.SIZE) {
      return 0;
    }
    MemorySegment record = known.knownSegment(word);
    if (record == null || !SegmentAccess.isNative(record)) {
      return 0;
    }
    long offset = known.offsetOf(word);
    long head = SegmentAccess.longAcquire(record, offset);
    long high = record.get(JAVA_LONG, offset + AddressRecords.ADDRESS);
    long low = record.get(JAVA_LONG, offset + AddressRecords.ADDRESS + Long.BYTES);
    VarHandle.acquireFence();
    if (!AddressRecords.isReadable(head)
        || pages.nearWord(handle) != word
        || record.get(JAVA_LONG, offset) != head) {
      return 0;
    }
    PackedIpv6.write(high, low, AddressRecords.port(head), target);
    return PackedIpv6.SIZE;
  }
}
