// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import org.ofi4j.core.free.FreeIndexDirectory;
import org.ofi4j.core.free.FreeIndexLookups;
import org.ofi4j.core.free.FreeIndices;

/**
 * Which generation an index has: a number that grows each time that the index is used again, and
 * never comes again. An index that is unused or reserved has it in its slot. A live one has only
 * {@link SlotWord#LOW_GENERATION_BITS 12} bits of it there, and the rest is
 *
 * <ul>
 *   <li>0, if the index has had few generations;
 *   <li>in its side record, if it has one;
 *   <li>else what the window of its block of 65,536 indices says: the one generation of {@code
 *       [window, window + 4096)} that has these low bits.
 * </ul>
 *
 * <p>The window of a block moves on when a generation is to begin behind its end, about every 2048
 * generations of the index that is used most. What is live since before the new window gets a side
 * record first, which goes when it dies. An index that had many generations and is used again
 * begins no earlier than the window. So what a block needs for generations does not grow with their
 * number.
 *
 * <p>For the one thread that writes; any thread may ask the {@link #lookups}.
 */
public final class Generations {
  /** So many generations need no window. */
  static final int FEW = 1 << SlotWord.LOW_GENERATION_BITS;

  /** How far the window is moved at a time: what is live in the other half of it stays as it is. */
  static final int STEP = FEW / 2;

  private final Slots slots;
  private final SlotChanges changes;
  private final FreeIndices freeIndices;
  private final FreeIndexLookups free;
  private final SideRecords side;
  private final GenerationLookups lookups;

  /** The block that the writer asked for last, and its window. */
  private int knownBlock = -1;

  private long known;

  public Generations(Slots slots, SlotChanges changes, FreeIndices freeIndices, SideRecords side) {
    this.slots = slots;
    this.changes = changes;
    this.freeIndices = freeIndices;
    this.free = freeIndices.lookups();
    this.side = side;
    this.lookups = new GenerationLookups(slots, free, side.lookups());
  }

  /** What any thread may ask. */
  public GenerationLookups lookups() {
    return lookups;
  }

  /** Whether a number may be the window of a block; 0 if it never had one. */
  public static boolean isWindow(long window) {
    return window == 0
        || (window >= FEW && window % STEP == 0 && window >>> SlotWord.GENERATION_BITS == 0);
  }

  /** Looks at windows anew, as another process may have written. */
  public void follow() {
    knownBlock = -1;
  }

  private long knownWindow(int index) {
    int block = index >>> FreeIndexDirectory.BLOCK_BITS;
    if (block != knownBlock) {
      known = lookups.window(index);
      knownBlock = block;
    }
    return known;
  }

  /** The generation of an entry or a reservation, whose slot is not 0. */
  public long generation(int index, long word) {
    if (!SlotWord.isLive(word)) {
      return SlotWord.generation(word);
    }
    if (SlotWord.hasSide(word)) {
      return side.generation(index);
    }
    return SlotWord.hadMany(word)
        ? GenerationLookups.inWindow(word, knownWindow(index))
        : SlotWord.lowGeneration(word);
  }

  public long next(int unused) {
    long word = slots.word(unused);
    return from(unused, word == 0 ? free.nextGeneration(unused, 1) : SlotWord.generation(word));
  }

  /** The generation that begins now, which is not less than {@code least}. */
  public long from(int index, long least) {
    return least < FEW ? least : Math.max(least, knownWindow(index));
  }

  /**
   * Whether a generation that begins now fits into the window, or needs none; parameters as there.
   */
  public boolean fits(int index, long least) {
    return least < FEW || least < knownWindow(index) + FEW;
  }

  /**
   * Moves the window of an index on, if it ends before a generation that begins.
   *
   * @param index the index, {@link FreeIndices#prepare prepared}
   * @return whether the generation is older than the window, and needs a side record
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public boolean needsRecord(int index, long generation) {
    if (!fits(index, generation)) {
      move(index, (generation & -STEP) - STEP);
    }
    return generation >= FEW && generation < knownWindow(index);
  }

  private void move(int index, long next) {
    int first = index & -FreeIndexDirectory.BLOCK_SIZE;
    long window = knownWindow(index);
    slots.forEachLive(
        first,
        FreeIndexDirectory.BLOCK_SIZE,
        (live, word) -> {
          if (SlotWord.hadMany(word)
              && !SlotWord.hasSide(word)
              && GenerationLookups.inWindow(word, window) < next) {
            attach(live, word);
          }
        });
    freeIndices.setWindow(index, next);
    follow();
  }

  /**
   * Gives a live or reserved index a side record.
   *
   * @param used an index without one
   * @param word its slot, which is not 0
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  public void attach(int used, long word) {
    long generation = generation(used, word);
    side.attach(used);
    side.setGeneration(used, generation);
    changes.attachSide(used, word);
  }
}
