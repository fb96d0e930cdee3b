// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;

/**
 * Where this process finds the slot of an index. An area of 4096 indices has one page of 4096
 * slots, or small ones of 64. The first area has pages of 64, 64, 128, 256 ... 2048 slots instead
 * of the one.
 *
 * <pre>
 *   index      small   [index / 64]                       a page of [0, 4096) from that slot on
 *              near    [index / 4096]                     pages of 4096 slots
 *              areas   [index / 4096 / 512] [... % 512]   small pages, or one of 4096 that
 *                                                         near is too short for
 *
 *   flat       [index - 4096]                             the slots of one large page
 *
 *   tag        bits 0 to 24: first index / 64; bit 25: is small
 *              bit 26: is flat; bits 0 to 8: how many times 4096 slots it has
 *              bit 27: slots are wide
 *
 *   slot       word (8)
 *   wide slot  word (8) | record of an IPv6 address, as in {@link AddressRecords} (24)
 * </pre>
 *
 * <p>Slots are <i>wide</i> in stores of IPv6 addresses: a new entry has its address in the slot, so
 * that a lookup misses the cache once.
 *
 * <p>The <i>flat</i> page begins with index 4096. It is made in place of the page of 4096 slots
 * there, if it is known that more will be needed. A lookup finds a slot in it with one addition,
 * which takes half the time of a lookup in other pages. {@code near} has its parts, too.
 *
 * <p>Small pages are for holes of runs, which are few in most areas. Where there is a small page,
 * no larger one comes.
 *
 * <p>The length of {@code near} goes by how many areas have pages, so that a page far out costs
 * little. A page that was far stays in its area when the near ones have grown over it; a reader
 * that still has the short array finds it there.
 *
 * <p><b>Memory order.</b> One thread at a time adds; any thread reads, by plain loads, as nothing
 * here ever changes but from absent to present. What a reader finds is complete: the writer
 * releases each array and each page by a fence before it is stored, and the reader's loads depend
 * on each other's addresses, down to the slot, which no processor in use turns around; the fields
 * of a {@link MemorySegment} are final. Who finds nothing may have looked at arrays of long ago and
 * looks again behind a fence, as {@link Slots} does.
 */
public final class SlotPages {
  /** Indices of an area, as a power of two. */
  static final int AREA_BITS = 12;

  /** Slots of the smallest pages, as a power of two. */
  private static final int LEAST_BITS = 6;

  /** Slots of the smallest pages: the small ones, and the first two. */
  public static final int LEAST = 1 << LEAST_BITS;

  /** The near pages may be so many times as many as there are areas with pages. */
  private static final int SPARSE = 16;

  private static final int FAR_BITS = 9;

  private static final int AREA = 1 << AREA_BITS;
  private static final int AREA_MASK = AREA - 1;
  private static final int LEAST_MASK = LEAST - 1;
  private static final int FAR_MASK = (1 << FAR_BITS) - 1;
  private static final int SMALL_TAG = 1 << (Integer.SIZE - 1 - LEAST_BITS);
  private static final int FLAT_TAG = 2 * SMALL_TAG;
  private static final int WIDE_TAG = 4 * SMALL_TAG;

  /** Bytes of slots and of wide ones, as powers of two. */
  private static final int SHIFT = 3;

  private static final int WIDE_SHIFT = 5;

  /** The offset of the record in a wide slot. */
  public static final int RECORD = Long.BYTES;

  /** The largest flat page has 8 MiB, for a million indices, so that no guess costs much more. */
  private static final int MOST_AREAS = 1 << 8;

  /** Bytes of a slot, as a power of two. */
  private final int shift;

  private final @Nullable MemorySegment[] small = new MemorySegment[AREA / LEAST];

  /** The first one is never there: it is the small ones. */
  private @Nullable MemorySegment[] near = new MemorySegment[1];

  private @Nullable MemorySegment[] @Nullable [] @Nullable [] areas = new MemorySegment[0][][];

  /** Without slots if there is no such page. */
  private MemorySegment flat = MemorySegment.NULL;

  /** The areas that have pages, in order; for the writer. */
  private int[] numbers = new int[1];

  private int numbersCount;

