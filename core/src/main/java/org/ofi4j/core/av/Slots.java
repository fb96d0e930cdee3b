package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
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
 * <p>The arrays of pages are what this process keeps of it: one for the near pages, whose length
 * goes by how many pages there are, and arrays of 512 for what lies behind its end, so that a page
 * far out costs little. A page that was far stays in its array when the near one has grown over it;
 * a reader that still has the short array finds it there.
 *
 * <p>The release store of a slot publishes an entry; its acquire load sees the whole of what it
 * names. One thread at a time writes; any thread reads, without waiting.
 */
final class Slots {
  /** Slots of a page beyond the first ones, as a power of two. */
  static final int PAGE_BITS = 12;

  /** Slots of the first two pages, as a power of two. */
  private static final int FIRST_BITS = 6;

  private static final int SMALL_PAGES = 1 + PAGE_BITS - FIRST_BITS;
  private static final int LIST_UNITS = 4;
  private static final int LISTED = (LIST_UNITS * Space.UNIT_BYTES - Long.BYTES) / Long.BYTES;

  /** The near pages may be so many times as many as there are pages. */
  private static final int SPARSE = 16;

  /** Pages in one array of far pages, as a power of two. */
  private static final int FAR_BITS = 9;

  private static final VarHandle NEAR;
  private static final VarHandle FAR;
  private static final VarHandle ELEMENTS =
      MethodHandles.arrayElementVarHandle(MemorySegment[].class);
  private static final VarHandle FAR_ELEMENTS =
      MethodHandles.arrayElementVarHandle(MemorySegment[][].class);

