package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The slots, one {@link SlotWord} for each index, in pages that never move and are never given
 * back. A page is there from the first time on that one of its slots is needed.
 *
 * <pre>
 *   indices   [0, 64) [64, 128) [128, 256) ... [2048, 4096)   then 4096 slots to a page, 32 KiB
 * </pre>
 *
 * <p>Pages come straight from the memory source, where a page begins at the position that {@link
 * MemorySource#held} had before. The list of pages is in the {@link Space}, in blocks of 256 bytes
 * of which the {@link Root} names the first and the last:
 *
 * <pre>
 *   0 next block (4) | 4 unused (4)
 *   8 + 8 * i   position of the page / 64 (4) | its first index / 64 (4)
 * </pre>
 *
 * <p>The arrays of pages are what this process keeps of it. The release store of a slot publishes
 * an entry; its acquire load sees the whole of what it names. One thread at a time writes; any
 * thread reads, without waiting.
 */
final class Slots {
  /** Slots of a page beyond the first ones, as a power of two. */
  static final int PAGE_BITS = 12;

  /** Slots of the first two pages, as a power of two. */
  private static final int FIRST_BITS = 6;

  private static final int SMALL_PAGES = 1 + PAGE_BITS - FIRST_BITS;
  private static final int LIST_UNITS = 4;
  private static final int LISTED = (LIST_UNITS * Space.UNIT_BYTES - Long.BYTES) / Long.BYTES;

  private static final VarHandle PAGES;
  private static final VarHandle ELEMENTS =
      MethodHandles.arrayElementVarHandle(MemorySegment[].class);

  static {
    try {
      PAGES = MethodHandles.lookup().findVarHandle(Slots.class, "pages", MemorySegment[].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemorySource memory;
  private final Space space;
  private final @Nullable MemorySegment[] small = new MemorySegment[SMALL_PAGES];

  /** By index divided by 4096; the first one is never there. */
  private @Nullable MemorySegment[] pages = new MemorySegment[1];

  /** Which numbers of pages are in use, for the writer; 0 is that of all small ones. */
  private final BitSet inUse = new BitSet();

  private volatile long capacity;

  Slots(MemorySource memory, Space space) {
    this.memory = memory;
    this.space = space;
    inUse.set(0);
  }

  /** How many slots there are. */
  long capacity() {
    return capacity;
  }

  /** The word of any number; zeros, as of an index never used, if there is no slot. */
  long word(int index) {
    MemorySegment page = page(index);
    if (page == null) {
      memory.checkOpen();
      return 0;
    }
    return SegmentAccess.longAcquire(page, offset(index));
  }

  /** As {@link #word}, for whoever looks at other memory of the store next, which must be open. */
  long wordIfOpen(int index) {
    MemorySegment page = page(index);
    return page == null ? 0 : SegmentAccess.longAcquire(page, offset(index));
  }

  /** Stores a word in a slot that is there; what was written before is seen with it. */
  void store(int index, long word) {
    SegmentAccess.longRelease(pageOf(index), offset(index), word);
  }

  /**
   * The page of any number.
   *
   * @param index any number
   * @return its page, or null if there is none
   */
  @Nullable MemorySegment page(int index) {
    int number = index >>> PAGE_BITS;
    if (number == 0) {
      return (MemorySegment) ELEMENTS.getAcquire(small, smallPage(index));
    }
    MemorySegment[] present = (MemorySegment[]) PAGES.getAcquire(this);
    return number < present.length ? (MemorySegment) ELEMENTS.getAcquire(present, number) : null;
  }

  /** The page of an index that has a slot. */
  MemorySegment pageOf(int index) {
    MemorySegment page = page(index);
    if (page == null) {
      throw new IllegalStateException("index " + index + " has no slot");
    }
    return page;
  }

  /** Where the slot of an index is in its page. */
  static long offset(int index) {
    int position = index & (1 << PAGE_BITS) - 1;
    if (index >>> PAGE_BITS == 0 && index >>> FIRST_BITS != 0) {
      position = index ^ Integer.highestOneBit(index);
    }
    return (long) position << 3;
  }

  /** How many slots the page of an index has from that index on. */
  static int roomFrom(int index) {
    int end = index >>> PAGE_BITS == 0 ? firstOf(smallPage(index) + 1) : 1 << PAGE_BITS;
    return end - (index & (1 << PAGE_BITS) - 1);
  }

  /**
   * The first index whose slot is not 0; for the writer.
   *
   * @param first where to begin
   * @param end where to end
   * @return the index, or the end if there is none
   */
  int usedFrom(int first, int end) {
    long index = first;
    while (index < end) {
      int number = inUse.nextSetBit((int) (index >>> PAGE_BITS));
      if (number < 0) {
        return end;
      }
      index = Math.max(index, (long) number << PAGE_BITS);
      if (index >= end) {
        return end;
      }
      MemorySegment page = page((int) index);
      long stop = Math.min(end, index + roomFrom((int) index));
      for (; page != null && index < stop; index++) {
        if (page.get(JAVA_LONG, offset((int) index)) != 0) {
          return (int) index;
        }
      }
      index = stop;
    }
    return end;
  }

  /** Takes live slots. */
  interface Visitor {
    /**
     * A live slot.
     *
     * @param index its index
     * @param word its word
     */
    void visit(int index, long word);
  }

  /** Visits all live slots in order; for the writer. */
  void forEachLive(Visitor visitor) {
    for (int number = 0; number >= 0; number = inUse.nextSetBit(number + 1)) {
      // The last page ends where numbers do.
      long index = (long) number << PAGE_BITS;
      long stop = index + (1 << PAGE_BITS);
      while (index < stop) {
        MemorySegment page = page((int) index);
        long end = index + roomFrom((int) index);
        for (; page != null && index < end; index++) {
          long word = page.get(JAVA_LONG, offset((int) index));
          if (SlotWord.isLive(word)) {
            visitor.visit((int) index, word);
          }
        }
        index = end;
      }
    }
  }

  /**
   * Makes sure that an index has a slot.
   *
   * @param index the index
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void ensure(int index) {
    if (page(index) != null) {
      return;
    }
    int number = index >>> PAGE_BITS;
    int first = number == 0 ? firstOf(smallPage(index)) : number << PAGE_BITS;
    int slots = roomFrom(first);
    @Nullable MemorySegment[] present = roomFor(number);
    inUse.set(number);
    MemorySegment page = allocate(first, slots);
    if (number == 0) {
      ELEMENTS.setRelease(small, smallPage(index), page);
    } else {
      ELEMENTS.setRelease(present, number, page);
    }
    long before = capacity;
    capacity = before + slots;
  }

  /** Takes a page and lists it. */
  private MemorySegment allocate(int first, int slots) {
    MemorySegment root = space.root();
    int count = root.get(JAVA_INT, Root.PAGES);
    int last = root.get(JAVA_INT, Root.LAST_PAGES);
    int listed = count % LISTED;
    int block = listed == 0 ? space.take(LIST_UNITS) : last;
    int position = (int) (memory.held() / MemorySource.ALIGNMENT);
    MemorySegment page;
    try {
      page = memory.allocate((long) slots * Long.BYTES);
    } catch (OutOfMemoryError e) {
      if (listed == 0) {
        space.give(block, LIST_UNITS);
      }
      throw e;
    }
    MemorySegment list = space.segment(block);
    long entry = space.offset(block) + Long.BYTES + (long) listed * Long.BYTES;
    list.set(JAVA_INT, entry, position);
    list.set(JAVA_INT, entry + Integer.BYTES, first >>> FIRST_BITS);
    if (count == 0) {
      root.set(JAVA_INT, Root.FIRST_PAGES, block);
    } else if (listed == 0) {
      space.segment(last).set(JAVA_INT, space.offset(last), block);
    }
    root.set(JAVA_INT, Root.LAST_PAGES, block);
    // What is counted is there.
    SegmentAccess.intRelease(root, Root.PAGES, count + 1);
    return page;
  }

  /** The array of pages, with room for a number. */
  private @Nullable MemorySegment[] roomFor(int number) {
    if (number >= pages.length) {
      int length = Math.max(number + 1, 2 * pages.length);
      PAGES.setRelease(this, Arrays.copyOf(pages, length));
    }
    return pages;
  }

  private static int smallPage(int index) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(index | (1 << FIRST_BITS) - 1) - FIRST_BITS;
  }

  /** The first index of one of the small pages. */
  private static int firstOf(int page) {
    return page == 0 ? 0 : 1 << (FIRST_BITS + page - 1);
  }
}
