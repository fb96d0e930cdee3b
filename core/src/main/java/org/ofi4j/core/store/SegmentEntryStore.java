// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.AddressRecords;
import org.ofi4j.core.slot.DuplicateHeap;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.slot.ReverseIndex;
import org.ofi4j.core.slot.SideWords;
import org.ofi4j.core.slot.SlotChanges;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * The store that keeps everything in memory segments and refers to it by number.
 *
 * <pre>
 *                    reverse index            slots              records
 *   address ─ hash ─▶ cell: index ──────────▶ word ───────────▶ IPv6, text, wide formats
 *                                             │  └ IPv4 itself
 *   FreeIndices ─▶ lowest unused              └─ side bit ─────▶ side word: count, mark, high half
 *                                                                of the generation
 * </pre>
 *
 * <p>{@link StoreChanges} and {@link BulkChanges} change it, {@link EntryLookups} reads it.
 */
public final class SegmentEntryStore implements EntryStore {
  private final StoreOptions options;
  private final MemorySource memory;
  private final StoreParts parts;
  private final EntryLookups lookups;
  private final PackedLookups packedLookups;
  private final Ipv4Searches ipv4Searches;
  private final UserIds userIds = new UserIds(this::isLive, this::generation);

  /** Made with the first change, as many stores are only read by this process. */
  private @Nullable StoreChanges changes;

  /** Made with the first change of many. */
  private @Nullable BulkChanges bulk;

  private int participant;

  private final AtomicLong addressChanges = new AtomicLong();

  /**
   * An empty store, or what there is in memory that other processes have.
   *
   * @param memory where memory comes from; closed with the store
   */
  public SegmentEntryStore(StoreOptions options, MemorySource memory) {
    this.options = options;
    this.memory = memory;
    SlabAllocator allocator = new SlabAllocator(memory);
    EntryCounts counts = new EntryCounts(allocator);
    FreeIndices freeIndices = new FreeIndices(allocator, options.reuse(), options.capacity());
    KeySlots keys = new KeySlots(allocator);
    Slots slots = new Slots(memory, Math.min(options.expected(), options.capacity()));
    SlotChanges slotChanges = new SlotChanges(slots);
    AddressRecords records = new AddressRecords(allocator);
    Entries entries = new Entries(slots, records, options.seed());
    ReverseIndex index = new ReverseIndex(allocator, entries, options.expected());
    boolean several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    Runs runs = new Runs(allocator, options.seed(), slots, several);
    this.parts =
        new StoreParts(
            allocator,
            slots,
            slotChanges,
            entries,
            index,
            freeIndices,
            new SideWords(allocator, slots),
            new DuplicateHeap(allocator),
            runs,
            counts,
            keys);
    this.ipv4Searches =
        new Ipv4Searches(
            allocator, options.seed(), slots.pages(), index.cells().lookups(), several);
    this.lookups = new EntryLookups(parts, several);
    this.packedLookups = new PackedLookups(slots.pages(), runs, records, memory.isMapped());
    if (memory.pieces() > 0 && !memory.isShared()) {
      follow();
    }
  }

  /** A store that goes on with what there is in memory, by the seed of that. */
  public static SegmentEntryStore begun(StoreOptions options, MemorySource memory) {
    MemorySegment root = memory.piece(0, SlabAllocator.slabBytes(0));
    return new SegmentEntryStore(options.withSeed(root.get(JAVA_LONG, Superblock.SEED)), memory);
  }

  /** Looks at everything anew that the writer keeps, as another process may have written. */
  public void follow() {
    parts.allocator().follow();
    parts.counts().follow();
    parts.freeIndices().follow();
    parts.cells().follow();
    parts.slots().follow();
    parts.keys().follow();
  }

  /** Ends the reservations of some owners. */
  public void cancelOf(Set<Integer> owners) {
    if (parts.counts().reserved() > 0) {
      parts
          .slots()
          .forEachUsed((index, word) -> {
            if (SlotWord.state(word) == SlotWord.RESERVED
                && owners.contains(SlotWord.owner(word))) {
              cancel(index);
            }
          });
    }
  }

  StoreChanges changes() {
    StoreChanges begun = changes;
    return begun == null ? beginChanges() : begun;
  }

  private StoreChanges beginChanges() {
    StoreChanges begun = new StoreChanges(parts, options);
    begun.reserveFor(participant);
    changes = begun;
    return begun;
  }

  private BulkChanges bulk() {
    BulkChanges begun = bulk;
    if (begun == null) {
      begun = new BulkChanges(parts, options, changes());
      bulk = begun;
    }
    return begun;
  }

  /** Says whose reservations are made from now on. */
  public void reserveFor(int place) {
    participant = place;
    StoreChanges begun = changes;
    if (begun != null) {
      begun.reserveFor(place);
    }
  }

  @Override
  public void expect(int more) {
    long indices = (long) parts.freeIndices().end() + more;
    parts.slots().expect(Math.min(indices, options.capacity()));
    parts.cells().expect(more);
  }

  @Override
  public int insert(AddressKey key) {
    return changes().insert(key);
  }

  @Override
  public int insert(AddressKey[] keys, int count, int[] outcomes) {
    return bulk().insert(keys, count, outcomes);
  }

