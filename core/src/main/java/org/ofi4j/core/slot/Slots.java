// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.memory.SegmentAccess;

/**
 * The slots, one {@link SlotWord} for each index and, in wide slots, room for an IPv6 address, in
 * pages that never move and are never given back. A page is there from the first time on that one
 * of its slots is needed.
 *
 * <p>Pages come straight from the memory source, tagged as {@link SlotPages} says, which also knows
 * where this process finds them.
 *
 * <p>Every store of a slot is here:
 *
 * <pre>
 *            reserve              show              attachSide
 *   unused ───────────▶ reserved ──────▶ live ─────────────────▶ live with a side word
 *   unused ───────────── show ─────────▶ live ─── replace ─────▶ live with another address
 *        0 ───────────── show ─────────▶ live: the index was of a run
 *   unused ◀──────────── free ────────── reserved, live, 0: the index was of a run
 *        0 ◀──────────── clear ───────── unused: the index is of a run that has come
 * </pre>
 *
 * <p>The store of one slot is one with release, which publishes an entry; its acquire load sees the
 * whole of what it names. Those of many are plain ones, and their caller puts fences around all of
 * them. One thread at a time writes; any thread reads, without waiting.
 */
public final class Slots {
  private final MemorySource memory;

  /** Whether other processes have this memory too. */
  private final boolean shared;

  /** How many pieces of it were looked at for pages. */
  private int followed;

  private final SlotPages pages;
  private volatile long capacity;

  /** How many pieces there were when all of them were looked at. */
  private volatile int seen;

  private long visitedAreas;

  private final long hint;

  /** How many indices there will be, as far as is known; for the writer. */
  private long expected;

  /**
   * No slots yet, or those in memory that other processes have.
   *
   * @param memory where pages come from
   * @param hint how many indices there will be, a guess
   * @param wide whether slots are wide
   */
  public Slots(MemorySource memory, long hint, boolean wide) {
    this.memory = memory;
    this.pages = new SlotPages(wide);
    this.hint = hint;
    this.expected = hint;
    this.shared = memory.isShared();
    followPieces();
  }

  /**
   * Tells how many indices there will be with the next call, or the hint if that is more, so that
   * their slots come in one page; for the writer.
   *
   * @param indices how many, those that are there among them; a guess
   */
  public void expect(long indices) {
    expected = Math.max(hint, indices);
  }

  /** Looks for pages that other processes took. */
  public void follow() {
    if (shared) {
      followPieces();
    }
  }

  private synchronized void followPieces() {
    for (int count = memory.pieces(); followed < count; followed++) {
      int tag = memory.tag(followed);
      if (tag >= 0) {
        if (!pages.isOwn(tag) || !pages.isEmpty(tag)) {
          // No page has this tag, or some of its indices have one.
          throw new IllegalStateException("piece " + followed + " is of no page: " + tag);
        }
        pages.makeRoom(tag);
        add(tag, memory.piece(followed, SlotPages.bytesOf(tag)));
      }
    }
  }

  private void add(int tag, MemorySegment page) {
    pages.add(tag, page);
    long before = capacity;
    capacity = before + SlotPages.slotsOf(tag);
  }

