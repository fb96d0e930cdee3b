package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.function.IntPredicate;

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
 * which all are ({@link VacancyBlocks}). No operation looks at more than a few words, whatever
 * comes and goes; those on intervals look at each block at most once.
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
final class Vacancies {
  /** An index below the end that is not used. */
  static final int VACANT = 0;

  /** An index that is not vacant, in a block without strays. */
  static final int USED = 1;

  /** An index that is not vacant, in a block that has strays. */
  static final int BESIDE_STRAYS = 2;

  private static final int BITS = VacancyDirectory.BLOCK_BITS;
  private static final int LOW = VacancyBlocks.SIZE - 1;

  private final MemorySegment root;
  private final VacancyDirectory directory;
  private final VacancyBlocks blocks;
  private final boolean reuse;
  private final int capacity;

  /** The block that the last prepared index was in: it has a leaf. */
  private int preparedBlock = -1;

  /**
   * All indices unused.
   *
   * @param space where memory comes from
   * @param reuse whether an index is used again
   * @param capacity how many indices there are
   * @param unused whether an index below the end is neither live nor reserved, as slots and runs
   *     tell; asked only where memory was short
   */
  Vacancies(Space space, boolean reuse, int capacity, IntPredicate unused) {
    this.root = space.root();
    this.reuse = reuse;
    this.capacity = capacity;
    this.directory = new VacancyDirectory(space);
    this.blocks = new VacancyBlocks(space, directory, unused);
  }

  /** One more than the largest index in use, or, if none is used again, than any so far. */
  int end() {
    return root.get(JAVA_INT, Root.END);
  }

  /** How many indices below the end are vacant. */
  long count() {
    return root.get(JAVA_LONG, Root.VACANT);
  }

  /** Bytes that it takes to tell what is vacant. */
  long usedBytes() {
    if (count() == 0) {
      return 0;
    }
    long units = root.get(JAVA_INT, Root.VACANCY_UNITS);
    return (units + root.get(JAVA_INT, Root.VACANCY_DIRECTORY_UNITS)) * Space.UNIT_BYTES;
  }

  // Single indices, which have slots or are strays.

  /**
   * The index that is to be used next.
   *
   * @return an unused index, or -1 if there is none
   */
  int next() {
    while (reuse && count() > 0) {
      int block = directory.next(0);
      if (!VacancyWord.isLost(directory.word(block))) {
        return block << BITS | blocks.lowest(block);
      }
      try {
        blocks.recover(block, lowEnd(block));
      } catch (OutOfMemoryError e) {
        int low = blocks.search(block, lowEnd(block));
        if (low >= 0) {
          return block << BITS | low;
        }
        // All that was lost has been used again since.
        directory.publish(block, directory.word(block) & ~VacancyWord.LOST);
      }
    }
    return end() < capacity ? end() : -1;
  }

  /**
   * Makes sure that an index can be taken and, having a slot, released.
   *
   * @param index the index that {@link #next} gave
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void prepare(int index) {
    int block = index >>> BITS;
    if (block != preparedBlock) {
      directory.ensure(block);
      preparedBlock = block;
    }
    if (index < end()) {
      blocks.prepareTake(block, (index & LOW) + 1);
    }
  }

  /**
   * Takes an index. A slot of it says so already, or a side record that is found only from now on.
   *
   * @param index the index that {@link #next} gave, {@link #prepare prepared}
   */
  void take(int index) {
    if (index == end()) {
      root.set(JAVA_INT, Root.END, index + 1);
    } else {
      blocks.take(index >>> BITS, index & LOW, (index & LOW) + 1);
      root.set(JAVA_LONG, Root.VACANT, count() - 1);
    }
  }

  /**
   * Records that an index is unused whose slot says so; does nothing if indices are not used again.
   *
   * @param index an index that was taken
   */
  void release(int index) {
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
    root.set(JAVA_LONG, Root.VACANT, count() + 1);
  }

  // Intervals, for runs.

