package org.ofi4j.core.av;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
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
  private static final VarHandle SIZE;
  private static final VarHandle HIGHEST_SIZE;

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      SIZE = lookup.findVarHandle(SegmentEntryStore.class, "size", int.class);
      HIGHEST_SIZE = lookup.findVarHandle(SegmentEntryStore.class, "highestSize", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int ALREADY = -Errno.EALREADY.number();
  private static final int INVALID = -Errno.EINVAL.number();

  private final MemorySource memory;
  private final DuplicatePolicy duplicates;
  private final Slots slots;
  private final Entries entries;
  private final ReverseIndex index;
  private final HashCells cells;
  private final Vacancies vacancies;
  private final SideRecords side;
  private final DuplicateHeap heap;
  private final AddressKey scratch = new AddressKey();
  private final Ipv4Insertions ipv4Insertions;

  private final RunEntries runEntries;
  private final Runs runs;
  private final RunRemoval removal;
  private final RangeInsertion ranges;
  private final RunDetection detection;
  private final EntryLookups lookups;

  private int size;
  private int highestSize;
  private int reserved;

  /** Live entries that have slots. */
  private int slotted;

  /**
   * An empty store.
   *
   * @param options what it is like
   * @param memory where memory comes from; closed with the store
   */
  SegmentEntryStore(StoreOptions options, MemorySource memory) {
    this.memory = memory;
    this.duplicates = options.duplicates();
    Space space = new Space(memory);
    this.slots = new Slots(memory, space);
    this.entries = new Entries(slots, new AddressRecords(space), options.seed());
    this.index = new ReverseIndex(space, entries, options.expected());
    this.cells = index.cells();
    this.vacancies = new Vacancies(space, options.reuse(), options.capacity(), this::isUnused);
    this.side = new SideRecords(space);
    this.heap = new DuplicateHeap(side);
    this.runEntries = new RunEntries(space, options.seed(), slots, vacancies);
    this.runs = runEntries.runs();
    this.removal = new RunRemoval(runEntries, vacancies, side);
    boolean several = duplicates == DuplicatePolicy.NEW_INDEX;
    this.lookups = new EntryLookups(slots, entries, index, runEntries, side, several);
    RunPlacement placement = new RunPlacement(slots, entries, cells, vacancies, runs);
    Singles singles = new Singles();
    this.ranges =
        new RangeInsertion(
            duplicates, slots, entries, index, runEntries, vacancies, placement, singles);
    this.detection = new RunDetection(duplicates, vacancies, cells, placement, ranges, singles);
    this.ipv4Insertions =
        new Ipv4Insertions(
            space,
            entries,
            slots,
            cells,
            vacancies,
            several ? null : runs,
            options.capacity(),
            this::insertIpv4);
  }

  @Override
  public int insert(AddressKey key) {
    try {
      long hash = entries.hash(key);
      int scattered = index.find(key, hash);
      if (duplicates != DuplicatePolicy.NEW_INDEX) {
        int present = scattered >= 0 ? scattered : runs.find(key, false);
        if (present >= 0) {
          return repeat(present);
        }
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
      slots.ensure(next);
      show(next, key, hash, scattered);
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
    return detection.insertIpv4(addresses, count, outcomes, this::insertScattered);
  }

  private int insertScattered(long[] addresses, int from, int to, int[] outcomes) {
    return ipv4Insertions.insert(addresses, from, to, outcomes, this::addSlotted);
  }

  private int insertIpv4(long address) {
    scratch.setIpv4(address);
    return insert(scratch);
  }

  private void addSlotted(int more) {
    slotted += more;
    resize(more);
  }

  private void resize(int more) {
    SIZE.setRelease(this, size + more);
    if (size > highestSize) {
      HIGHEST_SIZE.setRelease(this, size);
    }
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
      slots.ensure(next);
      slots.store(next, SlotWord.reserved(nextGeneration(next)));
      vacancies.take(next);
      reserved++;
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
      int scattered = index.find(key, hash);
      int present = duplicates == DuplicatePolicy.NEW_INDEX ? -1 : scattered;
      if (present < 0 && duplicates != DuplicatePolicy.NEW_INDEX) {
        present = runs.find(key, false);
      }
      if (present >= 0) {
        outcome = repeat(present);
      } else {
        show(reservedIndex, key, hash, scattered);
        reserved--;
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

  @Override
  public void cancel(int reservedIndex) {
    long word = slots.word(reservedIndex);
    if (SlotWord.state(word) == SlotWord.RESERVED) {
      slots.store(reservedIndex, SlotWord.unused(SlotWord.generation(word)));
      if (SlotWord.hasSide(word)) {
        side.detach(reservedIndex);
      }
      release(reservedIndex);
      reserved--;
    }
  }

  @Override
  public void remove(int[] indices, int count, int[] outcomes) {
    for (int from = 0; from < count; from += ReverseIndex.TOGETHER) {
      int together = Math.min(ReverseIndex.TOGETHER, count - from);
      index.touch(indices, from, together);
      for (int i = from; i < from + together; i++) {
        outcomes[i] = remove(indices[i]);
      }
    }
  }

  @Override
  public int remove(int live) {
    long word = slots.word(live);
    if (word == 0) {
      int outcome = removal.remove(live);
      if (outcome == 0) {
        resize(-1);
      }
      return outcome;
    }
    if (!SlotWord.isLive(word)) {
      return INVALID;
    }
    boolean hasSide = SlotWord.hasSide(word);
    int shares = hasSide ? side.shares(live) : 0;
    if (shares > 0) {
      side.setShares(live, shares - 1);
      return shares;
    }
    long hash = entries.hashOf(word);
    int generation = SlotWord.generation(word);
    if (hasSide) {
      generation |= side.highGeneration(live) << SlotWord.LIFE_BITS;
    }
    int successor = live;
    boolean hasCell = true;
    if (hasSide && heap.contains(live)) {
      hasCell = heap.isRoot(live);
      if (hasCell) {
        successor = heap.removeRoot(live);
        if (successor >= 0) {
          // The next one is found before this one is gone, so that the address stays known.
          cells.replace(hash, live, successor);
          hasCell = false;
        }
      } else {
        entries.load(live, scratch);
        heap.remove(index.find(scratch, hash), live);
      }
    }
    // From here on the entry is dead, for lookups and searches alike.
    slots.store(live, SlotWord.unused(generation + 1));
    if (hasCell) {
      cells.remove(hash, live);
    }
    entries.discard(word);
    if (hasSide) {
      side.detach(live);
    }
    release(live);
    addSlotted(-1);
    return 0;
  }

  /** Lets an index be used again whose slot says that it is unused. */
  private void release(int unused) {
    if (unused == vacancies.end() - 1) {
      removal.truncateFrom(unused);
    }
    vacancies.release(unused);
  }

  @Override
  public int find(AddressKey key) {
    return lookups.find(key);
  }

  @Override
  public int findIpv4(long addressAndPort) {
    return lookups.findIpv4(addressAndPort);
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
    return (int) SIZE.getAcquire(this);
  }

  @Override
  public long highWaterMark() {
    return (int) HIGHEST_SIZE.getAcquire(this);
  }

  @Override
  public long capacity() {
    return slots.capacity() + Math.max(0, size() - slotted);
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
        ((long) slotted + reserved) * Long.BYTES
            + runs.usedBytes()
            + entries.recordBytes()
            + cells.usedBytes()
            + vacancies.usedBytes()
            + sideBytes;
    return new MemoryUse(live, held, sideBytes);
  }

  @Override
  public void close() {
    memory.close();
  }

  private boolean isUnused(int index) {
    long word = slots.word(index);
    return word == 0 ? runEntries.at(index) == 0 : SlotWord.state(word) == SlotWord.UNUSED;
  }

  /** The generation that the next life of an unused index has. */
  private int nextGeneration(int unused) {
    long word = slots.word(unused);
    return word == 0 ? vacancies.nextGeneration(unused, 1) : SlotWord.generation(word);
  }

  /** What insertion of ranges does one by one. */
  private final class Singles implements RangeInsertion.Singles {
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
      resize(count);
    }

    @Override
    public void promoted(int count) {
      slotted -= count;
    }
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

  /**
   * Makes an entry of an index.
   *
   * @param fresh an unused or reserved index that has a slot
   * @param key its address
   * @param hash the hash of the address
   * @param present the lowest index that has the address already, or -1
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  private void show(int fresh, AddressKey key, long hash, int present) {
    long before = slots.word(fresh);
    int generation =
        SlotWord.state(before) == SlotWord.RESERVED
            ? SlotWord.generation(before)
            : nextGeneration(fresh);
    int highGeneration = generation >>> SlotWord.LIFE_BITS;
    boolean attach = !SlotWord.hasSide(before) && (highGeneration != 0 || present >= 0);
    long word = entries.encode(key, hash);
    try {
      if (attach) {
        side.attach(fresh);
      }
      try {
        if (present >= 0) {
          attachTo(present);
        }
        cells.prepare(hash, fresh, present < 0);
      } catch (OutOfMemoryError e) {
        if (attach) {
          side.detach(fresh);
        }
        throw e;
      }
    } catch (OutOfMemoryError e) {
      entries.discard(word);
      throw e;
    }
    // Nothing below can fail.
    boolean hasSide = attach || SlotWord.hasSide(before);
    if (hasSide) {
      side.setHighGeneration(fresh, highGeneration);
    }
    if (present < 0) {
      cells.put(hash, fresh);
    }
    long live = SlotWord.withLife(word, generation) | (hasSide ? SlotWord.SIDE : 0);
    slots.store(fresh, live);
    if (present >= 0 && heap.insert(present, fresh) == fresh) {
      cells.replace(hash, present, fresh);
    }
    addSlotted(1);
  }

  /** Sees to it that a live or reserved index has a side record. */
  private int ensureSide(int used) {
    if (isUnused(used)) {
      return INVALID;
    }
    try {
      attachTo(used);
      return 0;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  private void attachTo(int used) {
    long word = slots.word(used);
    if (word == 0) {
      if (side.record(used) < 0) {
        side.attach(used);
      }
    } else if (!SlotWord.hasSide(word)) {
      side.attach(used);
      slots.store(used, word | SlotWord.SIDE);
    }
  }
}
