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
import org.ofi4j.core.memory.MappedFaults;
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
 *
 * <p>If its memory is a mapped file, subclasses say who may {@link #change} it, and {@linkplain
 * #explained explain} failures, as when the file is cut. After a fault of memory no call reads the
 * file any more.
 */
public class SegmentEntryStore implements EntryStore {
  /**
   * A question about the entries. It has no state of its own, so nothing is allocated, and the
   * compiler makes it part of the method that asks it.
   */
  @FunctionalInterface
  public interface Question {
    /** Answers the question. */
    long answer(SegmentEntryStore store, int index, long more, AddressKey key);
  }

  /** A change of the entries. Changes of single entries have no state of their own. */
  @FunctionalInterface
  public interface Change {
    /** Makes the change. */
    int make(SegmentEntryStore store, int index, AddressKey key);
  }

  private static final AddressKey NO_KEY = new AddressKey();

  private final StoreOptions options;
  private final MemorySource memory;
  private final StoreParts parts;
  private final EntryLookups lookups;
  private final PackedLookups packedLookups;
  private final Ipv4Searches ipv4Searches;
  private final ShortSearches shortSearches;
  private final UserIds userIds = new UserIds(this::isLive, this::generation);

  /** Made with the first change, as many stores are only read by this process. */
  private @Nullable StoreChanges changes;

  /** Made with the first change of many. */
  private @Nullable BulkChanges bulk;

  private int participant;

  private final AtomicLong addressChanges = new AtomicLong();

  /** Whether the memory is that of a file, which may be cut. */
  private final boolean mapped;

  /** Whether short searches may read the memory; a thread may see late that they may not. */
  private boolean searchable = true;

  private volatile boolean open = true;

  /** The fault by which memory of the file was lost, or null. */
  private volatile @Nullable InternalError fault;

  /**
   * An empty store, or what there is in memory that other processes have.
   *
   * @param memory where memory comes from; closed with the store
   */
  public SegmentEntryStore(StoreOptions options, MemorySource memory) {
    this.options = options;
    this.memory = memory;
    this.mapped = memory.isMapped();
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
        new Ipv4Searches(options.seed(), slots.pages(), index.cells().lookups(), several);
    this.shortSearches = mapped ? this::findInFile : ipv4Searches;
    this.lookups = new EntryLookups(parts, several);
    this.packedLookups = new PackedLookups(slots.pages(), runs, records, mapped);
    if (memory.pieces() > 0 && !memory.isShared()) {
      follow();
    }
  }

  /** Returns a store that goes on with what there is in memory. */
  public static SegmentEntryStore begun(StoreOptions options, MemorySource memory) {
    return new SegmentEntryStore(begunOptions(options, memory), memory);
  }

  /** Returns options with the seed of the store that there is in memory. */
  protected static StoreOptions begunOptions(StoreOptions options, MemorySource memory) {
    MemorySegment root = memory.piece(0, SlabAllocator.slabBytes(0));
    return options.withSeed(root.get(JAVA_LONG, Superblock.SEED));
  }

  /** Reads everything again that the writer keeps, as another process may have written. */
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
              changes().cancel(index);
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

  // Calls, and how they fail.

  /**
   * Makes a change.
   *
   * @throws org.ofi4j.FabricException if the store is not to be changed, or its file was cut or is
   *     damaged
   */
  protected int change(Change change, int index, AddressKey key) {
    return change.make(this, index, key);
  }

  /** As the other method, for a change that has its own state. */
  public final int change(Change change) {
    return change(change, 0, NO_KEY);
  }

  /**
   * Reads the store; any thread may call.
   *
   * @throws org.ofi4j.FabricException if its file was cut or is damaged
   */
  public final long ask(Question question, int index, long more, AddressKey key) {
    if (mapped) {
      checkReadable();
    }
    try {
      long answer = question.answer(this, index, more, key);
      if (mapped) {
        MappedFaults.surface();
      }
      return answer;
    } catch (RuntimeException | InternalError failed) {
      throw failed(failed);
    }
  }

  /** As the other method, for a question about an index. */
  public final long ask(Question question, int index) {
    return ask(question, index, 0, NO_KEY);
  }

  /** Throws an exception if the store was closed, or memory of its file was lost. */
  protected final void checkReadable() {
    InternalError known = fault;
    if (known != null) {
      throw explained(known);
    }
    if (!open) {
      throw new IllegalStateException("the address vector is closed");
    }
  }

  /** Returns the exception for a call that failed; it throws an error that no file explains. */
  protected final RuntimeException failed(Throwable failed) {
    if (failed instanceof InternalError lost) {
      fault = lost;
      stopShortLookups();
    }
    return failed instanceof IllegalStateException closed && !open ? closed : explained(failed);
  }

  /**
   * Returns the exception that tells of a failure, an {@link InternalError} if memory of the file
   * was lost; it throws an error that no file explains.
   */
  protected RuntimeException explained(Throwable failed) {
    if (failed instanceof Error error) {
      throw error;
    }
    return (RuntimeException) failed;
  }

  private void stopShortLookups() {
    searchable = false;
    packedLookups.stop();
  }

  // Changing.

  @Override
  public void expect(int more) {
    change((store, _, _) -> {
      long indices = (long) store.parts.freeIndices().end() + more;
      store.parts.slots().expect(Math.min(indices, store.options.capacity()));
      store.parts.cells().expect(more);
      return 0;
    });
  }

  @Override
  public int insert(AddressKey key) {
    return change((store, _, given) -> store.changes().insert(given), 0, key);
  }

  @Override
  public int insert(AddressKey[] keys, int count, int[] outcomes) {
    return change((store, _, _) -> store.bulk().insert(keys, count, outcomes));
  }

  @Override
  public int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return change((store, _, _) -> store.bulk().insertIpv4(addresses, count, outcomes));
  }

  @Override
  public void insertRange(AddressRange range, RangeOutcome outcome) {
    change((store, _, _) -> {
      store.bulk().insertRange(range, outcome);
      return 0;
    });
  }

  @Override
  public int reserve() {
    return change((store, _, _) -> store.changes().reserve());
  }

  @Override
  public int publish(int reserved, AddressKey key) {
    return change((store, index, given) -> store.changes().publish(index, given), reserved, key);
  }

  @Override
  public void cancel(int reserved) {
    change(
        (store, index, _) -> {
          store.changes().cancel(index);
          return 0;
        },
        reserved,
        NO_KEY);
  }

  @Override
  public int replace(int live, AddressKey key) {
    try {
      return change((store, index, given) -> store.changes().replace(index, given), live, key);
    } finally {
      countAddressChange();
    }
  }

  @Override
  public int remove(int live) {
    try {
      return change((store, index, _) -> store.changes().remove(index), live, NO_KEY);
    } finally {
      countAddressChange();
    }
  }

  @Override
  public void remove(int[] indices, int count, int[] outcomes) {
    try {
      change((store, _, _) -> {
        store.bulk().remove(indices, count, outcomes);
        return 0;
      });
    } finally {
      countAddressChange();
    }
  }

  @Override
  public int setUserId(int used, long id) {
    return userIds.set(used, this::takesUserId, id);
  }

  /** Returns whether the caller may give an index a user id. */
  protected boolean takesUserId(int index) {
    return !isUnused(index);
  }

  @Override
  public int markFirewall(int used) {
    return change(
        (store, index, _) ->
            store.lookups.isUnused(index)
                ? -Errno.EINVAL.number()
                : store.changes().markFirewall(index),
        used,
        NO_KEY);
  }

  // Reading, by any thread.

  @Override
  public int find(AddressKey key) {
    return (int) ask((store, _, _, wanted) -> store.lookups.find(wanted), 0, 0, key);
  }

  @Override
  public int findIpv4(long addressAndPort) {
    int found = ipv4Searches().find(addressAndPort);
    return found >= 0 ? found : findIpv4Full(addressAndPort);
  }

  @Override
  public int findIpv4Full(long addressAndPort) {
    return (int)
        ask((store, _, wanted, _) -> store.lookups.findIpv4(wanted), 0, addressAndPort, NO_KEY);
  }

  @Override
  public ShortSearches ipv4Searches() {
    return shortSearches;
  }

  /** Searches in cells, then in runs; -1 also if the general way has to say what is wrong. */
  private int findInFile(long address) {
    if (!searchable) {
      return -1;
    }
    try {
      int index = ipv4Searches.find(address);
      if (index < 0 && options.duplicates() != DuplicatePolicy.NEW_INDEX) {
        index = parts.runs().findIpv4(address);
      }
      MappedFaults.surface();
      return index;
    } catch (IllegalStateException | InternalError failed) {
      return -1;
    }
  }

  @Override
  public boolean holds(int any, AddressKey key) {
    return ask((store, index, _, wanted) -> store.lookups.holds(index, wanted) ? 1 : 0, any, 0, key)
        != 0;
  }

  @Override
  public boolean load(int any, AddressKey into) {
    return ask((store, index, _, key) -> store.lookups.load(index, key) ? 1 : 0, any, 0, into) != 0;
  }

  @Override
  public long ipv4(int any) {
    return ask((store, index, _, _) -> store.lookups.ipv4(index), any);
  }

  /** {@inheritDoc} Of a file it is -1, as other processes may change that. */
  @Override
  public long addressChanges() {
    return mapped ? -1 : addressChanges.getAcquire();
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
    return ask((store, index, _, _) -> store.lookups.isLive(index) ? 1 : 0, any) != 0;
  }

  /** Whether an index is neither live nor reserved. */
  private boolean isUnused(int any) {
    return ask((store, index, _, _) -> store.lookups.isUnused(index) ? 1 : 0, any) != 0;
  }

  @Override
  public int liveFrom(int first, int last, int stride) {
    return (int)
        ask(
            (store, from, rest, _) ->
                store.lookups.liveFrom(
                    from, (int) (rest >> Integer.SIZE), (int) rest, store.lookups::isLive),
            first,
            (long) last << Integer.SIZE | stride,
            NO_KEY);
  }

  @Override
  public long generation(int any) {
    return ask((store, index, _, _) -> store.lookups.generation(index), any);
  }

  @Override
  public int count(int any) {
    return (int) ask((store, index, _, _) -> store.lookups.count(index), any);
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
    return ask((store, index, _, _) -> store.lookups.isFirewalled(index) ? 1 : 0, any) != 0;
  }

  @Override
  public long size() {
    return ask((store, _, _, _) -> store.parts.counts().live(), 0);
  }

  @Override
  public long highWaterMark() {
    return ask((store, _, _, _) -> store.parts.counts().mostLive(), 0);
  }

  @Override
  public long capacity() {
    return ask(
        (store, _, _, _) -> store.parts.slots().capacity() + store.parts.counts().inRuns(), 0);
  }

  @Override
  public MemoryUse memory() {
    MemoryUse[] use = new MemoryUse[1];
    ask(
        (store, _, _, _) -> {
          use[0] = store.memoryUse();
          return 0;
        },
        0);
    return use[0];
  }

  private MemoryUse memoryUse() {
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
    ask(
        (store, _, _, _) -> {
          new StoreCopy(store, target, options).copy();
          return 0;
        },
        0);
  }

  /** Shows the counts to other processes, as a change of a named vector is done. */
  public void settle() {
    parts.counts().publish();
    parts.freeIndices().publish();
    parts.cells().publish();
  }

  @Override
  public void close() {
    open = false;
    if (mapped) {
      stopShortLookups();
    }
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
}
