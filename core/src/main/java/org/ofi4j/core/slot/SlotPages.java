// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.SegmentAccess;

/**
 * Where this process finds the slot of an index: pages of 4096 slots, or of 64 to 2048 for the
 * first 4096 indices.
 *
 * <pre>
 *   index      small   [index / 64]                       a page of [0, 4096) from that slot on
 *              near    [index / 4096]                     pages
 *              far     [index / 4096 / 512] [... % 512]   pages behind the end of near
 * </pre>
 *
 * <p>The length of {@code near} goes by how many pages there are, so that a page far out costs
 * little. A page that was far stays in its array when the near one has grown over it; a reader that
 * still has the short array finds it there.
 *
 * <p><b>Memory order.</b> One thread at a time adds; any thread reads, by plain loads, as nothing
 * here ever changes but from absent to present. What a reader finds is complete: the writer
 * releases each array and each page by a fence before it is stored, and the reader's loads depend
 * on each other's addresses, down to the slot, which no processor in use turns around; the fields
 * of a {@link MemorySegment} are final. Who finds nothing may have looked at arrays of long ago and
 * looks again behind a fence, as {@link Slots} does.
 */
public final class SlotPages {
  /** Slots of a page beyond the small ones, as a power of two. */
  static final int PAGE_BITS = 12;

  /** Slots of the first two pages, as a power of two. */
  static final int SMALL_BITS = 6;

  /** The near pages may be so many times as many as there are pages. */
  private static final int SPARSE = 16;

  private static final int FAR_BITS = 9;

  private static final int PAGE_MASK = (1 << PAGE_BITS) - 1;
  private static final int SMALL_MASK = (1 << SMALL_BITS) - 1;
  private static final int FAR_MASK = (1 << FAR_BITS) - 1;

  private @Nullable MemorySegment[] small = new MemorySegment[1];

  /** The first one is never there: it is the small ones. */
  private @Nullable MemorySegment[] near = new MemorySegment[1];

  private @Nullable MemorySegment[] @Nullable [] far = new MemorySegment[0][];

  /** The numbers of all pages in order, 0 for all small ones together; for the writer. */
  private int[] numbers = new int[1];

  private int numbersCount;

  /**
   * The page of any number, from the 64 slots on that its own is in if it is a small one.
   *
   * @param index any number
   * @return its page, or null if there was none lately
   */
  @Nullable MemorySegment page(int index) {
    int number = index >>> PAGE_BITS;
    @Nullable MemorySegment[] pages = near;
    if (number == 0) {
      pages = small;
      number = index >>> SMALL_BITS;
    }
    return Integer.compareUnsigned(number, pages.length) < 0
        ? pages[number]
        : farPage(index >>> PAGE_BITS);
  }

  private @Nullable MemorySegment farPage(int number) {
    @Nullable MemorySegment[] @Nullable [] all = far;
    if (number >>> FAR_BITS >= all.length) {
      return null;
    }
    @Nullable MemorySegment[] some = all[number >>> FAR_BITS];
    return some == null ? null : some[number & FAR_MASK];
  }

  /** Where the slot of an index is in its {@link #page}. */
  public static long offset(int index) {
    int position = index & (index >>> PAGE_BITS == 0 ? SMALL_MASK : PAGE_MASK);
    return (long) position << 3;
  }

  /**
   * The word of the index that a handle is, for lookups that find most of what they look for here:
   * the same as {@link #page} and {@link #offset}, in as few instructions as can be.
   *
   * @param handle any handle
   * @return its word, loaded {@link SegmentAccess#longInOrder in order}; 0 also if the handle is no
   *     index, or its page is far, or was not there lately
   */
  public long nearWord(long handle) {
    int index = (int) handle;
    if (index != handle) {
      return 0;
    }
    int number = index >>> PAGE_BITS;
    int position = index & PAGE_MASK;
    @Nullable MemorySegment[] pages = near;
    if (number == 0) {
      pages = small;
      number = index >>> SMALL_BITS;
      position = index & SMALL_MASK;
    }
    // Compared like this, the length need not be compared again for the element.
    if (Integer.compareUnsigned(number, pages.length) >= 0) {
      return 0;
    }
    MemorySegment page = pages[number];
    return page != null && SegmentAccess.isNative(page)
        ? SegmentAccess.longInOrder(page, (long) position << 3)
        : 0;
  }

