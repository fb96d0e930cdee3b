package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * What few entries have: user id, count above one, firewall mark, a place among duplicates, a long
 * generation; and the slot word of a stray, an entry in a vacancy of a run where there are no
 * slots. An index without such a thing costs nothing here. A record is found by a hash of its
 * index.
 *
 * <pre>
 *   record    0 version (4) | 4 index (4) | 8 user id (8) | 16 slot word (8)
 *            24 further shares (4) | 28 generation / 2^13 (4) | 32 flags (4)
 *            36 child | 40 next | 44 previous: links of {@link DuplicateHeap}        48 bytes
 *
 *   block    four records, in three units of the {@link Space}
 *   number   unit of the block * 4 + which of the four, which is what {@link HashCells} hold
 * </pre>
 *
 * <p>Records that are free are linked through their child, from a word in the root. They stay
 * records: whoever comes to one by an old cell sees by version and index what it is.
 *
 * <p>One thread at a time writes. The version is odd while a record is free. A reader finds the
 * record of an index, and checks that version and index are the same before and after reading: then
 * the record was that index's all the while. If not, the entry that it asks about has died
 * meanwhile. Fields change one by one while the entry lives.
 */
final class SideRecords implements HashedNumbers, HashCells.Match {
  static final int BYTES = 48;

  private static final int BLOCK_UNITS = 3;
  private static final int BLOCK_BITS = 2;

  private static final int VERSION = 0;
  private static final int INDEX = 4;
  private static final int USER_ID = 8;
  private static final int SLOT = 16;
  private static final int SHARES = 24;
  private static final int GENERATION = 28;
  private static final int FLAGS = 32;
  static final int CHILD = 36;
  static final int NEXT = 40;
  static final int PREVIOUS = 44;

  private static final int HAS_USER_ID = 1;
  private static final int FIREWALL = 2;
  private static final int DUPLICATE = 4;
  private static final int OWN_SHARES = 8;

  private final Space space;
  private final MemorySegment root;
  private final HashCells cells;

  /** The index that the writer asked for last, and its record. */
  private int knownIndex = -1;

  private int known;

  SideRecords(Space space) {
    this.space = space;
    this.root = space.root();
    this.cells = new HashCells(space, Root.SIDE_DIRECTORY, this, 0);
  }

  // For the writer.

  /**
   * Gives an index an empty record.
   *
   * @param index an index without one
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void attach(int index) {
    long hash = hash(index);
    int record = take();
    try {
      cells.prepare(hash, record, true);
    } catch (OutOfMemoryError e) {
      give(record);
      throw e;
    }
    MemorySegment segment = segment(record);
    long offset = offset(record);
    int odd = segment.get(JAVA_INT, offset + VERSION);
    // It was odd, for all to see, before the record was free.
    for (int at = USER_ID; at < BYTES; at += Long.BYTES) {
      segment.set(JAVA_LONG, offset + at, 0);
    }
    segment.set(JAVA_INT, offset + INDEX, index);
    SegmentAccess.intRelease(segment, offset + VERSION, odd + 1);
    cells.put(hash, record);
    knownIndex = index;
    known = record;
  }

  /**
   * Takes the record of an index away; nothing else tells of it any more.
   *
   * @param index an index with a record
   */
  void detach(int index) {
    int record = record(index);
    knownIndex = -1;
    cells.remove(hash(index), record);
    // The slot and the cell, the version, the list: in this order for every reader.
    VarHandle.storeStoreFence();
    MemorySegment segment = segment(record);
    long version = offset(record) + VERSION;
    SegmentAccess.intOpaque(segment, version, segment.get(JAVA_INT, version) + 1);
    VarHandle.storeStoreFence();
    give(record);
  }

  /**
   * The record of an index.
   *
   * @param index any index
   * @return its number, or -1 if it has none
   */
  int record(int index) {
    if (index != knownIndex) {
      int found = find(index);
      if (found < 0) {
        return -1;
      }
      knownIndex = index;
      known = found;
    }
    return known;
  }

  void setUserId(int index, long id) {
    int record = record(index);
    SegmentAccess.longRelease(segment(record), offset(record) + USER_ID, id);
    raise(record, HAS_USER_ID);
  }