  /**
   * No pages.
   *
   * @param wide whether slots are wide
   */
  public SlotPages(boolean wide) {
    this.shift = wide ? WIDE_SHIFT : SHIFT;
  }

  /** Whether a tag is one of a page. */
  public static boolean isPage(int tag) {
    if (isFlat(tag)) {
      return tag > FLAT_TAG + 1 && tag <= FLAT_TAG + MOST_AREAS;
    }
    int first = firstOf(tag);
    return (tag & ~WIDE_TAG) >>> 1 < SMALL_TAG
        && ((tag & SMALL_TAG) != 0 ? first >= 2 * LEAST : firstOfPage(first) == first);
  }

  /** Whether a tag is one of a page with slots as they are here. */
  boolean isOwn(int tag) {
    return isPage(tag) && ((tag & WIDE_TAG) != 0) == isWide();
  }

  public boolean isWide() {
    return shift == WIDE_SHIFT;
  }

  public int slotBytes() {
    return 1 << shift;
  }

  private static boolean isFlat(int tag) {
    return (tag & FLAT_TAG) != 0;
  }

  /** The first index of a page. */
  public static int firstOf(int tag) {
    return isFlat(tag) ? AREA : (tag & SMALL_TAG - 1) << LEAST_BITS;
  }

  public static int slotsOf(int tag) {
    if (isFlat(tag)) {
      return (tag - FLAT_TAG) << AREA_BITS;
    }
    int first = firstOf(tag);
    return (tag & SMALL_TAG) != 0 || first == 0 ? LEAST : Math.min(first, AREA);
  }

  public static long bytesOf(int tag) {
    return (long) slotsOf(tag) << ((tag & WIDE_TAG) != 0 ? WIDE_SHIFT : SHIFT);
  }

  /**
   * The page of any number; in the first area, from the 64 slots on that its own is in.
   *
   * @param index any number
   * @return its page, or null if there was none lately
   */
  @Nullable MemorySegment page(int index) {
    int number = index >>> AREA_BITS;
    @Nullable MemorySegment[] pages = near;
    if (number == 0) {
      pages = small;
      number = index >>> LEAST_BITS;
    }
    MemorySegment page = Integer.compareUnsigned(number, pages.length) < 0 ? pages[number] : null;
    return page == null ? pageInArea(index) : page;
  }

  private long wordInArea(int index) {
    MemorySegment page = pageInArea(index);
    return page != null && SegmentAccess.isNative(page)
        ? SegmentAccess.longAcquire(page, offset(page, index))
        : 0;
  }

  private @Nullable MemorySegment pageInArea(int index) {
    @Nullable MemorySegment[] area = area(index >>> AREA_BITS);
    return area == null ? null : area[index >>> LEAST_BITS & area.length - 1];
  }

  private @Nullable MemorySegment @Nullable [] area(int number) {
    @Nullable MemorySegment[] @Nullable [] @Nullable [] all = areas;
    if (number >>> FAR_BITS >= all.length) {
      return null;
    }
    @Nullable MemorySegment[] @Nullable [] some = all[number >>> FAR_BITS];
    return some == null ? null : some[number & FAR_MASK];
  }

  /** Where the slot of an index is in its {@link #page}. */
  public long offset(MemorySegment page, int index) {
    // Sizes are powers of two, but for the first area.
    return index >>> AREA_BITS == 0
        ? (long) (index & LEAST_MASK) << shift
        : (long) index << shift & page.byteSize() - 1;
  }

  /** How many slots a page has from that of an index on. */
  public int roomFrom(MemorySegment page, int index) {
    return (int) ((page.byteSize() - offset(page, index)) >>> shift);
  }

