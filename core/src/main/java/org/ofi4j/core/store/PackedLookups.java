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
import org.ofi4j.core.object.StrayInterrupt;
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
 * <p>What is looked at is one object, which another one takes the place of: the entries of a named
 * vector may go to another file. It is not asked here whether they have: before anything changes in
 * the other file, the slots of this one are marked, and its word of runs leads to none. So nothing
 * is found here that is not so, and the general way goes over to the other file. Which object it
 * is, is a plain field: even an opaque load, which the processor does as any other, makes the
 * compiler load everything again behind it that it knows already. A thread that sees late what is
 * in the field finds nothing.
 *
 * <p>Lock-free; by any thread.
 */
public final class PackedLookups {
  /**
   * What is looked at; its fields are final, and so complete for whoever finds it.
   *
   * @param records addresses that are not in slots
   * @param mapped whether all that is in a file, which may be cut
   */
  private record Source(
      SlotPages pages, @Nullable Runs runs, @Nullable AddressRecords records, boolean mapped) {
    private static final Source NOTHING = new Source(new SlotPages(), null, null, false);
  }

  /** Perhaps seen late by others. */
  private Source source;

  /**
   * Lookups in a store.
   *
   * @param records its addresses that are not in slots
   */
  PackedLookups(SlotPages pages, Runs runs, AddressRecords records) {
    this.source = new Source(pages, runs, records, false);
  }

  private PackedLookups() {
    this.source = Source.NOTHING;
  }

  /** Lookups that find nothing: where handles are no indices, or there are no entries yet. */
  public static PackedLookups none() {
    return new PackedLookups();
  }

  /** From now on lookups are in a file. */
  public void use(PackedLookups lookups) {
    Source there = lookups.source;
    source = new Source(there.pages, there.runs, there.records, true);
  }

  /** From now on nothing is found here. */
  public void stop() {
    source = Source.NOTHING;
  }

  /**
   * Copies the packed address of a handle.
   *
   * @param handle any handle
   * @return the length of the address; 0 if that has to be found out in the general way, which also
   *     says what is wrong with the memory or a damaged file, and then nothing was copied
   */
  @SuppressWarnings("ReferenceEquality") // whether it is another one, be it alike
  public int copy(long handle, MemorySegment target) {
    Source now = source;
    try {
      if (target.byteSize() < PackedIpv4.SIZE) {
        return 0;
      }
      int length = copy(now, handle, target);
      if (now.mapped) {
        MappedFaults.surface();
      }
      return length;
    } catch (IllegalStateException
        | IllegalArgumentException
        | IndexOutOfBoundsException
        | WrongThreadException
        | InternalError failed) {
      // The source changes before the former one is closed.
      VarHandle.acquireFence();
      Source next = source;
      if (next != now && next.mapped) {
        StrayInterrupt.takeBack(failed);
      }
      return 0;
    }
  }

  private static int copy(Source now, long handle, MemorySegment target) {
    if (!SegmentAccess.isNative(target)) {
      return copyToHeap(now, handle, target);
    }
    long word = now.pages.nearWord(handle);
    if (SlotWord.isIpv4(word)) {
      PackedIpv4.write(SlotWord.body(word), target);
      return PackedIpv4.SIZE;
    }
    return word == 0 ? copyFromRun(now, handle, target) : copyIpv6(now, handle, word, target);
  }

  private static int copyToHeap(Source now, long handle, MemorySegment target) {
    long word = now.pages.nearWord(handle);
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

  private static int copyFromRun(Source now, long handle, MemorySegment target) {
    int index = (int) handle;
    Runs runs = now.runs;
    long address = index == handle && runs != null ? runs.ipv4InOrder(index) : -1;
    if (address < 0) {
      return 0;
    }
    PackedIpv4.write(address, target);
    return PackedIpv4.SIZE;
  }

  /** As {@link Entries#load} does it, of an IPv6 address without flow label and scope. */
  private static int copyIpv6(Source now, long handle, long word, MemorySegment target) {
    AddressRecords records = now.records;
    if (records == null || !AddressRecords.isIpv6(word) || target.byteSize() < PackedIpv6.SIZE) {
      return 0;
    }
    MemorySegment record = records.knownSegment(word);
    if (record == null || !SegmentAccess.isNative(record)) {
      return 0;
    }
    long offset = records.offsetOf(word);
    long head = SegmentAccess.longAcquire(record, offset);
    long high = record.get(JAVA_LONG, offset + AddressRecords.ADDRESS);
    long low = record.get(JAVA_LONG, offset + AddressRecords.ADDRESS + Long.BYTES);
    VarHandle.acquireFence();
    if (!AddressRecords.isReadable(head)
        || now.pages.nearWord(handle) != word
        || record.get(JAVA_LONG, offset) != head) {
      return 0;
    }
    PackedIpv6.write(high, low, AddressRecords.port(head), target);
    return PackedIpv6.SIZE;
  }
}