  /**
   * As {@link #nearWord}, for searches.
   *
   * @param index any number
   * @return its word, loaded with acquire; 0 also if its page is far, or was not there lately
   */
  public long nearWordAcquire(int index) {
    int number = index >>> PAGE_BITS;
    int position = index & PAGE_MASK;
    @Nullable MemorySegment[] pages = near;
    if (number == 0) {
      pages = small;
      number = index >>> SMALL_BITS;
      position = index & SMALL_MASK;
    }
    if (Integer.compareUnsigned(number, pages.length) >= 0) {
      return 0;
    }
    MemorySegment page = pages[number];
    return page != null && SegmentAccess.isNative(page)
        ? SegmentAccess.longAcquire(page, (long) position << 3)
        : 0;
  }

  /** How many slots the page of an index has from that index on. */
  public static int roomFrom(int index) {
    int end = index >>> PAGE_BITS == 0 ? firstOfSmall(smallPage(index) + 1) : 1 << PAGE_BITS;
    return end - (index & PAGE_MASK);
  }

  /** The first index of the page that an index has, or would have. */
  public static int firstOfPage(int index) {
    return index >>> PAGE_BITS == 0 ? firstOfSmall(smallPage(index)) : index & -1 << PAGE_BITS;
  }

  // For the writer.

  /** Makes room for the page of an index without one, so that {@link #add} cannot fail. */
  void makeRoom(int index) {
    int number = index >>> PAGE_BITS;
    if (number == 0) {
      int end = (firstOfPage(index) + roomFrom(firstOfPage(index))) >>> SMALL_BITS;
      if (end > small.length) {
        @Nullable MemorySegment[] longer = Arrays.copyOf(small, end);
        VarHandle.releaseFence();
        small = longer;
      }
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
      int place = number >>> FAR_BITS;
      if (place >= far.length) {
        @Nullable MemorySegment[] @Nullable [] longer = Arrays.copyOf(far, place + 1);
        VarHandle.releaseFence();
        far = longer;
      }
      if (far[place] == null) {
        @Nullable MemorySegment[] some = new MemorySegment[1 << FAR_BITS];
        VarHandle.releaseFence();
        far[place] = some;
      }
      return;
    }
    @Nullable MemorySegment[] longer = Arrays.copyOf(near, length);
    for (int place = placeOf(near.length); place < numbersCount; place++) {
      int other = numbers[place];
      if (other < length) {
        longer[other] = farPage(other);
      }
    }
    VarHandle.releaseFence();
    near = longer;
  }

  /** Adds a page by its first index; {@link #makeRoom} made room for it. */
  void add(int first, MemorySegment page) {
    int number = first >>> PAGE_BITS;
    // Its slots are there before the page is.
    VarHandle.releaseFence();
    if (number == 0) {
      addSmall(first, page);
    } else if (number < near.length) {
      near[number] = page;
    } else {
      Objects.requireNonNull(far[number >>> FAR_BITS], "no room was made")[number & FAR_MASK] =
          page;
    }
    int place = placeOf(number);
    if (place == numbersCount || numbers[place] != number) {
      System.arraycopy(numbers, place, numbers, place + 1, numbersCount - place);
      numbers[place] = number;
      numbersCount++;
    }
  }

  private void addSmall(int first, MemorySegment page) {
    long step = Long.BYTES << SMALL_BITS;
    for (int i = 0; i * step < page.byteSize(); i++) {
      small[(first >>> SMALL_BITS) + i] = page.asSlice(i * step);
    }
  }

  /** How many numbers of 4096 indices there are of which some have pages. */
  int count() {
    return numbersCount;
  }

  /** The n-th number of 4096 indices of which some have pages, in order. */
  int number(int place) {
    return numbers[place];
  }

  /** The first index behind the page of one, which is not there, that may have a page. */
  int nextFrom(int index, int end) {
    int number = index >>> PAGE_BITS;
    if (number == 0) {
      int next = firstOfSmall(smallPage(index) + 1);
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

  private static int smallPage(int index) {
    return Integer.SIZE - Integer.numberOfLeadingZeros(index | SMALL_MASK) - SMALL_BITS;
  }

  private static int firstOfSmall(int page) {
    return page == 0 ? 0 : 1 << (SMALL_BITS + page - 1);
  }
}