  void setFirewall(int index) {
    raise(record(index), FIREWALL);
  }

  void setDuplicate(int index) {
    raise(record(index), DUPLICATE);
  }

  boolean isDuplicate(int index) {
    return (field(record(index), FLAGS) & DUPLICATE) != 0;
  }

  int shares(int index) {
    return field(record(index), SHARES);
  }

  void setShares(int index, int shares) {
    setField(record(index), SHARES, shares);
  }

  /** Gives an entry of a run shares that are not those of the run. */
  void setOwnShares(int index, int shares) {
    int record = record(index);
    setField(record, SHARES, shares);
    raise(record, OWN_SHARES);
  }

  int highGeneration(int index) {
    return field(record(index), GENERATION);
  }

  void setHighGeneration(int index, int generation) {
    setField(record(index), GENERATION, generation);
  }

  /** The slot word of a stray; 0 of others. */
  long slot(int index) {
    int record = record(index);
    return segment(record).get(JAVA_LONG, offset(record) + SLOT);
  }

  /** Stores the slot word of a stray; what was written before is seen by whoever sees the word. */
  void setSlot(int index, long word) {
    int record = record(index);
    SegmentAccess.longRelease(segment(record), offset(record) + SLOT, word);
  }

  /** The index of a record. */
  int indexOf(int record) {
    return field(record, INDEX);
  }

  /** A link of a record. */
  int link(int record, int which) {
    return field(record, which);
  }

  void setLink(int record, int which, int link) {
    segment(record).set(JAVA_INT, offset(record) + which, link);
  }

  /** How many records are in use. */
  int count() {
    return cells.count();
  }

  /** Bytes that the records in use take, with what leads to them. */
  long usedBytes() {
    return (long) count() * BYTES + cells.usedBytes();
  }

  @Override
  public void hash(int[] numbers, int count, long[] hashes) {
    for (int i = 0; i < count; i++) {
      hashes[i] = hash(indexOf(numbers[i]));
    }
  }

  // For any thread. That there is a record is told by a slot, or, of an index without slot, by
  // nothing but this.

  /** Whether no index at all has a record. */
  boolean isEmpty() {
    return cells.isEmpty();
  }

  /**
   * The user id of an index.
   *
   * @param index the index
   * @param absent the answer if it has none
   * @return the user id
   */
  long readUserId(int index, long absent) {
    int record = find(index);
    if (record < 0) {
      return absent;
    }
    MemorySegment segment = segment(record);
    long offset = offset(record);
    int version = SegmentAccess.intAcquire(segment, offset + VERSION);
    // The flag comes after the first user id, so it is loaded before.
    int flags = SegmentAccess.intAcquire(segment, offset + FLAGS);
    long id = SegmentAccess.longOpaque(segment, offset + USER_ID);
    return (flags & HAS_USER_ID) != 0 && belongs(segment, offset, version, index) ? id : absent;
  }

  boolean readFirewall(int index) {
    return (read(index, FLAGS, 0) & FIREWALL) != 0;
  }

  /**
   * The shares of an index beyond the first.
   *
   * @param index the index
   * @param absent the answer if its record is gone
   * @return the number
   */
  int readShares(int index, int absent) {
    return read(index, SHARES, absent);
  }

  /**
   * The shares of an entry of a run beyond the first, if they are not those of the run.
   *
   * @param index the index
   * @param absent the answer if they are those of the run
   * @return the number
   */
  int readOwnShares(int index, int absent) {
    int record = find(index);
    if (record < 0) {
      return absent;
    }
    MemorySegment segment = segment(record);
    long offset = offset(record);
    int version = SegmentAccess.intAcquire(segment, offset + VERSION);
    // The flag comes after the first shares, so it is loaded before.
    int flags = SegmentAccess.intAcquire(segment, offset + FLAGS);
    int shares = SegmentAccess.intOpaque(segment, offset + SHARES);
    return (flags & OWN_SHARES) != 0 && belongs(segment, offset, version, index) ? shares : absent;
  }

