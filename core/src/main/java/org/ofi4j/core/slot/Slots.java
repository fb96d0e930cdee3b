// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.AllocatedPieces;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.memory.SegmentAccess;

/**
 * The slots, one {@link SlotWord} for each index, in pages that never move and are never given
 * back. A page is there from the first time on that one of its slots is needed.
 *
 * <pre>
 *   indices   [0, 64) [64, 128) [128, 256) ... [2048, 4096)   then 4096 slots to a page, 32 KiB
 * </pre>
 *
 * <p>Pages come straight from the memory source, tagged with their first index / 64, by which other
 * processes know them.
 *
 * <p>Where this process finds the pages is the matter of {@link SlotPages}.
 *
 * <p>The release store of a slot publishes an entry; its acquire load sees the whole of what it
 * names. One thread at a time writes, by {@link SlotChanges}; any thread reads, without waiting.
 */
public final class Slots {
  private final MemorySource memory;

  /** Null if nobody else has this memory. */
  private final @Nullable AllocatedPieces shared;

  /** How many of those were looked at for pages. */
  private int followed;

  private final SlotPages pages = new SlotPages();
  private volatile long capacity;

  /** How many pieces there were when all of them were looked at. */
  private volatile int seen;

  private long visitedPages;

  private final OverflowSlots overflowSlots;
  private final OverflowSlotLookups overflowSlotLookups;

  /**
   * No slots yet, or those in memory that other processes have.
   *
   * @param memory where pages come from
   * @param overflowSlots the slots that are in no page
   */
  public Slots(MemorySource memory, OverflowSlots overflowSlots) {
    this.memory = memory;
    this.shared = memory.shared();
    this.overflowSlots = overflowSlots;
    this.overflowSlotLookups = overflowSlots.lookups();
    AllocatedPieces begun = shared == null ? memory.begun() : shared;
    if (begun != null) {
      follow(begun);
    }
  }

  /** Looks for pages that other processes took. */
  public void follow() {
    if (shared != null) {
      follow(shared);
    }
  }

  private synchronized void follow(AllocatedPieces pieces) {
    for (int count = pieces.pieces(); followed < count; followed++) {
      int tag = pieces.tag(followed);
      int first = tag << SlotPages.SMALL_BITS;
      if (tag >= 0 && !isPage(tag)) {
        // It would come before all others, or in the middle of one.
        throw new IllegalStateException("piece " + followed + " is of no page: " + tag);
      }
      if (tag >= 0 && pages.page(first) == null) {
        pages.makeRoom(first);
        add(first, pieces.piece(followed, bytesOfPage(tag)), SlotPages.roomFrom(first));
      }
    }
  }

  public static long bytesOfPage(int tag) {
    return (long) SlotPages.roomFrom(tag << SlotPages.SMALL_BITS) * Long.BYTES;
  }

  public static boolean isPage(int tag) {
    int first = tag << SlotPages.SMALL_BITS;
    return first >= 0
        && first >>> SlotPages.SMALL_BITS == tag
        && SlotPages.firstOfPage(first) == first;
  }

  private void add(int first, MemorySegment page, int slots) {
    pages.add(first, page);
    long before = capacity;
    capacity = before + slots;
  }

  public long capacity() {
    AllocatedPieces pieces = shared;
    if (pieces != null) {
      arrived(pieces, 0);
    }
    return capacity + overflowSlotLookups.count();
  }