  /**
   * The word of the index that a handle is, for lookups that find most of what they look for here:
   * the same as {@link #page} and {@link #offset}, in as few instructions as can be. Not of wide
   * slots.
   *
   * @param handle any handle
   * @return its word, loaded {@link SegmentAccess#longInOrder in order}; 0 also if the handle is no
   *     index, or its page was not there lately
   */
  public long nearWord(long handle) {
    long behind = handle - AREA;
    MemorySegment page = flat;
    if (Long.compareUnsigned(behind, page.byteSize() >>> 3) < 0 && SegmentAccess.isNative(page)) {
      return SegmentAccess.longInOrder(page, behind << 3);
    }
    int index = (int) handle;
    if (index != handle) {
      return 0;
    }
    int number = index >>> AREA_BITS;
    int position = index & AREA_MASK;
    @Nullable MemorySegment[] pages = near;
    if (number == 0) {
      pages = small;
      number = index >>> LEAST_BITS;
      position = index & LEAST_MASK;
    }
    // Compared like this, the length need not be compared again for the element.
    page = Integer.compareUnsigned(number, pages.length) < 0 ? pages[number] : null;
    if (page == null) {
      return wordInArea(index);
    }
    return SegmentAccess.isNative(page) ? SegmentAccess.longInOrder(page, (long) position << 3) : 0;
  }

  /**
   * As {@link #nearWord}, for searches.
   *
   * @param index any number
   * @return its word, loaded with acquire; 0 also if its page was not there lately
   */
  public long nearWordAcquire(int index) {
    int number = index >>> AREA_BITS;
    int position = index & AREA_MASK;
    @Nullable MemorySegment[] pages = near;
    if (number == 0) {
      pages = small;
      number = index >>> LEAST_BITS;
      position = index & LEAST_MASK;
    }
    MemorySegment page = Integer.compareUnsigned(number, pages.length) < 0 ? pages[number] : null;
    if (page == null) {
      return wordInArea(index);
    }
    return SegmentAccess.isNative(page) ? SegmentAccess.longAcquire(page, (long) position << 3) : 0;
  }

  /** As {@link #page}, for lookups of wide slots; null also if the page is in an area. */
  public @Nullable MemorySegment nearPage(int index) {
    int number = index >>> AREA_BITS;
    @Nullable MemorySegment[] pages = near;
    if (number == 0) {
      pages = small;
      number = index >>> LEAST_BITS;
    }
    return Integer.compareUnsigned(number, pages.length) < 0 ? pages[number] : null;
  }

  /** The offset of the wide slot of an index in its {@link #nearPage}. */
  public long nearOffset(int index) {
    return (long) (index & (index >>> AREA_BITS == 0 ? LEAST_MASK : AREA_MASK)) << WIDE_SHIFT;
  }

  /**
   * Where to look next behind an index without a page; for any thread.
   *
   * @param end one more than the last index of interest
   * @return the next index that may have one, or the end
   */
  int behind(int index, int end) {
    int number = index >>> AREA_BITS;
    int mask = number == 0 || area(number) != null ? LEAST_MASK : AREA_MASK;
    return (int) Math.min(end, (index | mask) + 1L);
  }

  // For the writer.

  /**
   * The tag of the page that an index without one is to have.
   *
   * @param wantsSmall whether it should be a small one
   * @param expected how many indices there will be, as far as is known
   */
  int tagFor(int index, boolean wantsSmall, long expected) {
    int tag = firstOfPage(index) >>> LEAST_BITS;
    long more = Math.min(Math.ceilDiv(expected, AREA) - 1, MOST_AREAS);
    boolean isFirst = firstOf(tag) == AREA && placeOf(1) == numbersCount;
    if (isFirst && !wantsSmall && more > 1 && !isWide()) {
      return FLAT_TAG + (int) more;
    }
    if (slotsOf(tag) > LEAST && (wantsSmall || !isEmpty(tag))) {
      tag = index >>> LEAST_BITS | SMALL_TAG;
    }
    return isWide() ? tag | WIDE_TAG : tag;
  }

  /** The first index of the page that an index has, if that is no small one. */
  private static int firstOfPage(int index) {
    return index < LEAST ? 0 : index < AREA ? Integer.highestOneBit(index) : index & ~AREA_MASK;
  }

  /** Whether none of the indices of a page has one. */
  boolean isEmpty(int tag) {
    int first = firstOf(tag);
    for (int i = 0; i < slotsOf(tag); i += LEAST) {
      if (page(first + i) != null) {
        return false;
      }
    }
    return true;
  }