  /**
   * Where the first vacant interval begins at or behind an index. What is behind the end counts as
   * vacant.
   *
   * @param index 0 to the end
   * @return its first index; the capacity if there is none
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
  int recordedFrom(int index) {
    int end = end();
    if (count() == 0 || index >= end) {
      return end;
    }
    int low = index & LOW;
    for (int block = index >>> BITS; block >= 0; block = directory.next(block + 1)) {
      recover(block);
      int found = blocks.ceiling(block, low);
      if (found >= 0) {
        return block << BITS | found;
      }
      low = 0;
    }
    return end;
  }

  /**
   * Where a vacant interval ends.
   *
   * @param first the first index of the interval
   * @return one more than its last index
   */
  int vacantEnd(int first) {
    int end = end();
    if (first >= end) {
      return capacity;
    }
    int block = first >>> BITS;
    int low = first & LOW;
    while (true) {
      int stop = blocks.endFrom(block, low);
      if (stop < VacancyBlocks.SIZE) {
        return block << BITS | stop;
      }
      block++;
      if (block > (end - 1) >>> BITS) {
        return end;
      }
      recover(block);
      if (blocks.ceiling(block, 0) != 0) {
        return block << BITS;
      }
      low = 0;
    }
  }

  /**
   * Makes sure that {@link #forget} can be called.
   *
   * @param index the index
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void prepareForget(int index) {
    directory.ensure(index >>> BITS);
  }

  /**
   * Makes sure that a run can take an interval.
   *
   * @param first the index that {@link #next} gave
   * @param count how many indices, all unused
   * @throws OutOfMemoryError if memory ran out; then nothing that can be seen changed
   */
  void prepareRun(int first, int count) {
    if (first < end()) {
      int last = first + count - 1;
      blocks.prepareTake(last >>> BITS, (last & LOW) + 1);
    }
  }

  /**
   * Takes an interval.
   *
   * @param first the index that {@link #next} gave
   * @param count how many indices, all unused, {@link #prepareRun prepared}
   */
  void takeRun(int first, int count) {
    int end = end();
    int stop = first + count;
    if (first >= end) {
      root.set(JAVA_INT, Root.END, stop);
      return;
    }
    for (int block = first >>> BITS; block <= (stop - 1) >>> BITS; block++) {
      int base = block << BITS;
      blocks.take(block, Math.max(first - base, 0), Math.min(stop - base, VacancyBlocks.SIZE));
    }
    root.set(JAVA_LONG, Root.VACANT, count() - count);
  }

  /**
   * Lets an interval of a run die and be vacant. If it ends where all indices end and indices are
   * used again, it must have been cut off from its run already, with all from {@link #endWithout}
   * on; else this is its death, block by block.
   *
   * @param first the first index
   * @param count how many, none of them vacant
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  void releaseRun(int first, int count) {
    int stop = first + count;
    if (reuse && stop == end()) {
      retreat(first);
      return;
    }
    int firstBlock = first >>> BITS;
    int lastBlock = (stop - 1) >>> BITS;
    for (int block = lastBlock; block >= firstBlock; block--) {
      directory.ensure(block);
    }
    // What lies between the first and the last block becomes vacant as a whole.
    int firstStop = firstBlock == lastBlock ? stop - (lastBlock << BITS) : VacancyBlocks.SIZE;
    long firstPlan = blocks.plan(firstBlock, first & LOW, firstStop);
    if (firstBlock != lastBlock) {
      int lastStop = stop - (lastBlock << BITS);
      long lastPlan;
      try {
        lastPlan = blocks.plan(lastBlock, 0, lastStop);
      } catch (OutOfMemoryError e) {
        blocks.discard(firstBlock, firstPlan);
        throw e;
      }
      for (int block = firstBlock + 1; block < lastBlock; block++) {
        blocks.add(block, 0, VacancyBlocks.SIZE, VacancyWord.ALL_VACANT);
      }
      blocks.add(lastBlock, 0, lastStop, lastPlan);
    }
    blocks.add(firstBlock, first & LOW, firstStop, firstPlan);
    root.set(JAVA_LONG, Root.VACANT, count() + count);
  }

  /**
   * The end that there will be when everything from an index on is unused.
   *
   * @param index an index below the end
   * @return the index, or less if what is before it is vacant; the present end if indices are never
   *     used again
   */
  int endWithout(int index) {
    if (!reuse) {
      return end();
    }
    int end = index;
    while (end > 0) {
      int block = (end - 1) >>> BITS;
      try {
        recover(block);
      } catch (OutOfMemoryError e) {
        // The end comes down when there is memory again.
        return end;
      }
      int start = (block << BITS) + blocks.startBefore(block, end - (block << BITS));
      if (start == end || start != block << BITS) {
        return start;
      }
      end = start;
    }
    return end;
  }

