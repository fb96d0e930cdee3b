// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import java.lang.foreign.MemorySegment;
import java.util.function.IntUnaryOperator;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * Data that few entries have, in one word for each index. Most indices have none: pages of words
 * are made as they are needed.
 *
 * <pre>
 *     63   62    61 ........... 31   30 ................... 0
 *   mark | all |     shares        | high half of the generation
 *
 *   page   64 words of 8 bytes, found by {@link IndexPages}
 * </pre>
 *
 * <ul>
 *   <li><b>high</b>: the generation of a live slot is {@code high << 13 | low}, with the 13 bits of
 *       its slot. It never falls, and stays when the entry dies.
 *   <li><b>shares</b>: insertions beyond the first. Of an entry of a run: to be added to the shares
 *       of the run, modulo 2<sup>31</sup>, as single shares may have been removed; unless
 *       <b>all</b> is set.
 *   <li><b>all</b>: an entry of a run is about to get a slot, and its shares are all that it has.
 *       So the store of the slot changes no number.
 *   <li><b>mark</b>: the peer is behind a firewall.
 * </ul>
 *
 * <p>A slot with the {@linkplain SlotWord#SIDE side bit} says that the word counts. Without the bit
 * the entry has one share, no mark, and a generation below 8,192. The word of an entry of a run
 * always counts. Of an index that is neither live nor reserved, the word has nothing but the high
 * half, so the next entry inherits nothing.
 *
 * <h2>Order</h2>
 *
 * <p>The writer stores, each time with release:
 *
 * <pre>
 *   entry comes            word | slot with the side bit
 *   live entry gets data   word | slot with the side bit, unless it had it
 *   entry dies             slot | word without shares and mark
 * </pre>
 *
 * <p>A reader that has found a slot with the side bit loads, each time with acquire:
 *
 * <pre>
 *   word 1 | slot 1 | word 2 | slot 2 | word 3
 * </pre>
 *
 * <p>It begins again unless both slots are the one that it has found, and all words have the same
 * high half. Then word 2 was that of the entry at the time of its load. Let the slots be of entries
 * A and C, with high halves {@code a} and {@code c}:
 *
 * <ol>
 *   <li>An entry's word is stored before its slot. So word 2 is that of A or a later one, and word
 *       3 that of C or a later one. As high halves never fall, theirs are at least {@code a} and
 *       {@code c}.
 *   <li>A word of a later entry, or a cleared one, is stored after the death of the one before. A
 *       reader that has acquired it finds no slot of an entry that was dead then. So word 1 is not
 *       later than A, and word 2 not later than C: their high halves are at most {@code a} and
 *       {@code c}.
 *   <li>All high halves are equal, so {@code a} is {@code c}. The low bits of A and C are in their
 *       slots, which are equal. So A and C have one generation, and are one entry.
 *   <li>By 1 and 2, word 2 is neither older nor later than this entry. It is its own.
 * </ol>
 *
 * <p>So halves of two lives never meet, however long the reader was stopped between its loads, and
 * although slots repeat after 8,192 lives. On processors with weak memory order, this needs nothing
 * but the release of each store, and the acquire of each load, which also keeps loads in order.
 * Only the last load may be plain. {@code SideWordOrderTest} goes through all ways.
 *
 * <p>One thread at a time writes.
 */
public final class SideWords {
  /** Bits of the high half of a generation. */
  public static final int HIGH_BITS = 31;

  /** The most shares. */
  public static final int MOST_SHARES = Integer.MAX_VALUE - 1;

  /** Of a word that was not that of the slot; no word is like this. */
  public static final long CHANGED = -1;

  private static final int PAGE_UNITS = 8;
  private static final long HIGH = (1L << HIGH_BITS) - 1;
  private static final int SHARES_MASK = Integer.MAX_VALUE;
  private static final long ALL = 1L << 62;
  private static final long MARK = 1L << 63;

  private final SlabAllocator allocator;
  private final IndexPages pages;
  private final Slots slots;

  /** No words, or those that the superblock leads to. */
  public SideWords(SlabAllocator allocator, Slots slots) {
    this.allocator = allocator;
    this.pages = new IndexPages(allocator, Superblock.SIDE_PAGES, PAGE_UNITS);
    this.slots = slots;
  }

  // The parts of a word.

  public static int shares(long word) {
    return (int) (word >>> HIGH_BITS) & SHARES_MASK;
  }

  /** The shares of an entry of a run, all of whose entries have so many. */
  public static int sharesInRun(long word, int ofRun) {
    return (word & ALL) != 0 ? shares(word) : (ofRun + shares(word)) & SHARES_MASK;
  }

  public static boolean isMarked(long word) {
    return word < 0;
  }

  /** Whether a word has nothing but half of a generation. */
  public static boolean isClear(long word) {
    return (word & ~HIGH) == 0;
  }

  /** The generation whose high half is in a word. */
  public static long generation(long word, long low) {
    return (word & HIGH) << SlotWord.LOW_GENERATION_BITS | low;
  }

  public static long withShares(long word, int shares) {
    return (word & ~((long) SHARES_MASK << HIGH_BITS)) | (long) (shares & SHARES_MASK) << HIGH_BITS;
  }

  public static long withMark(long word) {
    return word | MARK;
  }

  /** The word of an entry that leaves its run, all of whose entries have so many shares. */
  public static long leavingRun(long word, int ofRun) {
    int shares = sharesInRun(word, ofRun);
    return isClear(word) && shares == 0 ? word : withShares(word, shares) | ALL;
  }

  public static long withGeneration(long word, long generation) {
    return (word & ~HIGH) | (generation >>> SlotWord.LOW_GENERATION_BITS & HIGH);
  }

  // For any thread.

  /** The word of any number; 0 if it has no page. */
  public long word(int index) {
    int page = pages.page(index);
    return page == 0 ? 0 : SegmentAccess.longAcquire(allocator.segment(page), offset(page, index));
  }

  /**
   * The word that an index had while its slot was a given one.
   *
   * @param live a live slot with the side bit
   * @return {@link #CHANGED} if the slot or the life changed
   */
  public long word(int index, long live) {
    int page = pages.page(index);
    if (page == 0) {
      // Memory is damaged.
      return 0;
    }
    MemorySegment segment = allocator.segment(page);
    long offset = offset(page, index);
    long before = SegmentAccess.longAcquire(segment, offset);
    if (slots.word(index) != live) {
      return CHANGED;
    }
    long word = SegmentAccess.longAcquire(segment, offset);
    if (slots.word(index) != live) {
      return CHANGED;
    }
    long after = SegmentAccess.longAcquire(segment, offset);
    boolean isOfOneLife = (((before ^ word) | (word ^ after)) & HIGH) == 0;
    if (isOfOneLife && word == CHANGED) {
      throw new IllegalStateException("index " + index + " has a side word that no index has");
    }
    return isOfOneLife ? word : CHANGED;
  }

  /** The generation of an index with a slot, which is not 0; -1 if it changed. */
  public long generation(int index, long slot) {
    if (!SlotWord.isLive(slot)) {
      return SlotWord.generation(slot);
    }
    long low = SlotWord.lowGeneration(slot);
    if (!SlotWord.hasSide(slot)) {
      return low;
    }
    long word = word(index, slot);
    return word == CHANGED ? -1 : generation(word, low);
  }

  /** Whether an index has a page. */
  public boolean has(int index) {
    return pages.page(index) != 0;
  }

  /** Bytes of all pages, and of what leads to them. */
  public long usedBytes() {
    return (long) pages.units() * SlabAllocator.UNIT_BYTES;
  }

  // For the writer.

  /**
   * Makes sure that an index can have a word.
   *
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void ensure(int index) {
    pages.ensure(index);
  }

  /** Stores the word of an index that has a page. */
  public void set(int index, long word) {
    int page = pages.page(index);
    SegmentAccess.longRelease(allocator.segment(page), offset(page, index), word);
  }

  /** Takes all data of an index, whose entry is dead, but half of the generation. */
  public void clear(int index) {
    long word = word(index);
    if (!isClear(word)) {
      set(index, word & HIGH);
    }
  }

  /**
   * Counts the pages again, and clears the words of indices that are neither live nor reserved; for
   * a writer that follows one that died. An entry of a run that was about to get a slot has its
   * shares as the others have them, so that it gets those that the run gets.
   *
   * @param sharesOfRun the shares of the run that has an index whose slot is 0; -1 if none has it
   */
  public void restore(IntUnaryOperator sharesOfRun) {
    pages.recount();
    forEach((index, word) -> {
      long slot = slots.word(index);
      int ofRun = slot == 0 ? sharesOfRun.applyAsInt(index) : -1;
      if (ofRun < 0 && !SlotWord.hasSide(slot)) {
        clear(index);
      } else if (ofRun >= 0 && (word & ALL) != 0) {
        set(index, withShares(word & ~ALL, shares(word) - ofRun));
      }
    });
  }

  /** Visits all indices whose words are not 0. */
  public void forEach(Slots.Visitor visitor) {
    pages.forEach((unit, units, first, isPage) -> {
      for (int i = 0; isPage && i < 1 << IndexPages.PAGE_BITS; i++) {
        long word = SegmentAccess.longAcquire(allocator.segment(unit), offset(unit, i));
        if (word != 0) {
          visitor.visit(first + i, word);
        }
      }
      return true;
    });
  }

  /** The pages, for checks. */
  public IndexPages pages() {
    return pages;
  }

  private long offset(int page, int index) {
    return allocator.offset(page) + (long) (index & (1 << IndexPages.PAGE_BITS) - 1) * Long.BYTES;
  }
}