  /** Makes room for a page, all of whose indices have none, so that {@link #add} cannot fail. */
  void makeRoom(int tag) {
    int number = firstOf(tag) >>> AREA_BITS;
    if (isFlat(tag)) {
      int more = slotsOf(tag) >>> AREA_BITS;
      lengthenNear(Math.max(more + 1, near.length));
      numbers = Arrays.copyOf(numbers, numbersCount + more);
    } else if (number > 0 && slotsOf(tag) == LEAST) {
      makeArea(number, AREA / LEAST);
    } else if (number >= near.length) {
      makeRoomFor(number);
    }
    if (numbersCount == numbers.length) {
      numbers = Arrays.copyOf(numbers, 2 * numbersCount);
    }
  }

  private void makeRoomFor(int number) {
    int length = Math.max(number + 1, 2 * near.length);
    if (length > SPARSE * (numbersCount + 1)) {
      makeArea(number, 1);
    } else {
      lengthenNear(length);
    }
  }

  private void lengthenNear(int length) {
    @Nullable MemorySegment[] longer = Arrays.copyOf(near, length);
    for (int place = placeOf(near.length); place < numbersCount; place++) {
      int other = numbers[place];
      @Nullable MemorySegment[] area = other < length ? area(other) : null;
      if (area != null && area.length == 1) {
        longer[other] = area[0];
      }
    }
    VarHandle.releaseFence();
    near = longer;
  }

  /** Makes room for pages of an area, which has none of another size. */
  private void makeArea(int number, int pages) {
    int place = number >>> FAR_BITS;
    if (place >= areas.length) {
      @Nullable MemorySegment[] @Nullable [] @Nullable [] longer = Arrays.copyOf(areas, place + 1);
      VarHandle.releaseFence();
      areas = longer;
    }
    @Nullable MemorySegment[] @Nullable [] some = areas[place];
    if (some == null) {
      some = new MemorySegment[1 << FAR_BITS][];
      VarHandle.releaseFence();
      areas[place] = some;
    }
    @Nullable MemorySegment[] area = some[number & FAR_MASK];
    // One that memory ran out for may have been to have other pages.
    if (area == null || area.length != pages) {
      area = new MemorySegment[pages];
      VarHandle.releaseFence();
      some[number & FAR_MASK] = area;
    }
  }

  /** Adds a page; {@link #makeRoom} made room for it. */
  void add(int tag, MemorySegment page) {
    int first = firstOf(tag);
    int number = first >>> AREA_BITS;
    // Its slots are there before the page is.
    VarHandle.releaseFence();
    if (isFlat(tag)) {
      // If there is no room for one of them, none is there.
      MemorySegment[] parts = new MemorySegment[slotsOf(tag) >>> AREA_BITS];
      for (int i = 0; i < parts.length; i++) {
        parts[i] = page.asSlice((long) i << (AREA_BITS + shift), AREA << shift);
      }
      for (int i = 0; i < parts.length; i++) {
        add((first >>> LEAST_BITS) + (i << (AREA_BITS - LEAST_BITS)), parts[i]);
      }
      flat = page;
      return;
    }
    if (number == 0) {
      for (int i = 0; i < slotsOf(tag); i += LEAST) {
        small[(first + i) >>> LEAST_BITS] = page.asSlice((long) i << shift);
      }
    } else if (slotsOf(tag) == AREA && number < near.length) {
      near[number] = page;
    } else {
      @Nullable MemorySegment[] area = Objects.requireNonNull(area(number), "no room was made");
      area[first >>> LEAST_BITS & area.length - 1] = page;
    }
    int place = placeOf(number);
    if (place == numbersCount || numbers[place] != number) {
      System.arraycopy(numbers, place, numbers, place + 1, numbersCount - place);
      numbers[place] = number;
      numbersCount++;
    }
  }

  /** How many areas have pages. */
  int count() {
    return numbersCount;
  }

  /** The n-th area that has pages, in order. */
  int number(int place) {
    return numbers[place];
  }

  /** The first index behind the page of one, which is not there, that may have a page. */
  int nextFrom(int index, int end) {
    int next = behind(index, end);
    int place = placeOf(next >>> AREA_BITS);
    return place == numbersCount ? end : Math.clamp(numbers[place] << AREA_BITS, next, end);
  }

  /** How many areas with lower numbers have pages. */
  private int placeOf(int number) {
    int place = Arrays.binarySearch(numbers, 0, numbersCount, number);
    return place < 0 ? ~place : place;
  }
}