  /**
   * The high bits of the generation of an index.
   *
   * @param index the index
   * @param absent the answer if its record is gone
   * @return the generation divided by 2<sup>13</sup>
   */
  int readHighGeneration(int index, int absent) {
    return read(index, GENERATION, absent);
  }

  /**
   * The slot word of a stray; what was written before the word was stored is seen with it.
   *
   * @param index the index
   * @return the word, or 0 if the index is no stray
   */
  long readSlot(int index) {
    int record = find(index);
    if (record < 0) {
      return 0;
    }
    MemorySegment segment = segment(record);
    long offset = offset(record);
    int version = SegmentAccess.intAcquire(segment, offset + VERSION);
    long word = SegmentAccess.longAcquire(segment, offset + SLOT);
    return belongs(segment, offset, version, index) ? word : 0;
  }

  private int read(int index, int field, int absent) {
    int record = find(index);
    if (record < 0) {
      return absent;
    }
    MemorySegment segment = segment(record);
    long offset = offset(record);
    int version = SegmentAccess.intAcquire(segment, offset + VERSION);
    int value = SegmentAccess.intOpaque(segment, offset + field);
    return belongs(segment, offset, version, index) ? value : absent;
  }

  /** Whether the record was the index's from the load of the version until now. */
  private static boolean belongs(MemorySegment segment, long offset, int version, int index) {
    int owner = SegmentAccess.intOpaque(segment, offset + INDEX);
    // What was read is older than the second look at the version.
    VarHandle.acquireFence();
    return (version & 1) == 0
        && owner == index
        && SegmentAccess.intOpaque(segment, offset + VERSION) == version;
  }

  /** The record whose cell is found, or -1. It may be free, or of another index, by now. */
  private int find(int index) {
    return cells.find(hash(index), this, index);
  }

  @Override
  public boolean matches(int number, long wanted) {
    // A block of cells that is used for something else by now may hold any number.
    return space.has(number >>> BLOCK_BITS, BLOCK_UNITS)
        && SegmentAccess.intOpaque(segment(number), offset(number) + INDEX) == wanted;
  }

  /** Takes a record that is free. */
  private int take() {
    int head = root.get(JAVA_INT, Root.SIDE_FREE);
    if (head == 0) {
      int unit = space.take(BLOCK_UNITS);
      int first = unit << BLOCK_BITS;
      int last = first + (1 << BLOCK_BITS) - 1;
      if (unit >>> (Integer.SIZE - 1 - BLOCK_BITS) != 0 || last == Integer.MAX_VALUE) {
        space.give(unit, BLOCK_UNITS);
        throw new OutOfMemoryError("address vector: no side records beyond 32 GiB of memory");
      }
      for (int record = last; record >= first; record--) {
        SegmentAccess.intOpaque(segment(record), offset(record) + VERSION, 1);
        give(record);
      }
      // All are odd before the first one changes.
      VarHandle.storeStoreFence();
      head = first + 1;
    }
    int record = head - 1;
    root.set(JAVA_INT, Root.SIDE_FREE, link(record, CHILD));
    return record;
  }

  /** Takes a record back. */
  private void give(int record) {
    setLink(record, CHILD, root.get(JAVA_INT, Root.SIDE_FREE));
    root.set(JAVA_INT, Root.SIDE_FREE, record + 1);
  }

  /** Of an index, all bits of which tell in the high ones of this, and in the low ones. */
  private static long hash(int index) {
    long mixed = index * 0x9E37_79B9_7F4A_7C15L;
    mixed = (mixed ^ mixed >>> 32) * 0xD6E8_FEB8_6659_FD93L;
    return mixed ^ mixed >>> 32;
  }

  private MemorySegment segment(int record) {
    return space.segment(record >>> BLOCK_BITS);
  }

  private long offset(int record) {
    return space.offset(record >>> BLOCK_BITS) + (record & (1 << BLOCK_BITS) - 1) * (long) BYTES;
  }

  private int field(int record, int field) {
    return segment(record).get(JAVA_INT, offset(record) + field);
  }

  private void setField(int record, int field, int value) {
    SegmentAccess.intRelease(segment(record), offset(record) + field, value);
  }

  private void raise(int record, int flag) {
    setField(record, FLAGS, field(record, FLAGS) | flag);
  }
}
