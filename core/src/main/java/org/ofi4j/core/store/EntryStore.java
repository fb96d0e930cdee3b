// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashTable;
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
import org.ofi4j.core.slot.SideWords;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/**
 * The entries of one address vector, by index and by address. The seam of the engine: what is
 * behind it lies in memory segments and refers to each other by number, what is before it knows
 * nothing of layouts.
 *
 * <pre>
 *                    cells of HashTable       slots              records
 *   address ─ hash ─▶ cell: index ──────────▶ word ───────────▶ IPv6, text, wide formats
 *                                             │  └ IPv4 itself
 *   FreeIndices ─▶ lowest unused              └─ side bit ─────▶ side word: count, mark, high half
 *                                                                of the generation
 * </pre>
 *
 * <p>Methods that change something are for one thread at a time: the vector's lock sees to it.
 * Methods marked <em>lock-free</em> may be called by any thread at any moment, never wait for a
 * writer, and allocate nothing. Each is atomic by itself: an entry is there whole or not at all.
 * {@link StoreChanges}, {@link BatchChanges} and {@link RangeInsertions} make changes, {@link
 * EntryLookups} reads.
 *
 * <p>Outcomes that an address or an index can have are numbers: an index or count from 0, or the
 * negative number of an {@link Errno}. Whatever fails leaves the store as it was.
 *
 * <p>An index is unused, reserved or live. A reservation holds an index without showing it, so that
 * an asynchronous insertion gets the index that is its by call order (AV-086).
 *
 * <p>If the memory is a mapped file, subclasses say who may {@link #change} it, and {@linkplain
 * #explained explain} failures, as when the file is cut. After a fault of memory no call reads the
 * file any more.
 */
public class EntryStore implements AutoCloseable {
  /**
   * A question about the entries. It has no state of its own, so nothing is allocated, and the
   * compiler makes it part of the method that asks it.
   */
  @FunctionalInterface
  public interface Question {
    /** Answers the question. */
    long answer(EntryStore store, int index, long more, AddressKey key);
  }

  /** A change of the entries. Changes of single entries have no state of their own. */
  @FunctionalInterface
  public interface Change {
    /** Makes the change. */
    int make(EntryStore store, int index, AddressKey key);
  }

  private static final AddressKey NO_KEY = new AddressKey();

  private final StoreOptions options;
  private final MemorySource memory;
  private final StoreParts parts;

  /** The parts that {@link #settle} publishes after each change of a named vector. */
  private final EntryCounts counts;

  private final FreeIndices freeIndices;
  private final HashTable cells;

  private final EntryLookups lookups;
  private final FastReads fastReads;
  private final UserIds userIds = new UserIds(this::isLive, this::generation);

  private final StoreChanges changes;

  /** Made with the first change of many. */
  private @Nullable BatchChanges batches;

  /** Made with the first addresses that may follow each other. */
  private @Nullable RangeInsertions ranges;

  private final AtomicLong addressChanges = new AtomicLong();

  /** Whether the memory is that of a file, which may be cut. */
  private final boolean mapped;

  private volatile boolean open = true;

  /** The fault by which memory of the file was lost, or null. */
  private volatile @Nullable InternalError fault;

  /**
   * An empty store, or what there is in memory that other processes have.
   *
   * @param memory where memory comes from; closed with the store
   */
  public EntryStore(StoreOptions options, MemorySource memory) {
    this.options = options;
    this.memory = memory;
    this.mapped = memory.isMapped();
    SlabAllocator allocator = new SlabAllocator(memory);
    this.counts = new EntryCounts(allocator);
    this.freeIndices = new FreeIndices(allocator, options.reuse(), options.capacity());
    KeySlots keys = new KeySlots(allocator);
    Slots slots =
        new Slots(memory, Math.min(options.expected(), options.capacity()), options.wide());
    AddressRecords records = new AddressRecords(allocator);
    Entries entries = new Entries(slots, records, options.seed());
    this.cells = new HashTable(allocator, Superblock.CELLS, entries, options.expected());
    if (allocator.root().get(JAVA_LONG, Superblock.SEED) != options.seed()) {
      allocator.root().set(JAVA_LONG, Superblock.SEED, options.seed());
    }
    boolean several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    Runs runs = new Runs(allocator, options.seed(), slots, several);
    this.parts =
        new StoreParts(
            allocator,
            slots,
            entries,
            cells,
            freeIndices,
            new SideWords(allocator, slots),
            new DuplicateHeap(allocator),
            runs,
            counts,
            keys);
    this.changes = new StoreChanges(parts, options);
    this.lookups = new EntryLookups(parts, several);
    this.fastReads = new FastReads(parts, options, mapped);
    if (memory.pieces() > 0 && !memory.isShared()) {
      follow();
    }
  }