  /** Where pages are, for lookups. */
  public SlotPages pages() {
    return pages;
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
  public void words(int[] indices, int from, int to, long[] words) {
    for (int i = from; i < to; i++) {
      long word = pages.nearWord(indices[i]);
      words[i - from] = word != 0 ? word : word(indices[i]);
    }
  }

  /** The word of any number; zeros, as of an index never used, if there is no slot. */
  public long word(int index) {
    MemorySegment page = pages.page(index);
    if (page == null) {
      memory.checkOpen();
      return wordElsewhere(index);
    }
    return SegmentAccess.longAcquire(page, SlotPages.offset(index));
  }

  /** As {@link #word}, for whoever looks at other memory of the store next, which must be open. */
  public long wordIfOpen(int index) {
    MemorySegment page = pages.page(index);
    return page == null
        ? wordElsewhere(index)
        : SegmentAccess.longAcquire(page, SlotPages.offset(index));
  }

  /** The word of an index that had no page lately. */
  private long wordElsewhere(int index) {
    long word = overflowSlotLookups.word(index);
    if (word == 0) {
      // A slot that has gone into a page meanwhile was there before it was dropped here.
      MemorySegment page = page(index);
      word = page == null ? 0 : SegmentAccess.longAcquire(page, SlotPages.offset(index));
    }
    return word;
  }

  /** The page of any number, or null if there is none; see {@link SlotPages#page}. */
  public @Nullable MemorySegment page(int index) {
    // What was absent lately may be there by now.
    VarHandle.acquireFence();
    MemorySegment page = pages.page(index);
    AllocatedPieces pieces = shared;
    return page != null || pieces == null || index < 0 ? page : arrived(pieces, index);
  }

  private @Nullable MemorySegment arrived(AllocatedPieces pieces, int index) {
    int count = pieces.pieces();
    if (seen != count) {
      follow();
      seen = count;
    }
    return pages.page(index);
  }

  /** As {@link #page}, for the writer, who has seen all pages come. */
  public @Nullable MemorySegment pageForWriter(int index) {
    return pages.page(index);
  }

  /**
   * The first index whose slot is not 0; for the writer.
   *
   * @param first where to begin
   * @param last where to end
   * @return the index, or the end if there is none
   */
  public int usedFrom(int first, int last) {
    int index = first;
    int end = Math.min(last, overflowSlots.next(first));
    while (index < end) {
      MemorySegment page = page(index);
      if (page == null) {
        index = pages.nextFrom(index, end);
        continue;
      }
      int stop = (int) Math.min(end, (long) index + SlotPages.roomFrom(index));
      long offset = SlotPages.offset(index);
      for (; index < stop; index++) {
        if (page.get(JAVA_LONG, offset) != 0) {
          return index;
        }
        offset += Long.BYTES;
      }
    }
    return end;
  }

  /**
   * Whether some indices of an interval have slots in pages that are not 0; lock-free. Overflow
   * slots are not asked.
   *
   * @param from the first of them
   * @param to the last of them, plus 1
   */
  public boolean areUsed(int from, int to) {
    int index = from;
    while (index < to) {
      MemorySegment page = page(index);
      int stop = (int) Math.min(to, (long) index + SlotPages.roomFrom(index));
      // By index, a page of the first 4096 would begin again every 64 slots.
      long offset = SlotPages.offset(index);
      for (; page != null && index < stop; index++) {
        if (SegmentAccess.longAcquire(page, offset) != 0) {
          return true;
        }
        offset += Long.BYTES;
      }
      index = stop;
    }
    return false;
  }

  public interface Visitor {
    void visit(int index, long word);
  }

  /** Visits all live slots, those in pages in order, then overflow slots; for the writer. */
  public void forEachLive(Visitor visitor) {
    for (int place = 0; place < pages.count(); place++) {
      visitedPages++;
      forEachLive(pages.number(place) << SlotPages.PAGE_BITS, 1 << SlotPages.PAGE_BITS, visitor);
    }
    int overflowSlot = overflowSlots.next(0);
    while (overflowSlot != Integer.MAX_VALUE) {
      long word = overflowSlots.stored(overflowSlot);
      if (SlotWord.isLive(word)) {
        visitor.visit(overflowSlot, word);
      }
      overflowSlot = overflowSlots.next(overflowSlot + 1);
    }
  }

  /**
   * Visits live slots of some pages in order, overflow slots not among them; for the writer.
   *
   * @param first the first index of a page of 4096, or 0
   * @param count how many indices, a multiple of 4096; the end need not be an int
   */
  void forEachLive(int first, int count, Visitor visitor) {
    int visited = 0;
    while (visited < count) {
      int index = first + visited;
      int room = SlotPages.roomFrom(index);
      long offset = SlotPages.offset(index);
      MemorySegment page = pages.page(index);
      for (int i = 0; page != null && i < room; i++) {
        long word = page.get(JAVA_LONG, offset + (long) i * Long.BYTES);
        if (SlotWord.isLive(word)) {
          visitor.visit(index + i, word);
        }
      }
      visited += room;
    }
  }

  // For SlotChanges.

  /**
   * Takes memory for a page, which is not there before it is {@link #publish published}.
   *
   * @param first its first index
   * @return its memory, all zeros
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  MemorySegment allocate(int first) {
    pages.makeRoom(first);
    int tag = first >>> SlotPages.SMALL_BITS;
    return memory.allocate(bytesOfPage(tag), tag);
  }

  /** Lets a page be there that was {@link #allocate allocated}, with what was written to it. */
  void publish(int first, MemorySegment page) {
    memory.count();
    if (shared == null) {
      add(first, page, SlotPages.roomFrom(first));
    } else {
      follow();
    }
  }

  /** How many pages were looked through so far, for tests of what a call may cost. */
  long visitedPages() {
    return visitedPages;
  }
}
