// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.function.IntPredicate;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * Which indices are unused: the lowest one is the next to be used (AV-083), or, if indices are
 * never used again, the one behind the last. And which indices of a run are dead, as a run has no
 * slot that could say so.
 *
 * <pre>
 *   0 ........................................... end ........................... capacity
 *   used, or vacant and recorded in their blocks   |  unused, not recorded anywhere
 * </pre>
 *
 * <p>If indices are used again, the last one below the end is used, so a vector that lost all its
 * entries looks like a new one. What is vacant costs about two bytes an index as long as few of the
 * 65,536 of a block are, at most a bit for each index of the block, and nothing for a block in
 * which all are, but for the lowest such one ({@link VacancyBlocks}).
 *
 * <p><b>Cost.</b> The index that comes next is found, taken and released by a few words, whatever
 * comes and goes, but for: a change of representation, which writes 8 KiB and is seldom, as each
 * goes back only after half of it has; an array in whose middle something is released, at most 2
 * KiB copied; the end that comes down over vacancies, which looks at each block that it passes, and
 * at up to 1024 words of a bitmap; and want of memory: where a vacancy could not be recorded, each
 * search for the lowest one asks up to 65,536 slots two or three times until there is memory.
 *
 * <p><b>Dying.</b> An index that has a slot dies by its slot, and {@link #release(int)} only
 * records it: it never fails; if there is no memory to record it, its block remembers that the
 * slots must be asked, and the next one that looks for a vacancy there does so. An index of a run
 * has nothing but the record here: {@link #releaseRun} is its death, and fails with nothing changed
 * if there is no memory.
 *
 * <p><b>Strays</b> are entries and reservations in vacancies of runs that have no slot either, but
 * a side record. Their block counts them, and its epoch tells readers that something about them
 * changed. <b>Generations:</b> what dies without a slot leaves no count of its lives behind; so the
 * block keeps a number that the next life of any of its indices must not be below.
 *
 * <p>One thread at a time writes. A reader that asks about an index of a run must make sure
 * afterwards that the run is still there and still covers it: what is behind the end is not
 * recorded as vacant. And it must have looked at the slot before and look at it again after, as an
 * index that has got one is not vacant any more.
 */
public final class Vacancies {
  /** An index below the end that is not used. */
  public static final int VACANT = 0;

  /** An index that is not vacant, in a block without strays. */
  public static final int USED = 1;

  /** An index that is not vacant, in a block that has strays. */
  static final int BESIDE_STRAYS = 2;

  private static final int BITS = VacancyDirectory.BLOCK_BITS;
  private static final int LOW = VacancyBlocks.SIZE - 1;

  private final MemorySegment root;
  private final VacancyDirectory directory;
  private final VacancyForms forms;
  private final VacancyBlocks blocks;
  private final VacantIntervals intervals;
  private final boolean reuse;
  private final int capacity;

  /** The block that the last prepared index was in: it has a leaf. */
  private int preparedBlock = -1;

  /**
   * All indices unused.
   *
   * @param allocator where memory comes from
   * @param reuse whether an index is used again
   * @param capacity how many indices there are
   * @param unused whether an index below the end is neither live nor reserved, as slots and runs
   *     tell; asked only where memory was short
   */
  public Vacancies(SlabAllocator allocator, boolean reuse, int capacity, IntPredicate unused) {
    this.root = allocator.root();
    this.reuse = reuse;
    this.capacity = capacity;
    this.directory = new VacancyDirectory(allocator);
    this.forms = new VacancyForms(allocator, directory);
    this.blocks = new VacancyBlocks(allocator, directory, forms, unused);
    this.intervals = new VacantIntervals(allocator, directory, forms, blocks);
  }

  /** One more than the largest index in use, or, if none is used again, than any so far. */
  public int end() {
    return root.get(JAVA_INT, Superblock.END);
  }

  /** How many indices below the end are vacant. */
  public long count() {
    return root.get(JAVA_LONG, Superblock.VACANT);
  }

  /** Bytes that it takes to tell what is vacant. */
  public long usedBytes() {
    if (count() == 0) {
      return 0;
    }
    long units = root.get(JAVA_INT, Superblock.VACANCY_UNITS);
    return (units + root.get(JAVA_INT, Superblock.VACANCY_DIRECTORY_UNITS))
        * SlabAllocator.UNIT_BYTES;
  }

  // Single indices, which have slots or are strays.

  /**
   * The index that is to be used next.
   *
   * @return an unused index, or -1 if there is none
   */
  public int next() {
    int lowest = reuse && count() > 0 ? intervals.lowest() : -1;
    if (lowest >= 0) {
      return lowest;
    }
    return end() < capacity ? end() : -1;
  }

  /**
   * Makes sure that an index can be taken and, having a slot, released.
   *
   * @param index the index that {@link #next} gave
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void prepare(int index) {
    int block = index >>> BITS;
    if (block != preparedBlock) {
      directory.ensure(block);
      preparedBlock = block;
    }
    if (index < end()) {
      intervals.prepareTake(index + 1);
    }
  }

  /**
   * Takes an index. A slot of it says so already, or a side record that is found only from now on.
   *
   * @param index the index that {@link #next} gave, {@link #prepare prepared}
   */
  public void take(int index) {
    if (index == end()) {
      root.set(JAVA_INT, Superblock.END, index + 1);
    } else {
      blocks.take(index >>> BITS, index & LOW, (index & LOW) + 1);
      root.set(JAVA_LONG, Superblock.VACANT, count() - 1);
    }
  }

  /**
   * Records that an index is unused whose slot says so; does nothing if indices are not used again.
   *
   * @param index an index that was taken after it was {@link #prepare prepared}; one that a run
   *     took and that has got a slot since, {@link #prepareForget prepared} as that needs
   */
  public void release(int index) {
    if (!reuse) {
      return;
    }
    if (index == end() - 1) {
      retreat(index);
      return;
    }
    try {
      blocks.add(index >>> BITS, index & LOW);
    } catch (OutOfMemoryError e) {
      blocks.lose(index >>> BITS);
    }
    root.set(JAVA_LONG, Superblock.VACANT, count() + 1);
  }

  /**
   * As {@link #release(int)}, of many.
   *
   * @param indices the indices, each once
   * @param count how many of them
   */
  public void release(int[] indices, int count) {
    if (!reuse) {
      return;
    }
    int last = end() - 1;
    boolean lastDied = false;
    int recorded = 0;
    int at = 0;
    while (at < count) {
      if (indices[at] == last) {
        lastDied = true;
        at++;
        continue;
      }
      int from = at;
      try {
        at = blocks.add(indices, at, count, last);
      } catch (OutOfMemoryError e) {
        blocks.lose(indices[at++] >>> BITS);
      }
      recorded += at - from;
    }
    root.set(JAVA_LONG, Superblock.VACANT, count() + recorded);
    if (lastDied) {
      retreat(last);
    }
  }

  // Intervals, for runs.

  /**
   * Where the first vacant interval begins at or behind an index. What is behind the end counts as
   * vacant, and if indices are never used again, nothing else does.
   *
   * @param index 0 to the end
   * @return its first index, which may be the end
   * @throws OutOfMemoryError if what is vacant could not be recorded once, nor now
   */
  int vacantFrom(int index) {
    return reuse ? recordedFrom(index) : end();
  }

  /**
   * Where the first vacant interval begins at or behind an index, whether or not indices are used
   * again: dead entries of runs.
   *
   * @param index 0 to the end
   * @return its first index; the end if there is none
   * @throws OutOfMemoryError if what is vacant could not be recorded once, nor now
   */
  public int recordedFrom(int index) {
    int end = end();
    return count() == 0 || index >= end ? end : intervals.firstFrom(index, end);
  }

  /**
   * Where a vacant interval ends.
   *
   * @param first the first index of the interval
   * @return one more than its last index
   * @throws OutOfMemoryError as for {@link #vacantFrom}
   */
  public int vacantEnd(int first) {
    int end = end();
    return first >= end ? capacity : intervals.endFrom(first, end);
  }

  /**
   * Makes sure that {@link #forget} can be called, and {@link #release}, of an index that a run
   * took. Runs need neither as long as they live, and make nothing ready for it.
   *
   * @param index the index
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void prepareForget(int index) {
    directory.ensure(index >>> BITS);
  }

  /**
   * Makes sure that a run can take an interval.
   *
   * @param first the index that {@link #next} gave
   * @param count how many indices, all unused
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void prepareRun(int first, int count) {
    if (first < end()) {
      intervals.prepareTake(first + count);
    }
  }

  /**
   * Takes an interval.
   *
   * @param first the index that {@link #next} gave
   * @param count how many indices, all unused, {@link #prepareRun prepared}
   */
  public void takeRun(int first, int count) {
    int end = end();
    int stop = first + count;
    if (first >= end) {
      root.set(JAVA_INT, Superblock.END, stop);
      return;
    }
    intervals.take(first, stop);
    root.set(JAVA_LONG, Superblock.VACANT, count() - count);
  }

  /**
   * Lets an interval of a run die and be vacant. If it ends where all indices end and indices are
   * used again, it must have been cut off from its run already, with all from {@link #endWithout}
   * on; else this is its death, block by block.
   *
   * @param first the first index
   * @param count how many, none of them vacant
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  public void releaseRun(int first, int count) {
    int stop = first + count;
    if (reuse && stop == end()) {
      retreat(first);
      return;
    }
    intervals.add(first, stop);
    root.set(JAVA_LONG, Superblock.VACANT, count() + count);
  }

  /**
   * The end that there will be when everything from an index on is unused.
   *
   * @param index an index below the end
   * @return the index, or less if what is before it is vacant and recorded: what is not for want of
   *     memory keeps the end where it is; the present end if indices are never used again
   */
  public int endWithout(int index) {
    return reuse ? intervals.startBefore(index) : end();
  }

  /**
   * Whether all indices of the block of 65,536 that an index is in are vacant.
   *
   * @param index an index below the end
   * @return true if so
   */
  public boolean isWhollyVacant(int index) {
    return forms.count(index >>> BITS) == VacancyBlocks.SIZE;
  }

  // For any thread.

  /**
   * Whether an index is vacant; lock-free.
   *
   * @param index any index
   * @return true if it was at a moment during the call
   */
  public boolean isVacant(int index) {
    return look(index) == VACANT;
  }

  /** See {@link VacancyForms#vacantTo}. */
  public long vacantTo(int index) {
    return forms.vacantTo(index);
  }

  /** The {@link #end}; what lives all the while is before it. */
  public int endNow() {
    return SegmentAccess.intAcquire(root, Superblock.END);
  }

  /**
   * What is known of an index of a run; lock-free. If it is {@link #BESIDE_STRAYS}, it may be a
   * stray: whether it has a side record is to be found out between two looks at {@link #epoch}, the
   * first of which is before this call. If they are the same, it was so all the while.
   *
   * @param index any index
   * @return {@link #VACANT}, {@link #USED} or {@link #BESIDE_STRAYS}, at a moment during the call
   */
  public int look(int index) {
    return forms.look(index);
  }

  /**
   * A number that changes with the strays of the block of an index; lock-free. What was loaded
   * before the second call must be kept before it by a fence.
   *
   * @param index any index
   * @return the number
   */
  public int epoch(int index) {
    return directory.epoch(index >>> BITS);
  }

  /** Whether the block of an index has strays; lock-free. */
  public boolean hasStrays(int index) {
    return directory.strays(index >>> BITS) != 0;
  }

  /** Whether no index of the block of an index is vacant, and none a stray; lock-free. */
  public boolean isUntouched(int index) {
    // Strays are counted in before an index ceases to be vacant.
    long word = directory.wordForReader(index >>> BITS);
    return VacancyWord.kind(word) == VacancyWord.NONE && !hasStrays(index);
  }

  /** Looks at everything anew, as another process may have written. */
  public void follow() {
    blocks.follow();
  }

  // For who copies a store, in the order of these calls.

  /** Lets all indices below an end be in use. */
  public void restore(int end) {
    root.set(JAVA_INT, Superblock.END, end);
  }

  /**
   * Lets indices below the end be vacant.
   *
   * @throws OutOfMemoryError if memory ran out
   */
  public void restoreVacant(int from, int to) {
    intervals.add(from, to);
    root.set(JAVA_LONG, Superblock.VACANT, count() + (to - from));
  }

  /** Whether an index may be recorded as vacant; none of its block is if not. */
  public boolean mayBeVacant(int index) {
    return VacancyWord.kind(directory.word(index >>> BITS)) != VacancyWord.NONE;
  }

  /**
   * The generations of what was forgotten, which the other store must not fall behind, and the
   * windows, so that the same entries have their generations in side records; before any entry.
   */
  public void copyGenerations(Vacancies from) {
    for (int block = 0; block <= (capacity - 1) >>> BITS; block++) {
      if (from.directory.leaf(block) != 0) {
        long next = from.nextGeneration(block << BITS, 1);
        long window = from.directory.window(block);
        if (next != 0 || window != 0) {
          directory.ensure(block);
          directory.forget(block, next - 1);
          directory.setWindow(block, window);
        }
      }
    }
  }

  // Strays and generations, for the writer.

  /**
   * Counts a stray in, before it gets its side record, and that before it is {@link #take taken}.
   *
   * @param index its index, {@link #prepare prepared}
   */
  public void addStray(int index) {
    directory.changeStrays(index >>> BITS, 1);
  }

  /**
   * Counts a stray out, after it was {@link #release released} and before it loses its side record;
   * or after it got a slot.
   *
   * @param index its index
   */
  public void removeStray(int index) {
    directory.changeStrays(index >>> BITS, -1);
  }

  /**
   * The least generation that the next life in an interval may have, so that no index has two lives
   * of the same; slots keep their own. Any thread may ask.
   *
   * @param first the first index
   * @param count how many
   * @return the generation; 0 where nothing without a slot ever died
   */
  public long nextGeneration(int first, int count) {
    return directory.nextGeneration(first >>> BITS, (first + count - 1) >>> BITS);
  }

  /**
   * Remembers the generation of indices of one block that died, or are about to, and left nothing
   * else that tells of it.
   *
   * @param index an index, {@link #prepareForget prepared}, or of a block that was {@link #prepare
   *     prepared} or {@link #releaseRun released} from
   * @param generation its generation
   */
  public void forget(int index, long generation) {
    directory.forget(index >>> BITS, generation);
  }

  /** The window of {@code Lives} that the block of an index has, 0 if none; for any thread. */
  public long window(int index) {
    return directory.window(index >>> BITS);
  }

  /**
   * Stores the window of {@code Lives} of a block.
   *
   * @param index one of its indices, {@link #prepare prepared}
   * @param window the first generation of the window
   */
  public void setWindow(int index, long window) {
    directory.setWindow(index >>> BITS, window);
  }

  /** Moves the end down over everything from an index on, and the vacancies before it. */
  private void retreat(int index) {
    // What is recovered now must not reach beyond the index.
    root.set(JAVA_INT, Superblock.END, index);
    int end = endWithout(index);
    root.set(JAVA_INT, Superblock.END, end);
    intervals.forget(end, index);
    root.set(JAVA_LONG, Superblock.VACANT, count() - (index - end));
  }
}
