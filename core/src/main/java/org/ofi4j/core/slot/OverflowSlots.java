// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import org.ofi4j.core.free.FreeIndexDirectory;
import org.ofi4j.core.free.FreeIndexLookups;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * The slots of indices that have no page of {@link Slots}: those of a few entries and reservations
 * in the holes of runs. Their words are in {@link SideRecords}, and such a word always has the bit
 * for a side record.
 *
 * <p>The word is read and written like a slot, and decides like one. One thing is different: the
 * record goes when nobody needs it any more, and with that the word is 0 again, although a run may
 * cover the index. So the order is
 *
 * <ul>
 *   <li>on the way in: count and epoch of the block, record, word, and then the index is taken;
 *   <li>on the way out: the word says that the index is unused, the index becomes free, count and
 *       epoch, the record goes.
 * </ul>
 *
 * <p>Who finds no word here, and the index not free, knows which of them was first if the epoch did
 * not change meanwhile ({@link FreeIndexLookups#epoch}).
 *
 * <p>The blocks count their overflow slots. The sorted arrays of what is where, 2 bytes each, are
 * for the one thread that writes, and are built from the records when it {@link #follow follows}:
 * who only reads memory that others change would see records come and go meanwhile.
 */
public final class OverflowSlots {
  private static final int BITS = FreeIndexDirectory.BLOCK_BITS;
  private static final int LOW = FreeIndexDirectory.BLOCK_SIZE - 1;

  /** Those of a block, sorted. */
  private static final class Lows {
    private char[] lows = new char[4];
    private int count;

    /** How many are less than a low. */
    private int below(int low) {
      int at = low > LOW ? -count - 1 : Arrays.binarySearch(lows, 0, count, (char) low);
      return at < 0 ? -at - 1 : at;
    }

    private void enter(int index) {
      int at = below(index & LOW);
      System.arraycopy(lows, at, lows, at + 1, count - at);
      lows[at] = (char) index;
      count++;
    }
  }

  private final MemorySegment root;
  private final FreeIndices freeIndices;
  private final FreeIndexLookups free;
  private final SideRecords side;
  private final TreeMap<Integer, Lows> blocks = new TreeMap<>();

  private final OverflowSlotLookups lookups;

  /** The number of changes that the arrays are of. */
  private int changes;

  /** Whether the arrays were built from all records that there were at that number of changes. */
  private boolean built;

  /**
   * No overflow slots yet; those that there are in memory that has been begun are known from {@link
   * #follow} on.
   */
  public OverflowSlots(SlabAllocator allocator, FreeIndices freeIndices, SideRecords side) {
    this.root = allocator.root();
    this.freeIndices = freeIndices;
    this.free = freeIndices.lookups();
    this.side = side;
    this.lookups = new OverflowSlotLookups(allocator, free, side.lookups());
  }

  /** What any thread may ask; all else is for the writer. */
  public OverflowSlotLookups lookups() {
    return lookups;
  }

  /** Goes by what the root and the side records say, as another process may have written. */
  public void follow() {
    int present = root.get(JAVA_INT, Superblock.OVERFLOW_SLOT_CHANGES);
    if (!built || present != changes) {
      // If this fails half-way, the next one begins again.
      built = false;
      int stored = root.get(JAVA_INT, Superblock.OVERFLOW_SLOTS);
      lookups.count(stored);
      blocks.clear();
      if (present != 0 || stored != 0) {
        side.forEachOverflowSlot(this::enter);
      }
      changes = present;
      built = true;
    }
  }

  private void enter(int index) {
    Lows lows = withRoom(index);
    if (lows.count == 0) {
      blocks.put(index >>> BITS, lows);
    }
    lows.enter(index);
  }

  /** Those of the block of an index, with room for it; perhaps new. */
  private Lows withRoom(int index) {
    Lows lows = blocks.get(index >>> BITS);
    if (lows == null) {
      return new Lows();
    }
    if (lows.count == lows.lows.length) {
      lows.lows = Arrays.copyOf(lows.lows, lows.count + lows.count / 2);
    }
    return lows;
  }

  private void changed(int more) {
    changes++;
    root.set(JAVA_INT, Superblock.OVERFLOW_SLOT_CHANGES, changes);
    int now = lookups.stored() + more;
    lookups.count(now);
    SegmentAccess.intRelease(root, Superblock.OVERFLOW_SLOTS, now);
  }

  public boolean contains(int index) {
    return lookups.stored() > 0 && next(index) == index;
  }

  /** The first one at or behind an index, or the largest int if there is none. */
  int next(int index) {
    if (lookups.stored() == 0) {
      return Integer.MAX_VALUE;
    }
    Map.Entry<Integer, Lows> block = blocks.ceilingEntry(index >>> BITS);
    if (block == null) {
      return Integer.MAX_VALUE;
    }
    if (block.getKey() == index >>> BITS) {
      Lows found = block.getValue();
      int at = found.below(index & LOW);
      if (at < found.count) {
        return (index & ~LOW) | found.lows[at];
      }
      block = blocks.higherEntry(block.getKey());
    }
    return block == null ? Integer.MAX_VALUE : block.getKey() << BITS | block.getValue().lows[0];
  }

  /** How many are among the indices of a block from {@code first} on. */
  public int countIn(int first, int length) {
    Lows found = lookups.stored() == 0 ? null : blocks.get(first >>> BITS);
    int low = first & LOW;
    return found == null ? 0 : found.below(low + length) - found.below(low);
  }

  /**
   * Gives an unused index an overflow slot.
   *
   * @param index a free index without a page and a side record, {@link FreeIndices#prepare
   *     prepared}
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  public void add(int index) {
    Lows lows = withRoom(index);
    long generation = free.nextGeneration(index, 1);
    freeIndices.addOverflowSlot(index);
    try {
      side.attach(index);
    } catch (OutOfMemoryError e) {
      freeIndices.removeOverflowSlot(index);
      throw e;
    }
    blocks.put(index >>> BITS, lows);
    lows.enter(index);
    changed(1);
    side.setSlot(index, SlotWord.unused(generation) | SlotWord.SIDE);
  }

  /** Stores a word, as that of a slot. */
  void store(int index, long word) {
    side.setSlot(index, word | SlotWord.SIDE);
  }

  long stored(int index) {
    return side.slot(index);
  }

  /** Drops the slot of an index that is unused, and recorded as free or behind the end. */
  void drop(int index) {
    forget(index);
    side.detach(index);
  }

  /** Drops a slot that is in a page from now on; other users keep its record. */
  void moved(int index) {
    boolean unused = SlotWord.state(side.slot(index)) == SlotWord.UNUSED;
    forget(index);
    side.setSlot(index, 0);
    if (unused) {
      side.detach(index);
    }
  }

  /** What became of an index that was released: a slot of which nothing is needed goes. */
  public void released(int index) {
    int end = freeIndices.end();
    for (int behind = next(end); behind != Integer.MAX_VALUE; behind = next(end)) {
      drop(behind);
    }
    if (contains(index)) {
      drop(index);
    }
  }

  private void forget(int index) {
    freeIndices.removeOverflowSlot(index);
    Integer block = index >>> BITS;
    Lows lows = blocks.get(block);
    if (lows != null) {
      int at = lows.below(index & LOW);
      System.arraycopy(lows.lows, at + 1, lows.lows, at, lows.count - at - 1);
      lows.count--;
      if (lows.count == 0) {
        blocks.remove(block);
      }
    }
    changed(-1);
  }
}