  public long capacity() {
    if (shared) {
      arrived(0);
    }
    return capacity;
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
      long word = pages.isWide() ? 0 : pages.nearWord(indices[i]);
      words[i - from] = word != 0 ? word : word(indices[i]);
    }
  }

  /** The word of any number; zeros, as of an index never used, if there is no slot. */
  public long word(int index) {
    MemorySegment page = pages.page(index);
    if (page == null) {
      memory.checkOpen();
      page = page(index);
    }
    return page == null ? 0 : SegmentAccess.longAcquire(page, pages.offset(page, index));
  }

  /** The page of any number, or null if there is none; see {@link SlotPages#page}. */
  public @Nullable MemorySegment page(int index) {
    // What was absent lately may be there by now.
    VarHandle.acquireFence();
    MemorySegment page = pages.page(index);
    return page != null || !shared || index < 0 ? page : arrived(index);
  }

  private @Nullable MemorySegment arrived(int index) {
    int count = memory.pieces();
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
    while (index < last) {
      MemorySegment page = page(index);
      if (page == null) {
        index = pages.nextFrom(index, last);
        continue;
      }
      int stop = index + Math.min(last - index, pages.roomFrom(page, index));
      for (long offset = pages.offset(page, index); index < stop; offset += pages.slotBytes()) {
        if (SegmentAccess.longAcquire(page, offset) != 0) {
          return index;
        }
        index++;
      }
    }
    return last;
  }

  /**
   * Returns the first index from one on that has a page; for any thread.
   *
   * @param end the answer if there is none before it
   */
  public int nextPageFrom(int index, int end) {
    int next = index;
    while (next < end && page(next) == null) {
      next = pages.behind(next, end);
    }
    return next;
  }

  /** How many indices of an interval have slots that are not 0; for the writer. */
  public int countUsed(int from, int to) {
    int count = 0;
    for (int used = usedFrom(from, to); used < to; used = usedFrom(used + 1, to)) {
      count++;
    }
    return count;
  }

  /**
   * The first index of an interval that has no slot, or one that is 0; for the writer.
   *
   * @param to one more than the last index of the interval; the answer if there is none
   */
  public int emptyFrom(int from, int to) {
    int index = from;
    while (index < to && word(index) != 0) {
      index++;
    }
    return index;
  }

  public interface Visitor {
    void visit(int index, long word);
  }

  /** Visits all live slots in order; for the writer. */
  public void forEachLive(Visitor visitor) {
    forEachUsed((index, word) -> {
      if (SlotWord.isLive(word)) {
        visitor.visit(index, word);
      }
    });
  }

  /** Visits all slots that are not 0, in order; for the writer. */
  public void forEachUsed(Visitor visitor) {
    for (int place = 0; place < pages.count(); place++) {
      visitedAreas++;
      int index = pages.number(place) << SlotPages.AREA_BITS;
      // The end of the last area is no int.
      int end = (int) Math.min(index + (1L << SlotPages.AREA_BITS), Integer.MAX_VALUE);
      while (index < end) {
        MemorySegment page = pages.page(index);
        if (page == null) {
          index = pages.nextFrom(index, end);
          continue;
        }
        int stop = index + Math.min(end - index, pages.roomFrom(page, index));
        for (long offset = pages.offset(page, index); index < stop; offset += pages.slotBytes()) {
          long word = page.get(JAVA_LONG, offset);
          if (word != 0) {
            visitor.visit(index, word);
          }
          index++;
        }
      }
    }
  }

  /**
   * Makes sure that an index has a slot.
   *
   * @param inHole whether it is in the hole of a run, whose other indices need none
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void ensure(int index, boolean inHole) {
    if (page(index) != null) {
      return;
    }
    int tag = pages.tagFor(index, inHole, expected);
    MemorySegment page;
    try {
      page = allocate(tag);
    } catch (OutOfMemoryError e) {
      // A hint limits nothing (AV-035).
      int larger = tag;
      tag = pages.tagFor(index, inHole, 0);
      if (tag == larger) {
        throw e;
      }
      page = allocate(tag);
    }
    memory.count();
    if (shared) {
      follow();
    } else {
      add(tag, page);
    }
  }

  private MemorySegment allocate(int tag) {
    pages.makeRoom(tag);
    return memory.allocate(SlotPages.bytesOf(tag), tag);
  }

  /**
   * Makes a reservation.
   *
   * @param index an unused index that has a slot
   * @param generation the generation that it has next
   * @param owner the participant that has it, plus 1; 0 if there are no others
   */
  public void reserve(int index, long generation, int owner) {
    store(index, SlotWord.reserved(generation, owner));
  }

  /**
   * Makes an entry: with this store it is there, for lookups and searches alike.
   *
   * @param index an index that has a slot, and is unused, reserved or an entry of a run
   * @param hasSide whether its side word counts
   */
  public void show(int index, long stateAndBody, long generation, boolean hasSide) {
    store(index, SlotWord.withGeneration(stateAndBody, generation) | (hasSide ? SlotWord.SIDE : 0));
  }

  /**
   * Gives an entry another address: with this store it has it, for lookups and searches alike.
   *
   * @param live the word of the index, which is live
   */
  public void replace(int index, long live, long stateAndBody) {
    store(index, SlotWord.withGenerationOf(stateAndBody, live) | (live & SlotWord.SIDE));
  }

  /** Says that the side word of a live or reserved index counts. */
  public void attachSide(int index, long word) {
    store(index, word | SlotWord.SIDE);
  }

  /** Ends an entry or a reservation; {@code generation} comes next. */
  public void free(int index, long generation) {
    store(index, SlotWord.unused(generation));
  }

  /**
   * Lets an unused index be an entry of the run that covers it.
   *
   * @param index an index that has a slot
   */
  public void clear(int index) {
    store(index, 0);
  }

  private void store(int index, long word) {
    MemorySegment page = page(index);
    if (page == null) {
      throw new IllegalStateException("index " + index + " has no slot");
    }
    SegmentAccess.longRelease(page, pages.offset(page, index), word);
  }

  // Of many slots.

  /**
   * As {@link #show(int, long, long, boolean)}, without a side word.
   *
   * @param page the page of an unused index
   * @param offset where its slot is there
   * @param word state and body {@linkplain SlotWord#withGeneration with the generation}
   */
  public static void show(MemorySegment page, long offset, long word) {
    page.set(JAVA_LONG, offset, word);
  }

  /**
   * As {@link #free(int, long)}, of an entry.
   *
   * @param page the page of a live index
   * @param offset where its slot is there
   * @param generation the generation that comes next
   */
  public static void free(MemorySegment page, long offset, long generation) {
    page.set(JAVA_LONG, offset, SlotWord.unused(generation));
  }

  /** How many areas were looked through so far, for tests of what a call may cost. */
  long visitedAreas() {
    return visitedAreas;
  }
}