  /**
   * Opens an empty store that takes its memory from the system.
   *
   * @param expected how many entries are likely, a hint (AV-035) that costs little before there are
   *     4,097
   * @param reuse true to give each entry the lowest unused index (AV-083), false to append always
   * @param duplicates what inserting a live address does, never {@link DuplicatePolicy#BY_VERSION}
   */
  public static EntryStore open(long expected, boolean reuse, DuplicatePolicy duplicates) {
    return new EntryStore(StoreOptions.of(expected, reuse, duplicates), MemorySource.system());
  }

  /** Returns a store that goes on with what there is in memory. */
  public static EntryStore begun(StoreOptions options, MemorySource memory) {
    return new EntryStore(begunOptions(options, memory), memory);
  }

  /** Returns options with the seed of the store that there is in memory. */
  protected static StoreOptions begunOptions(StoreOptions options, MemorySource memory) {
    MemorySegment root = memory.piece(0, SlabAllocator.slabBytes(0));
    return options.withSeed(root.get(JAVA_LONG, Superblock.SEED));
  }

  /** Reads everything again that the writer keeps, as another process may have written. */
  public void follow() {
    parts.allocator().follow();
    counts.follow();
    freeIndices.follow();
    cells.follow();
    parts.slots().follow();
    parts.keys().follow();
  }

  /** Ends the reservations of some owners. */
  public void cancelOf(Set<Integer> owners) {
    if (counts.reserved() > 0) {
      parts
          .slots()
          .forEachUsed((index, word) -> {
            if (SlotWord.state(word) == SlotWord.RESERVED
                && owners.contains(SlotWord.owner(word))) {
              changes.cancel(index);
            }
          });
    }
  }

  private BatchChanges batches() {
    BatchChanges begun = batches;
    if (begun == null) {
      begun = new BatchChanges(parts, options, changes);
      batches = begun;
    }
    return begun;
  }

  private RangeInsertions ranges() {
    RangeInsertions begun = ranges;
    if (begun == null) {
      begun = new RangeInsertions(parts, options.duplicates(), changes, batches());
      ranges = begun;
    }
    return begun;
  }

