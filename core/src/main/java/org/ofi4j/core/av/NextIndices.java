package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The next indices for entries that come together: those that follow the last one in use, of which
 * nothing need be looked at for each as long as they have slots in one page and had few lives; and
 * before them those that were used before, one by one. For the writer; one thread at a time.
 */
final class NextIndices {
  private final Slots slots;
  private final Vacancies vacancies;
  private final int capacity;

  private MemorySegment page = MemorySegment.NULL;
  private int first;
  private long firstSlot;

  /**
   * Indices of a store.
   *
   * @param slots its slots
   * @param vacancies its unused indices
   * @param capacity how many indices there are
   */
  NextIndices(Slots slots, Vacancies vacancies, int capacity) {
    this.slots = slots;
    this.vacancies = vacancies;
    this.capacity = capacity;
  }

  /**
   * Makes indices ready.
   *
   * @param wanted how many
   * @return how many there are; 0 also if others are to be used first, or for want of memory
   */
  int prepare(int wanted) {
    first = vacancies.end();
    int most = Math.min(Math.min(wanted, capacity - first), Slots.roomFrom(first));
    if (most <= 0 || vacancies.next() != first) {
      return 0;
    }
    try {
      vacancies.prepare(first);
      slots.ensure(first);
      page = slots.pageOf(first);
    } catch (OutOfMemoryError e) {
      return 0;
    }
    firstSlot = Slots.offset(first);
    // Lives that had no slots have left their generations elsewhere.
    return vacancies.nextGeneration(first, most) == 0 ? most : 0;
  }

  /** The first of them. */
  int first() {
    return first;
  }

  /** Whether the slot of one of them says of itself how many lives it had. */
  boolean hadFewLives(int i) {
    return SlotWord.generation(page.get(JAVA_LONG, firstSlot + 8L * i)) >>> SlotWord.LIFE_BITS == 0;
  }

  /** What is stored in slots from here on is seen by nobody who does not see the cells as well. */
  static void behindCells() {
    VarHandle.releaseFence();
  }

  /**
   * Publishes an entry that has a cell; {@link #behindCells} comes before.
   *
   * @param i which of the indices
   * @param stateAndBody what its slot says but for its life
   */
  void store(int i, long stateAndBody) {
    long offset = firstSlot + 8L * i;
    int generation = SlotWord.generation(page.get(JAVA_LONG, offset));
    page.set(JAVA_LONG, offset, SlotWord.withLife(stateAndBody, generation));
  }

  /**
   * Makes ready the next index if it was used before and has a slot that says all of it.
   *
   * @return the index, which is {@link #first} then; or -1
   */
  int vacated() {
    int next = vacancies.next();
    MemorySegment its = next < 0 || next >= vacancies.end() ? null : slots.page(next);
    if (its == null) {
      return -1;
    }
    long slot = Slots.offset(next);
    long word = its.get(JAVA_LONG, slot);
    if (word == 0 || word >>> SlotWord.LIFE_BITS != 0) {
      return -1;
    }
    try {
      vacancies.prepare(next);
    } catch (OutOfMemoryError e) {
      return -1;
    }
    page = its;
    first = next;
    firstSlot = slot;
    return next;
  }

  /** The index that was {@link #vacated} is in use now. */
  void takeVacated() {
    vacancies.take(first);
  }

  /** The first of the indices are in use now. */
  void take(int count) {
    vacancies.takeRun(first, count);
  }
}