  @Override
  public int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return bulk().insertIpv4(addresses, count, outcomes);
  }

  @Override
  public void insertRange(AddressRange range, RangeOutcome outcome) {
    bulk().insertRange(range, outcome);
  }

  @Override
  public int reserve() {
    return changes().reserve();
  }

  @Override
  public int publish(int reserved, AddressKey key) {
    return changes().publish(reserved, key);
  }

  @Override
  public void cancel(int reserved) {
    changes().cancel(reserved);
  }

  @Override
  public int replace(int live, AddressKey key) {
    try {
      return changes().replace(live, key);
    } finally {
      countAddressChange();
    }
  }

  @Override
  public int remove(int live) {
    try {
      return changes().remove(live);
    } finally {
      countAddressChange();
    }
  }

  @Override
  public void remove(int[] indices, int count, int[] outcomes) {
    try {
      bulk().remove(indices, count, outcomes);
    } finally {
      countAddressChange();
    }
  }

  @Override
  public int setUserId(int used, long id) {
    return userIds.set(used, index -> !isUnused(index), id);
  }

  @Override
  public int markFirewall(int used) {
    return isUnused(used) ? -Errno.EINVAL.number() : changes().markFirewall(used);
  }

  @Override
  public int find(AddressKey key) {
    return lookups.find(key);
  }

  @Override
  public int findIpv4(long addressAndPort) {
    int found = ipv4Searches.find(addressAndPort);
    return found >= 0 ? found : lookups.findIpv4(addressAndPort);
  }

  @Override
  public int findIpv4Full(long addressAndPort) {
    return lookups.findIpv4(addressAndPort);
  }

  @Override
  public Ipv4Searches ipv4Searches() {
    return ipv4Searches;
  }

  @Override
  public boolean holds(int any, AddressKey key) {
    return lookups.holds(any, key);
  }

  @Override
  public boolean load(int any, AddressKey into) {
    return lookups.load(any, into);
  }

  @Override
  public long ipv4(int any) {
    return lookups.ipv4(any);
  }

  @Override
  public long addressChanges() {
    return addressChanges.getAcquire();
  }

  /**
   * For the one thread that writes; after a change, also one that memory ran out in the middle of.
   */
  private void countAddressChange() {
    addressChanges.setRelease(addressChanges.getPlain() + 1);
  }

  @Override
  public PackedLookups packedLookups() {
    return packedLookups;
  }

  @Override
  public boolean isLive(int any) {
    return lookups.isLive(any);
  }

  @Override
  public int liveFrom(int first, int last, int stride) {
    return lookups.liveFrom(first, last, stride, lookups::isLive);
  }

  @Override
  public long generation(int any) {
    return lookups.generation(any);
  }

  @Override
  public int count(int any) {
    return lookups.count(any);
  }

  @Override
  public boolean hasUserId(int any) {
    return userIds.has(any);
  }

  @Override
  public long userId(int any, long absent) {
    return userIds.get(any, absent);
  }

  @Override
  public boolean isFirewalled(int any) {
    return lookups.isFirewalled(any);
  }

  @Override
  public long size() {
    return parts.counts().live();
  }

  @Override
  public long highWaterMark() {
    return parts.counts().mostLive();
  }

  @Override
  public long capacity() {
    return parts.slots().capacity() + parts.counts().inRuns();
  }

  @Override
  public MemoryUse memory() {
    long held = memory.held();
    if (held == 0) {
      // Closed.
      return new MemoryUse(0, 0, 0);
    }
    // Pages are never freed; without entries nothing needs them.
    long slots = parts.counts().slots();
    boolean needed = slots + parts.counts().live() > 0;
    long sideBytes = needed ? parts.side().usedBytes() + parts.heap().usedBytes() : 0;
    long live =
        slots * Long.BYTES
            + parts.runs().usedBytes()
            + parts.entries().recordBytes()
            + parts.cells().usedBytes()
            + parts.freeIndices().usedBytes()
            + parts.keys().usedBytes()
            + sideBytes;
    // Beside a writer, what is taken off may be newer than what it is taken off from.
    return new MemoryUse(Math.max(live, 0), held, sideBytes);
  }

  @Override
  public KeyNumbers keyNumbers(int most) {
    return new KeyNumbers(parts.keys(), most);
  }

  @Override
  public void copyInto(SegmentEntryStore target, StoreOptions options) {
    new StoreCopy(this, target, options).copy();
  }

  /** Shows the counts to other processes, as a change of a named vector is done. */
  public void settle() {
    parts.counts().publish();
    parts.freeIndices().publish();
    parts.cells().publish();
  }

  @Override
  public void close() {
    memory.close();
  }

  public StoreParts parts() {
    return parts;
  }

  EntryLookups lookups() {
    return lookups;
  }

  /** Returns the options, with the seed of the store. */
  public StoreOptions options() {
    return options;
  }

  /** What its hashes are keyed with. */
  public long seed() {
    return parts.entries().seed();
  }

  /** What several processes know of its keys. */
  public KeySlots keySlots() {
    return parts.keys();
  }

  /** The slots, for tests. */
  public Slots slots() {
    return parts.slots();
  }

  /** The runs, for who wants to know how many there are and how they lie. */
  public Runs runs() {
    return parts.runs();
  }

  /** Whether an index is neither live nor reserved. */
  public boolean isUnused(int index) {
    return lookups.isUnused(index);
  }
}