  static {
    try {
      MethodHandles.Lookup lookup = MethodHandles.lookup();
      NEAR = lookup.findVarHandle(Slots.class, "near", MemorySegment[].class);
      FAR = lookup.findVarHandle(Slots.class, "far", MemorySegment[][].class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemorySource memory;
  private final Space space;
  private final @Nullable MemorySegment[] small = new MemorySegment[SMALL_PAGES];

  /** By index divided by 4096; the first one is never there. */
  private @Nullable MemorySegment[] near = new MemorySegment[1];

  /** By index divided by 4096 and by 512: those behind the near ones. */
  private @Nullable MemorySegment[] @Nullable [] far = new MemorySegment[0][];

  /** The numbers of all pages in order, 0 for all small ones together; for the writer. */
  private int[] numbers = new int[1];

  private int numbersCount;

  private volatile long capacity;
  private long visitedPages;

  private final Strays strays;

  /**
   * No slots yet.
   *
   * @param memory where pages come from
   * @param space where the list of them is
   * @param strays the slots that are in no page
   */
  Slots(MemorySource memory, Space space, Strays strays) {
    this.memory = memory;
    this.space = space;
    this.strays = strays;
  }

  /** How many slots there are. */
  long capacity() {
    return capacity + strays.count();
  }

  /** The word of any number; zeros, as of an index never used, if there is no slot. */
  long word(int index) {
    MemorySegment page = page(index);
    if (page == null) {
      memory.checkOpen();
      return strays.count() == 0 ? 0 : stray(index);
    }
    return SegmentAccess.longAcquire(page, offset(index));
  }

  /**
   * The words of many indices, in few instructions for each, so that many cache misses are under
   * way at the same time; for the writer.
   *
   * @param indices any numbers
   * @param from the first of them
   * @param to one more than the last of them
   * @param words takes the word of each, from the beginning
   */
  void words(int[] indices, int from, int to, long[] words) {
    @Nullable MemorySegment[] pages = near;
    for (int i = from; i < to; i++) {
      int index = indices[i];
      int number = index >>> PAGE_BITS;
      MemorySegment page = number < pages.length ? pages[number] : null;
      words[i - from] =
          page == null
              ? word(index)
              : page.get(JAVA_LONG, (long) (index & (1 << PAGE_BITS) - 1) << 3);
    }
  }

  /** The word of an index that had no page just now. */
  private long stray(int index) {
    long word = strays.word(index);
    if (word == 0) {
      // A stray that has gone into a page meanwhile was there before it was none.
      VarHandle.acquireFence();
      MemorySegment page = page(index);
      word = page == null ? 0 : SegmentAccess.longAcquire(page, offset(index));
    }
    return word;
  }

  /** As {@link #word}, for whoever looks at other memory of the store next, which must be open. */
  long wordIfOpen(int index) {
    MemorySegment page = page(index);
    if (page == null) {
      return strays.count() == 0 ? 0 : stray(index);
    }
    return SegmentAccess.longAcquire(page, offset(index));
  }

  /**
   * Stores a word in a slot that is there; what was written before is seen with it. A stray that
   * gets 0, which must be recorded as vacant, is none from then on.
   */
  void store(int index, long word) {
    MemorySegment page = page(index);
    if (page != null) {
      SegmentAccess.longRelease(page, offset(index), word);
    } else if (!strays.contains(index)) {
      throw new IllegalStateException("index " + index + " has no slot");
    } else if (word == 0) {
      strays.drop(index);
    } else {
      strays.store(index, word);
    }
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
    MemorySegment[] nearest = (MemorySegment[]) NEAR.getAcquire(this);
    return number < nearest.length
        ? (MemorySegment) ELEMENTS.getAcquire(nearest, number)
        : farPage(number);
  }

  private @Nullable MemorySegment farPage(int number) {
    MemorySegment[][] all = (MemorySegment[][]) FAR.getAcquire(this);
    if (number >>> FAR_BITS >= all.length) {
      return null;
    }
    MemorySegment[] some = (MemorySegment[]) FAR_ELEMENTS.getAcquire(all, number >>> FAR_BITS);
    return some == null
        ? null
        : (MemorySegment) ELEMENTS.getAcquire(some, number & (1 << FAR_BITS) - 1);
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
   * @param last where to end
   * @return the index, or the end if there is none
   */
  int usedFrom(int first, int last) {
    int index = first;
    int end = Math.min(last, strays.next(first));
    while (index < end) {
      MemorySegment page = page(index);
      if (page == null) {
        index = pagedFrom(index, end);
        continue;
      }
      int stop = (int) Math.min(end, (long) index + roomFrom(index));
      for (; index < stop; index++) {
        if (page.get(JAVA_LONG, offset(index)) != 0) {
          return index;
        }
      }
    }
    return end;
  }

  /** The first index behind the page of one, which is not there, that may have a page. */
  private int pagedFrom(int index, int end) {
    int number = index >>> PAGE_BITS;
    if (number == 0) {
      int next = firstOf(smallPage(index) + 1);
      if (next < 1 << PAGE_BITS) {
        return Math.min(next, end);
      }
    }
    int place = placeOf(number + 1);
    return place == numbersCount ? end : Math.min(numbers[place] << PAGE_BITS, end);
  }

  /** How many pages have lower numbers than one. */
  private int placeOf(int number) {
    int place = Arrays.binarySearch(numbers, 0, numbersCount, number);
    return place < 0 ? ~place : place;
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

  /** Visits all live slots, those in pages in order, then strays; for the writer. */
  void forEachLive(Visitor visitor) {
    for (int place = 0; place < numbersCount; place++) {
      int first = numbers[place] << PAGE_BITS;
      visitedPages++;
      // The end of the last page is no int.
      int visited = 0;
      while (visited < 1 << PAGE_BITS) {
        int index = first + visited;
        int room = roomFrom(index);
        MemorySegment page = page(index);
        for (int i = 0; page != null && i < room; i++) {
          long word = page.get(JAVA_LONG, offset(index + i));
          if (SlotWord.isLive(word)) {
            visitor.visit(index + i, word);
          }
        }
        visited += room;
      }
    }
    int stray = strays.next(0);
    while (stray != Integer.MAX_VALUE) {
      long word = strays.stored(stray);
      if (SlotWord.isLive(word)) {
        visitor.visit(stray, word);
      }
      stray = strays.next(stray + 1);
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
    @Nullable MemorySegment[] present = number == 0 ? small : roomFor(number);
    int element = number < near.length ? number : number & (1 << FAR_BITS) - 1;
    if (number == 0) {
      element = smallPage(index);
    }
    if (numbersCount == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * numbersCount);
    }
    MemorySegment page = allocate(first, slots);
    int end = first + (slots - 1);
    for (int at = strays.next(first);
        at <= end && at != Integer.MAX_VALUE;
        at = strays.next(at + 1)) {
      long word = strays.stored(at);
      boolean used = SlotWord.state(word) != SlotWord.UNUSED;
      page.set(JAVA_LONG, offset(at), used ? word : word & ~SlotWord.SIDE);
    }
    ELEMENTS.setRelease(present, element, page);
    int place = placeOf(number);
    if (place == numbersCount || numbers[place] != number) {
      System.arraycopy(numbers, place, numbers, place + 1, numbersCount - place);
      numbers[place] = number;
      numbersCount++;
    }
    long before = capacity;
    capacity = before + slots;
    for (int at = strays.next(first); at <= end && at != Integer.MAX_VALUE; at = strays.next(at)) {
      strays.moved(at);
    }
  }

  /** How many pages were looked through so far, for tests of what a call may cost. */
  long visitedPages() {
    return visitedPages;
  }

  /** The first index of the page that an index has, or would have. */
  static int firstOfPage(int index) {
    return index >>> PAGE_BITS == 0 ? firstOf(smallPage(index)) : index & -1 << PAGE_BITS;
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

  /** The array of pages that a number belongs to, with room for it. */
  private @Nullable MemorySegment[] roomFor(int number) {
    if (number < near.length) {
      return near;
    }
    int length = Math.max(number + 1, 2 * near.length);
    if (length > SPARSE * (numbersCount + 1)) {
      return farFor(number);
    }
    @Nullable MemorySegment[] longer = Arrays.copyOf(near, length);
    for (int place = placeOf(near.length); place < numbersCount; place++) {
      int other = numbers[place];
      if (other < length) {
        longer[other] = farPage(other);
      }
    }
    NEAR.setRelease(this, longer);
    return longer;
  }

  /** The array of far pages for a number. */
  private @Nullable MemorySegment[] farFor(int number) {
    int place = number >>> FAR_BITS;
    if (place >= far.length) {
      FAR.setRelease(this, Arrays.copyOf(far, place + 1));
    }
    @Nullable MemorySegment[] some = far[place];
    if (some == null) {
      some = new MemorySegment[1 << FAR_BITS];
      FAR_ELEMENTS.setRelease(far, place, some);
    }
    return some;
  }

  private static int smallPage(int index) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(index | (1 << FIRST_BITS) - 1) - FIRST_BITS;
  }

  /** The first index of one of the small pages. */
  private static int firstOf(int page) {
    return page == 0 ? 0 : 1 << (FIRST_BITS + page - 1);
  }
}
