// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SegmentAccess;

/**
 * Every store of a slot: what a {@link SlotWord} goes over to is decided here, and nobody else
 * writes to the pages of {@link Slots}.
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
 * <p>The store of one slot is one with release: what was written before is seen by whoever sees the
 * word. Those of many are plain ones, and whoever makes them puts fences around all of them. For
 * the one thread that writes.
 */
public record SlotChanges(Slots slots) {
  /**
   * Makes a reservation.
   *
   * @param index an unused index that has a slot
   * @param generation the generation that it has next
   * @param owner who has it, 0 where nobody else could have any
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
    MemorySegment page = slots.page(index);
    if (page == null) {
      throw new IllegalStateException("index " + index + " has no slot");
    }
    SegmentAccess.longRelease(page, SlotPages.offset(page, index), word);
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
}
