package org.ofi4j.core.av;

import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.LongToIntFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;

/**
 * The store that keeps everything in memory segments and refers to it by number.
 *
 * <pre>
 *                    reverse index            slots              records
 *   address ─ hash ─▶ cell: index ──────────▶ word ───────────▶ IPv6, text, wide formats
 *                                             │  └ IPv4 itself
 *   vacancies ─▶ lowest unused                └─ side bit ─────▶ side record: user id, count,
 *                                                                duplicates, mark, generation
 * </pre>
 *
 * <p>An insertion takes all the memory it will need, then fills record, side record and cell, and
 * last stores the slot: with that store the entry is there, for lookups and searches alike. A
 * removal begins with the store of the slot and cleans up after it. So a thread that stops anywhere
 * leaves an entry or none, and cells that lead nowhere at worst.
 */
final class SegmentEntryStore implements EntryStore {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int ALREADY = -Errno.EALREADY.number();
  private static final int INVALID = -Errno.EINVAL.number();

  private final MemorySource memory;
  private final Space space;
  private final DuplicatePolicy duplicates;
  private final Slots slots;
  private final Entries entries;
  private final ReverseIndex index;
  private final HashCells cells;
  private final Vacancies vacancies;
  private final SideRecords side;
  private final Strays strays;
  private final KeySlots keySlots;
  private final AddressKey scratch = new AddressKey();
  private final Ipv4Insertions ipv4Insertions;

  private final RunEntries runEntries;
  private final Runs runs;
  private final RunChanges changes;
  private final RunRemoval removal;
  private final RangeInsertion ranges;
  private final RunDetection detection;
  private final EntryLookups lookups;
  private final PackedLookups packedLookups;
  private final Ipv4Searches ipv4Searches;

  private final ScatteredEntries scattered;

  /** Null if an address may have several entries. */
  private final @Nullable ScatteredRemovals removals;

  private final EntryCounts counts;

  private final Callbacks callbacks = new Callbacks();

  /**
   * An empty store, or what there is in memory that other processes have.
   *
   * @param options what it is like
   * @param memory where memory comes from; closed with the store
   */
  SegmentEntryStore(StoreOptions options, MemorySource memory) {
    this.memory = memory;
    this.duplicates = options.duplicates();
    this.space = new Space(memory);
    this.counts = new EntryCounts(space);
    this.vacancies = new Vacancies(space, options.reuse(), options.capacity(), callbacks);
    this.side = new SideRecords(space);
    this.strays = new Strays(space, vacancies, side);
    this.keySlots = new KeySlots(space);
    this.slots = new Slots(memory, strays);
    AddressRecords records = new AddressRecords(space);
    this.entries = new Entries(slots, records, options.seed());
    this.index = new ReverseIndex(space, entries, options.expected());
    this.cells = index.cells();
    this.runEntries = new RunEntries(space, options.seed(), slots, vacancies);
    this.runs = runEntries.runs();
    boolean several = duplicates == DuplicatePolicy.NEW_INDEX;
    this.scattered =
        new ScatteredEntries(slots, strays, entries, cells, runs, vacancies, side, several);
    this.removals = several ? null : new ScatteredRemovals(slots, cells, vacancies, strays, runs);
    this.changes = new RunChanges(runs);
    this.removal = new RunRemoval(runEntries, changes, vacancies, side);
    this.ipv4Searches = new Ipv4Searches(space, options.seed(), slots.pages(), cells);
    this.lookups = new EntryLookups(slots, entries, index, ipv4Searches, runEntries, side, several);
    this.packedLookups = new PackedLookups(slots.pages(), runs.live(), records);
    RunPlacement placement = new RunPlacement(slots, entries, cells, vacancies, runs, changes);
    this.ranges =
        new RangeInsertion(
            duplicates,
            slots,
            entries,
            index,
            runEntries,
            changes,
            vacancies,
            placement,
            callbacks);
    this.detection = new RunDetection(duplicates, vacancies, cells, placement, ranges, callbacks);
    this.ipv4Insertions =
        new Ipv4Insertions(
            space,
            entries,
            slots,
            cells,
            vacancies,
            several ? null : runs,
            options.capacity(),
            callbacks);
    if (memory.begun() != null) {
      follow();
      runEntries.takeIn();
    }
  }

