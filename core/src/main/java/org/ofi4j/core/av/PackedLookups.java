package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.address.PackedIpv6;

/**
 * Lookups of the usual kinds of addresses into the usual kind of buffer, in as few instructions as
 * can be: a lookup among a million peers misses the cache, and misses overlap only as far as the
 * instructions of successive lookups fit into the window of some hundred that a processor works on
 * at a time. What is not usual is for others: the general way through {@link EntryLookups}.
 *
 * <p>Lock-free; by any thread.
 */
class PackedLookups {
  private final SlotPages pages;
  private final LiveIntervals live;
  private final @Nullable AddressRecords records;

  /**
   * Lookups in a store.
   *
   * @param pages its slots
   * @param live what is known of its runs
   * @param records its addresses that are not in slots
   */
  PackedLookups(SlotPages pages, LiveIntervals live, @Nullable AddressRecords records) {
    this.pages = pages;
    this.live = live;
    this.records = records;
  }

  /** Lookups that find nothing, where handles are no indices. */
  static PackedLookups none() {
    return new PackedLookups(new SlotPages(), new LiveIntervals(), null);
  }

  /**
   * Copies the packed address of a handle.
   *
   * @param handle any handle
   * @param target takes the address
   * @return the length of the address; 0 if that has to be found out in the general way, and then
   *     nothing was copied
   */
  int copy(long handle, MemorySegment target) {
    return copyPacked(handle, target);
  }

  /** The same, for whoever has come here already. */
  final int copyPacked(long handle, MemorySegment target) {
    if (target.byteSize() < PackedIpv4.SIZE) {
      return 0;
    }
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
    long address = index == handle ? live.ipv4InOrder(index) : -1;
    if (address < 0) {
      return 0;
    }
    PackedIpv4.write(address, target);
    return PackedIpv4.SIZE;
  }

  /** As {@link Entries#load} does it, of an IPv6 address without flow label and scope. */
  private int copyIpv6(long handle, long word, MemorySegment target) {
    if (records == null || !AddressRecords.isIpv6(word) || target.byteSize() < PackedIpv6.SIZE) {
      return 0;
    }
    MemorySegment record = records.knownSegment(word);
    if (record == null) {
      return 0;
    }
    long offset = records.offsetOf(word);
    if (SegmentAccess.isNative(record)) {
      return copyIpv6(handle, word, record, offset, target);
    }
    // As in SlotPages.nearWord.
    return record.isMapped() ? copyIpv6(handle, word, record, offset, target) : 0;
  }

  private int copyIpv6(
      long handle, long word, MemorySegment record, long offset, MemorySegment target) {
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
