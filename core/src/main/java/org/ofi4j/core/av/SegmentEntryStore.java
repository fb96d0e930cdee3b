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

  private int size;
  private int highestSize;
  private int reserved;

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
    this.ipv4Insertions =
        new Ipv4Insertions(
            space, entries, slots, cells, vacancies, options.capacity(), this::insertIpv4);
  }

  @Override
  public int insert(AddressKey key) {
    try {
      long hash = entries.hash(key);
      int present = index.find(key, hash);
      if (present >= 0 && duplicates != DuplicatePolicy.NEW_INDEX) {
        return repeat(present);
      }
      int next = vacancies.next();
      if (next < 0) {
        return NO_MEMORY;
      }
      vacancies.prepare(next);
      slots.ensure(next);
      show(next, key, hash, present);
      vacancies.take(next);
      return next;
    } catch (OutOfMemoryError e) {
      return NO_MEMORY;
    }
  }

  @Override
  public int insertIpv4(long[] addresses, int count, int[] outcomes) {
    return ipv4Insertions.insert(addresses, count, outcomes, this::resize);
  }

  private int insertIpv4(long address) {
    scratch.setIpv4(address);
    return insert(scratch);
  }

  private void resize(int more) {
    SIZE.setRelease(this, size + more);
    if (size > highestSize) {
      HIGHEST_SIZE.setRelease(this, size);
    }
  }

  @Override
  public void insertRange(AddressRange range, RangeOutcome outcome) {
    int count = range.count();
    for (int i = 0; i < count; i++) {
      range.at(i, scratch);
      int index = insert(scratch);
      outcome.add(1, index);
      if (index == NO_MEMORY && i + 1 < count) {
        outcome.add(count - i - 1, -Errno.ECANCELED.number());
        return;
      }
    }
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
      slots.store(next, SlotWord.reserved(SlotWord.generation(slots.word(next))));
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
      int present = index.find(key, hash);
      if (present >= 0 && duplicates != DuplicatePolicy.NEW_INDEX) {
        outcome = repeat(present);
      } else {
        show(reservedIndex, key, hash, present);
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
      vacancies.release(reservedIndex);
      reserved--;
    }
  }

  @Override
  public int remove(int live) {
    long word = slots.word(live);
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
    vacancies.release(live);
    resize(-1);
    return 0;
  }

  @Override
  public int find(AddressKey key) {
    return index.find(key, entries.hash(key));
  }

  @Override
  public int findIpv4(long addressAndPort) {
    return index.findIpv4(addressAndPort, entries.hashIpv4(addressAndPort));
  }

  @Override
  public boolean holds(int any, AddressKey key) {
    return entries.holds(any, key);
  }

  @Override
  public boolean load(int any, AddressKey into) {
    return entries.load(any, into);
  }

  @Override
  public long ipv4(int any) {
    long word = slots.word(any);
    return SlotWord.state(word) == SlotWord.IPV4 ? SlotWord.body(word) : -1;
  }

  @Override
  public boolean isLive(int any) {
    return SlotWord.isLive(slots.word(any));
  }

  @Override
  public int generation(int any) {
    while (true) {
      long word = slots.word(any);
      int generation = SlotWord.generation(word);
      if (!SlotWord.isLive(word) || !SlotWord.hasSide(word)) {
        return generation;
      }
      int high = side.readHighGeneration(any, -1);
      if (high >= 0 && SlotWord.sameEntry(word, slots.word(any))) {
        return generation | high << SlotWord.LIFE_BITS;
      }
      // That entry died; the next look is at the one after it.
    }
  }

  @Override
  public int count(int any) {
    long word = slots.word(any);
    if (!SlotWord.isLive(word)) {
      return 0;
    }
    return SlotWord.hasSide(word) ? 1 + side.readShares(any, -1) : 1;
  }

  @Override
  public long userId(int any, long absent) {
    long word = slots.word(any);
    return SlotWord.isLive(word) && SlotWord.hasSide(word) ? side.readUserId(any, absent) : absent;
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
    long word = slots.word(any);
    return SlotWord.isLive(word) && SlotWord.hasSide(word) && side.readFirewall(any);
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
    return slots.capacity();
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
        (size() + reserved) * Long.BYTES
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
    return SlotWord.state(slots.word(index)) == SlotWord.UNUSED;
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
    if (shares == Integer.MAX_VALUE - 1) {
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
    int generation = SlotWord.generation(before);
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
    resize(1);
  }

  /** Sees to it that a live or reserved index has a side record. */
  private int ensureSide(int used) {
    if (SlotWord.state(slots.word(used)) == SlotWord.UNUSED) {
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
    if (!SlotWord.hasSide(word)) {
      side.attach(used);
      slots.store(used, word | SlotWord.SIDE);
    }
  }
}