  /**
   * Whether all indices of the block of 65,536 that an index is in are vacant.
   *
   * @param index an index below the end
   * @return true if so
   */
  boolean isWhollyVacant(int index) {
    return blocks.count(index >>> BITS) == VacancyBlocks.SIZE;
  }

  // For any thread.

  /**
   * Whether an index is vacant; lock-free.
   *
   * @param index any index
   * @return true if it was at a moment during the call
   */
  boolean isVacant(int index) {
    return look(index) == VACANT;
  }

  /**
   * What is known of an index of a run; lock-free. If it is {@link #BESIDE_STRAYS}, it may be a
   * stray: whether it has a side record is to be found out between two looks at {@link #epoch}, the
   * first of which is before this call. If they are the same, it was so all the while.
   *
   * @param index any index
   * @return {@link #VACANT}, {@link #USED} or {@link #BESIDE_STRAYS}, at a moment during the call
   */
  int look(int index) {
    return blocks.look(index);
  }

  /**
   * A number that changes with the strays of the block of an index; lock-free. What was loaded
   * before the second call must be kept before it by a fence.
   *
   * @param index any index
   * @return the number
   */
  int epoch(int index) {
    return directory.epoch(index >>> BITS);
  }

  // Strays and generations, for the writer.

  /**
   * Counts a stray in, before it gets its side record, and that before it is {@link #take taken}.
   *
   * @param index its index, {@link #prepare prepared}
   */
  void addStray(int index) {
    changeStrays(index, 1);
  }

  /**
   * Counts a stray out, after it was {@link #releaseRun released} and before it loses its side
   * record; or after it got a slot.
   *
   * @param index its index
   */
  void removeStray(int index) {
    changeStrays(index, -1);
  }

  /**
   * The least generation that the next life in an interval may have, so that no index has two lives
   * of the same; slots keep their own.
   *
   * @param first the first index
   * @param count how many
   * @return the generation; 0 where nothing without a slot ever died
   */
  int nextGeneration(int first, int count) {
    int most = 0;
    int last = (first + count - 1) >>> BITS;
    for (int block = first >>> BITS; block <= last; block++) {
      if (directory.leaf(block) == 0) {
        block = VacancyDirectory.lastOfLeaf(block);
      } else {
        int next = directory.field(block, VacancyDirectory.NEXT_GENERATION);
        most = Integer.compareUnsigned(next, most) > 0 ? next : most;
      }
    }
    return most;
  }

  /**
   * Remembers the generation of indices of one block that died, or are about to, and left nothing
   * else that tells of it.
   *
   * @param index an index, {@link #prepareForget prepared}
   * @param generation its generation
   */
  void forget(int index, int generation) {
    int block = index >>> BITS;
    int next = directory.field(block, VacancyDirectory.NEXT_GENERATION);
    if (Integer.compareUnsigned(next, generation) <= 0) {
      directory.setField(block, VacancyDirectory.NEXT_GENERATION, generation + 1);
    }
  }

  private void changeStrays(int index, int change) {
    int block = index >>> BITS;
    int strays = directory.field(block, VacancyDirectory.STRAYS) + change;
    directory.setField(block, VacancyDirectory.STRAYS, strays);
    directory.raiseEpoch(block);
  }

  /** Moves the end down over everything from an index on, and the vacancies before it. */
  private void retreat(int index) {
    // What is recovered now must not reach beyond the index.
    root.set(JAVA_INT, Root.END, index);
    int end = endWithout(index);
    root.set(JAVA_INT, Root.END, end);
    long vacant = count() - (index - end);
    for (int at = index; at > end; ) {
      int block = (at - 1) >>> BITS;
      int base = block << BITS;
      int from = Math.max(end - base, 0);
      blocks.forget(block, from, at - base);
      at = base + from;
    }
    root.set(JAVA_LONG, Root.VACANT, vacant);
  }

  private void recover(int block) {
    if (VacancyWord.isLost(directory.word(block))) {
      blocks.recover(block, lowEnd(block));
    }
  }

  /** One more than the last low of a block that is below the end. */
  private int lowEnd(int block) {
    return Math.min(end() - (block << BITS), VacancyBlocks.SIZE);
  }
}