  /** Sets the participant, plus 1, that makes reservations from now on. */
  public void reserveFor(int place) {
    changes.reserveFor(place);
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

  /** Asks a question of {@link EntryLookups} about an index, which may be any number. */
  private long look(int question, int any, AddressKey key) {
    return ask(
        (store, index, which, given) -> store.lookups.ask((int) which, index, given),
        any,
        question,
        key);
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
      fastReads.stop();
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

  // Changing.

  /**
   * Comes before changes, with the vector's lock: where other processes write too, waits for their
   * lock. Between this and {@link #end} only one thread of all processes writes.
   *
   * @throws FabricException if that took too long, or entries are only to be read; then there are
   *     no changes, and no {@link #end}
   */
  public void begin() {
    begin(0);
  }

  /**
   * As {@link #begin()}, for a thread that has waited for something else already.
   *
   * @param deadline until when to wait, in {@link System#nanoTime}
   */
  public void begin(long deadline) {}

  /** How long a thread waits for others of this process that change entries. */
  public Duration lockTimeout() {
    return ChronoUnit.FOREVER.getDuration();
  }

  /** Returns the exception of a thread that waited longer than that. */
  public FabricException late() {
    throw new IllegalStateException("a wait without end is never late");
  }

  /** Comes after changes. */
  public void end() {}

  /**
   * Tells that insertions follow, so that their slots come together.
   *
   * @param more of how many addresses, a guess
   */
  public void expect(int more) {
    change((store, _, _) -> {
      long indices = (long) store.freeIndices.end() + more;
      store.parts.slots().expect(Math.min(indices, store.options.capacity()));
      store.cells.expect(more);
      return 0;
    });
  }

  /**
   * Inserts an address. If it is live already, the policy for duplicates decides: SHARE raises the
   * count of the entry that has it, REJECT refuses, NEW_INDEX adds another entry.
   *
   * @param key the address; copied
   * @return the index of its entry; {@code -ENOMEM} if memory or indices ran out; {@code -EALREADY}
   *     if refused
   */
  public int insert(AddressKey key) {
    return change((store, _, given) -> store.changes.insert(given), 0, key);
  }

  /**
   * Inserts addresses one after the other, each as {@link #insert(AddressKey)} would; many at once
   * cost less than one by one. Ends early when memory or indices run out.
   *
   * @param keys the addresses; copied
   * @param outcomes takes what {@link #insert(AddressKey)} answers for each
   * @return how many were tried: {@code count}, or fewer, and then the last outcome is {@code
   *     -ENOMEM}
   */
  public int insert(AddressKey[] keys, int count, int[] outcomes) {
    return change((store, _, _) -> store.batches().insert(keys, count, outcomes));
  }

  /**
   * As {@link #insert(AddressKey[], int, int[])}, of IPv4 addresses.
   *
   * @param addresses each {@code address << 16 | port}
   * @param outcomes takes what {@link #insert(AddressKey)} answers for each
   * @return how many were tried: {@code count}, or fewer, and then the last outcome is {@code
   *     -ENOMEM}
   */
  public int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return change((store, _, _) -> store.ranges().insert(addresses, count, outcomes));
  }

  /**
   * Inserts the addresses of a range one after the other, each as {@link #insert(AddressKey)}
   * would. Its cost goes by the pieces that the outcome has, not by the addresses. What was not
   * tried as memory or indices had run out fails with {@code -ECANCELED}, behind one {@code
   * -ENOMEM}.
   *
   * @param outcome takes what became of them, all of them, behind what it has
   */
  public void insertRange(AddressRange range, RangeOutcome outcome) {
    change((store, _, _) -> {
      store.ranges().insert(range, outcome);
      return 0;
    });
  }

  /** Takes the next index without showing an entry; {@code -ENOMEM} if there is none. */
  public int reserve() {
    return change((store, _, _) -> store.changes.reserve());
  }

  /**
   * Ends a reservation by showing an address under it, or, if the address is live already, as the
   * policy for duplicates says; what is not used of the reservation becomes unused (D-19).
   *
   * @param reserved a reserved index; what was attached to it becomes the entry's
   * @param key the address; copied
   * @return the index that has the address now: the reserved one, or with SHARE that of the older
   *     entry; {@code -ENOMEM} or {@code -EALREADY} as {@link #insert}, the reservation being over;
   *     {@code -EINVAL} if the index is not reserved
   */
  public int publish(int reserved, AddressKey key) {
    return change((store, index, given) -> store.changes.publish(index, given), reserved, key);
  }

  /** Ends a reservation, if there is one, without an entry: the index becomes unused. */
  public void cancel(int reserved) {
    change(
        (store, index, _) -> {
          store.changes.cancel(index);
          return 0;
        },
        reserved,
        NO_KEY);
  }

  /**
   * Gives an entry another address: whoever asks meanwhile finds the old one or the new one. Index,
   * generation, shares, user id and marks stay. Does nothing if the entry has the address already.
   *
   * @param live any number
   * @param key the address; copied
   * @return 0; {@code -EINVAL} if there is no entry; {@code -EALREADY} if the policy lets an
   *     address have one entry only, and another one has it; {@code -ENOMEM}
   */
  public int replace(int live, AddressKey key) {
    try {
      return change((store, index, given) -> store.changes.replace(index, given), live, key);
    } finally {
      countAddressChange();
    }
  }

  /**
   * Removes an entry, or one share of it. An entry that dies takes count, user id and marks with
   * it: who gets its index next inherits nothing (D-40).
   *
   * @return how many shares are left, 0 if the entry died; {@code -EINVAL} if there is none; {@code
   *     -ENOMEM} if there is no memory to record it, which can be with entries of runs only
   */
  public int remove(int live) {
    try {
      return change((store, index, _) -> store.changes.remove(index), live, NO_KEY);
    } finally {
      countAddressChange();
    }
  }

  /**
   * Removes entries one after the other, each as {@link #remove(int)} would; many at once may cost
   * less than one by one.
   *
   * @param indices any numbers
   * @param outcomes takes what {@link #remove(int)} answers for each; may be {@code indices}
   */
  public void remove(int[] indices, int count, int[] outcomes) {
    try {
      change((store, _, _) -> {
        store.batches().remove(indices, count, outcomes);
        return 0;
      });
    } finally {
      countAddressChange();
    }
  }

  /**
   * Gives an entry or a reservation a user id, or another one. Readers see the old one or the new.
   *
   * @param used a live or reserved index
   * @param id the user id, any number
   * @return 0; {@code -EINVAL} if the index is unused; {@code -ENOMEM}
   */
  public int setUserId(int used, long id) {
    return userIds.set(used, this::takesUserId, id);
  }

  /** Returns whether the caller may give an index a user id. */
  protected boolean takesUserId(int index) {
    return !isUnused(index);
  }

  /**
   * Marks an entry or a reservation as behind a firewall, for as long as it lives.
   *
   * @param used a live or reserved index
   * @return 0; {@code -EINVAL} if the index is unused; {@code -ENOMEM}
   */
  public int markFirewall(int used) {
    try {
      return change(
          (store, index, _) ->
              store.isUnused(index) ? -Errno.EINVAL.number() : store.changes.markFirewall(index),
          used,
          NO_KEY);
    } finally {
      countAddressChange();
    }
  }

  // Reading, by any thread.

  /**
   * Finds an address; lock-free. If several live entries have it, the lowest index answers; while
   * the lowest one of them comes or goes, either answer may be given.
   *
   * @return an index that has the address, or -1
   */
  public int find(AddressKey key) {
    return (int) ask((store, _, _, wanted) -> store.lookups.find(wanted), 0, 0, key);
  }

  /** As {@link #find}, of the IPv4 address {@code address << 16 | port}; lock-free. */
  public int findIpv4(long addressAndPort) {
    return (int)
        ask((store, _, wanted, _) -> store.lookups.findIpv4(wanted), 0, addressAndPort, NO_KEY);
  }

  /** Whether an index, which may be any number, names an entry with an address; lock-free. */
  public boolean holds(int any, AddressKey key) {
    return look(EntryLookups.HOLDS, any, key) != 0;
  }

  /**
   * Reads an entry; lock-free, except that reading text or opaque bytes may allocate room for them
   * in the key.
   *
   * @param any any number
   * @param into becomes the address as it was inserted; empty if there is none
   * @return true if the index is live
   */
  public boolean load(int any, AddressKey into) {
    boolean isLive = look(EntryLookups.LOAD, any, into) != 0;
    if (!isLive) {
      into.clear();
    }
    return isLive;
  }

  /**
   * Reads an entry that is an IPv4 address; lock-free, and the fastest way for those.
   *
   * @param any any number
   * @return {@code address << 16 | port}; -1 if the index is not live, the address is of another
   *     kind or is being replaced: {@link #load} tells
   */
  public long ipv4(int any) {
    return Math.max(look(EntryLookups.IPV4, any, NO_KEY), -1);
  }

  /**
   * Returns how often entries were removed, given another address, or marked as firewalled, so that
   * a caller who remembers where an entry leads knows when to read it again; lock-free. A caller
   * who asks first and then reads an entry reads what that many changes have left, or something
   * newer.
   *
   * @return 0 or more; -1 if other processes change entries too, and nobody counts
   */
  public long addressChanges() {
    return mapped ? -1 : addressChanges.getAcquire();
  }

  /**
   * For the one thread that writes; after a change, also one that memory ran out in the middle of.
   */
  private void countAddressChange() {
    addressChanges.setRelease(addressChanges.getPlain() + 1);
  }

  /** The fastest way to most addresses and their indices, always the same; lock-free. */
  public FastReads fastReads() {
    return fastReads;
  }

  /** Whether an index, which may be any number, names an entry; lock-free. */
  public boolean isLive(int any) {
    return look(EntryLookups.IS_LIVE, any, NO_KEY) != 0;
  }

  /** Whether an index is neither live nor reserved. */
  private boolean isUnused(int any) {
    return look(EntryLookups.IS_UNUSED, any, NO_KEY) != 0;
  }

  /**
   * The first live index of a progression; lock-free. What lives all the while is not passed over.
   *
   * @param first the first index, 0 or more
   * @param last where to end, inclusive
   * @param stride from one index to the next, at least 1
   * @return the index, or -1 if none of them is live
   */
  public int liveFrom(int first, int last, int stride) {
    return (int)
        ask(
            (store, from, rest, _) ->
                store.lookups.liveFrom(
                    from, (int) (rest >> Integer.SIZE), (int) rest, store::isLive),
            first,
            (long) last << Integer.SIZE | stride,
            NO_KEY);
  }

  /**
   * The generation of an index; lock-free. A receive that is directed at an entry remembers it, and
   * knows by it an index that died and was re-used.
   *
   * @param any any number
   * @return a number, 0 or more, that grows each time that this index is used again
   */
  public long generation(int any) {
    return look(EntryLookups.GENERATION, any, NO_KEY);
  }

  /** How many insertions share an entry; 0 if the index, which may be any, is none; lock-free. */
  public int count(int any) {
    return (int) look(EntryLookups.COUNT, any, NO_KEY);
  }

  /** Whether an index, which may be any, has a user id; lock-free. */
  public boolean hasUserId(int any) {
    return userIds.has(any);
  }

  /** The user id of any index; {@code absent} if it is not live or has none; lock-free. */
  public long userId(int any, long absent) {
    return userIds.get(any, absent);
  }

  /** Whether any index is live and {@link #markFirewall marked}; lock-free. */
  public boolean isFirewalled(int any) {
    return look(EntryLookups.IS_FIREWALLED, any, NO_KEY) != 0;
  }

  /** How many indices are live; lock-free. */
  public long size() {
    return ask((store, _, _, _) -> store.counts.live(), 0);
  }

  /** The largest {@link #size} so far; lock-free. */
  public long highWaterMark() {
    return ask((store, _, _, _) -> store.counts.mostLive(), 0);
  }

  /** How many entries the slots at hand could take, at least {@link #size}; lock-free. */
  public long capacity() {
    return ask((store, _, _, _) -> store.parts.slots().capacity() + store.counts.inRuns(), 0);
  }

  /** What there was none of when something failed with {@code -ENOMEM}; "found" comes before. */
  public String shortage() {
    return "no memory, no thread or no unused index left";
  }

  /** What the store takes: live, held and side bytes; lock-free, and not exact beside a writer. */
  public MemoryUse memory() {
    MemoryUse.Builder use = MemoryUse.builder();
    ask((store, _, _, _) -> store.measure(use), 0);
    return use.build();
  }

  /** Sets what the store takes, nothing if it is closed; returns the held bytes. */
  private long measure(MemoryUse.Builder use) {
    long held = memory.held();
    if (held == 0) {
      return held;
    }
    // Pages are never freed; without entries nothing needs them.
    long slots = counts.slots();
    boolean needed = slots + counts.live() > 0;
    long sideBytes = needed ? parts.side().usedBytes() + parts.heap().usedBytes() : 0;
    long live =
        slots * parts.slots().pages().slotBytes()
            + parts.runs().usedBytes()
            + parts.entries().recordBytes()
            + cells.usedBytes()
            + freeIndices.usedBytes()
            + parts.keys().usedBytes()
            + sideBytes;
    // Beside a writer, what is taken off may be newer than what it is taken off from.
    use.live(Math.max(live, 0)).held(held).side(sideBytes);
    return held;
  }

  /**
   * The numbers of the keys that entries are under.
   *
   * @param most how many there may be, if that is not known of the vector already
   * @return no keys, or those that others have inserted; to be asked for once
   */
  public KeyNumbers keyNumbers(int most) {
    return new KeyNumbers(parts.keys(), most);
  }

  /**
   * Copies the entries, each with its index, its generation and its shares; no reservations and no
   * user ids. For who may change the vector, without {@link #begin}.
   *
   * @param target a store without entries
   * @param options what both are like
   * @throws OutOfMemoryError if memory ran out; the target is of no use then
   */
  public void copyInto(EntryStore target, StoreOptions options) {
    ask(
        (store, _, _, _) -> {
          new StoreCopy(store, target, options).copy();
          return 0;
        },
        0);
  }

  /** Shows the counts to other processes, as a change of a named vector is done. */
  public void settle() {
    counts.publish();
    freeIndices.publish();
    cells.publish();
  }

  /**
   * Gives all memory back. Lock-free calls under way end with an {@link IllegalStateException}, as
   * do later ones; nothing worse. Closing again does nothing.
   */
  @Override
  public void close() {
    open = false;
    if (mapped) {
      fastReads.stop();
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
}