  /** Looks at everything anew that the writer keeps, as another process may have written. */
  void follow() {
    followEntries();
    cells.follow();
    detection.forget();
  }

  /** The same, but for where addresses are found. */
  void followEntries() {
    space.follow();
    slots.follow();
    side.follow();
    strays.follow();
    keySlots.follow();
    vacancies.follow();
  }

  @Override
  public int insert(AddressKey key) {
    try {
      long hash = entries.hash(key);
      int inCells = index.find(key, hash);
      int present = present(key, inCells);
      if (present >= 0) {
        return repeat(present);
      }
      int next = vacancies.next();
      if (next < 0) {
        return NO_MEMORY;
      }
      boolean ipv4 = key.kind() == AddressKey.Kind.IPV4;
      if (ipv4 && detection.extend(key.ipv4(), next)) {
        return next;
      }
      vacancies.prepare(next);
      scattered.makeRoom(next);
      try {
        scattered.show(next, key, hash, inCells);
      } catch (OutOfMemoryError e) {
        scattered.unmakeRoom(next);
        throw e;
      }
      counts.addScattered(1);
      vacancies.take(next);
      if (ipv4) {
        detection.scattered(next, key.ipv4());
      }
      return next;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  @Override
  public int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return detection.insertIpv4(addresses, count, outcomes, callbacks);
  }

  @Override
  public void insertRange(AddressRange range, RangeOutcome outcome) {
    ranges.insert(range, outcome);
  }

  @Override
  public int reserve() {
    try {
      int next = vacancies.next();
      if (next < 0) {
        return NO_MEMORY;
      }
      vacancies.prepare(next);
      scattered.makeRoom(next);
      scattered.reserve(next);
      vacancies.take(next);
      counts.addReserved(1);
      return next;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  @Override
  public int publish(int reservedIndex, AddressKey key) {
    if (SlotWord.state(slots.word(reservedIndex)) != SlotWord.RESERVED) {
      return INVALID;
    }
    int outcome = NO_MEMORY;
    try {
      long hash = entries.hash(key);
      int inCells = index.find(key, hash);
      int present = present(key, inCells);
      if (present >= 0) {
        outcome = repeat(present);
      } else {
        scattered.show(reservedIndex, key, hash, inCells);
        counts.addScattered(1);
        counts.addReserved(-1);
        outcome = reservedIndex;
      }
    } catch (OutOfMemoryError e) {
      outcome = NO_MEMORY;
    }
    if (outcome != reservedIndex) {
      cancel(reservedIndex);
    }
    return outcome;
  }

  /** Says whose reservations are made from now on. */
  void reserveFor(int participant) {
    scattered.reserveFor(participant);
  }

  /** Ends the reservations of some owners. */
  void cancelOf(Set<Integer> owners) {
    int used = counts.reserved() == 0 ? Integer.MAX_VALUE : slots.usedFrom(0, Integer.MAX_VALUE);
    while (used != Integer.MAX_VALUE) {
      long word = slots.word(used);
      if (SlotWord.state(word) == SlotWord.RESERVED && owners.contains(SlotWord.owner(word))) {
        cancel(used);
      }
      used = slots.usedFrom(used + 1, Integer.MAX_VALUE);
    }
  }

  @Override
  public void cancel(int reservedIndex) {
    long word = slots.word(reservedIndex);
    if (SlotWord.state(word) == SlotWord.RESERVED) {
      prepareRelease(reservedIndex);
      scattered.cancel(reservedIndex, word);
      vacancies.release(reservedIndex);
      strays.released(reservedIndex);
      counts.addReserved(-1);
    }
  }

  @Override
  public void remove(int[] indices, int count, int[] outcomes) {
    for (int from = 0; from < count; from += ReverseIndex.TOGETHER) {
      int end = Math.min(count, from + ReverseIndex.TOGETHER);
      if (removals == null) {
        index.touch(indices, from, end - from);
      } else {
        removals.touch(indices, from, end);
      }
      int at = from;
      while (at < end) {
        if (removals != null) {
          int removed = removals.remove(indices, at, end, outcomes);
          counts.addScattered(-removed);
          at += removed;
        }
        if (at < end) {
          outcomes[at] = remove(indices[at]);
          at++;
        }
      }
    }
  }

  @Override
  public int remove(int live) {
    long word = slots.word(live);
    if (word == 0) {
      int outcome = removal.remove(live);
      if (outcome == 0) {
        counts.add(-1);
        strays.released(live);
      }
      return outcome;
    }
    if (!SlotWord.isLive(word)) {
      return INVALID;
    }
    int shares = SlotWord.hasSide(word) ? side.shares(live) : 0;
    if (shares > 0) {
      side.setShares(live, shares - 1);
      return shares;
    }
    prepareRelease(live);
    scattered.end(live, word);
    vacancies.release(live);
    strays.released(live);
    counts.addScattered(-1);
    return 0;
  }

  /**
   * Lets runs end where the indices in use will, before a slot ends: what is vacant is told by the
   * slots as well, where memory was short.
   */
  private void prepareRelease(int used) {
    if (used == vacancies.end() - 1) {
      removal.truncateFrom(used);
    }
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
  public int findIpv4Anyhow(long addressAndPort) {
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
  public PackedLookups packedLookups() {
    return packedLookups;
  }

  @Override
  public boolean isLive(int any) {
    return lookups.isLive(any);
  }

  @Override
  public int generation(int any) {
    return lookups.generation(any);
  }

  @Override
  public int count(int any) {
    return lookups.count(any);
  }

  @Override
  public long userId(int any, long absent) {
    return lookups.userId(any, absent);
  }

  @Override
  public int setUserId(int used, long id) {
    int outcome = ensureSide(used);
    if (outcome == 0) {
      side.setUserId(used, id);
    }
    return outcome;
  }

  @Override
  public boolean isFirewalled(int any) {
    return lookups.isFirewalled(any);
  }

  @Override
  public int markFirewall(int used) {
    int outcome = ensureSide(used);
    if (outcome == 0) {
      side.setFirewall(used);
    }
    return outcome;
  }

  @Override
  public long size() {
    return counts.live();
  }

  @Override
  public long highWaterMark() {
    return counts.mostLive();
  }

  @Override
  public long capacity() {
    return slots.capacity() + counts.inRuns();
  }

  @Override
  public MemoryUse memory() {
    long held = memory.held();
    if (held == 0) {
      // Closed.
      return new MemoryUse(0, 0, 0);
    }
    long sideBytes = side.usedBytes();
    long live =
        (counts.slots() - strays.count()) * Long.BYTES
            + changes.usedBytes()
            + entries.recordBytes()
            + cells.usedBytes()
            + vacancies.usedBytes()
            + keySlots.usedBytes()
            + sideBytes;
    return new MemoryUse(live, held, sideBytes);
  }

  @Override
  public void copyInto(SegmentEntryStore target, StoreOptions options) {
    new StoreCopy(this, target, options, owner -> true).copy();
  }

  @Override
  public void close() {
    runs.live().remove(0, Integer.MAX_VALUE);
    memory.close();
  }

  /**
   * What a store is made of, for who copies it or looks at all of it.
   *
   * @param slots its slots
   * @param entries their addresses
   * @param index where addresses are found
   * @param vacancies its vacant indices
   * @param side its side records
   * @param runs its runs
   * @param changes changes of runs
   * @param scattered changes of slots
   * @param lookups what readers see
   * @param counts what is counted
   * @param space its memory
   * @param cells the cells of its addresses
   * @param keys the numbers of its keys
   */
  record Parts(
      Slots slots,
      Entries entries,
      ReverseIndex index,
      Vacancies vacancies,
      SideRecords side,
      Runs runs,
      RunChanges changes,
      ScatteredEntries scattered,
      EntryLookups lookups,
      EntryCounts counts,
      Space space,
      HashCells cells,
      KeySlots keys) {}

  /** What it is made of. */
  Parts parts() {
    return new Parts(
        slots, entries, index, vacancies, side, runs, changes, scattered, lookups, counts, space,
        cells, keySlots);
  }

  /** What its hashes are keyed with. */
  long seed() {
    return entries.seed();
  }

  /** What several processes know of its keys. */
  KeySlots keySlots() {
    return keySlots;
  }

  /** The slots, for tests. */
  Slots slots() {
    return slots;
  }

  /** The runs, for who wants to know how many there are and how they lie. */
  Runs runs() {
    return runs;
  }

  /** Whether an index is neither live nor reserved. */
  boolean isUnused(int index) {
    long word = slots.word(index);
    return word == 0 ? runEntries.at(index) == 0 : SlotWord.state(word) == SlotWord.UNUSED;
  }

  /**
   * What the parts of the store ask of it. One class: each lambda takes the first store of a JVM as
   * long as ten classes.
   */
  private final class Callbacks
      implements IntPredicate,
          LongToIntFunction,
          Ipv4Insertions.Added,
          RangeInsertion.Singles,
          RunDetection.Scattered {
    /** Whether an index is unused. */
    @Override
    public boolean test(int index) {
      return isUnused(index);
    }

    /** Inserts an IPv4 address. */
    @Override
    public int applyAsInt(long address) {
      scratch.setIpv4(address);
      return SegmentEntryStore.this.insert(scratch);
    }

    @Override
    public void add(int scatteredEntries) {
      counts.addScattered(scatteredEntries);
    }

    @Override
    public int insert(long[] words, int from, int to, int[] outcomes) {
      return ipv4Insertions.insert(words, from, to, outcomes, this);
    }

    @Override
    public int insert(AddressKey key) {
      return SegmentEntryStore.this.insert(key);
    }

    @Override
    public int repeat(int index) {
      return SegmentEntryStore.this.repeat(index);
    }

    @Override
    public void added(int count) {
      counts.add(count);
    }

    @Override
    public void promoted(int count) {
      counts.promoted(count);
    }
  }

  /**
   * The entry that an address would share, or be refused for.
   *
   * @param key the address
   * @param inCells the index that the cells give it, or -1
   * @return its index, or -1 if the address gets an entry of its own
   */
  private int present(AddressKey key, int inCells) {
    if (duplicates == DuplicatePolicy.NEW_INDEX) {
      return -1;
    }
    return inCells >= 0 ? inCells : runs.find(key, false);
  }

  /** What inserting an address again does unless it gets a new index. */
  private int repeat(int present) {
    if (duplicates == DuplicatePolicy.REJECT) {
      return ALREADY;
    }
    int outcome = ensureSide(present);
    if (outcome != 0) {
      return outcome;
    }
    int shares = side.shares(present);
    int common = slots.word(present) == 0 ? Math.max(runEntries.shares(present), 0) : 0;
    if (shares + common == Integer.MAX_VALUE - 1) {
      return NO_MEMORY;
    }
    side.setShares(present, shares + 1);
    return present;
  }

  /** Sees to it that a live or reserved index has a side record. */
  private int ensureSide(int used) {
    if (isUnused(used)) {
      return INVALID;
    }
    try {
      scattered.attach(used);
      return 0;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }
}
