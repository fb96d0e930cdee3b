// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.free.Vacancies;
import org.ofi4j.core.hash.HashTable;

/**
 * Finds addresses that follow each other among those that are inserted one by one or many at once,
 * so that they become runs wherever that is worth it. For the one thread that writes.
 *
 * <p>Of many at once, those that go on from the last run make it longer; where 16 or more follow
 * each other, in one row or in several equal ones, they are inserted as a range, unless there are
 * {@linkplain OverlapLimit too many runs} where they are; the others are scattered. Of those that
 * come one by one, the last ones are remembered: 16 at successive indices that turn out to be in a
 * row become a run, from which the next ones go on. A run of one row whose next address begins
 * another such row becomes one of several rows.
 */
public final class RunDetection {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int LEAST = RunPlacement.LEAST;

  /** Inserts addresses that do not follow each other. */
  public interface Scattered {
    /**
     * Inserts some of many.
     *
     * @param words each {@code address << 16 | port}
     * @param from the first one
     * @param to one more than the last one
     * @param outcomes takes what became of each, at the same place
     * @return one more than the last one that was tried
     */
    int insert(long[] words, int from, int to, int[] outcomes);
  }

  private final boolean duplicatesAreNew;
  private final Vacancies vacancies;
  private final HashTable cells;
  private final RunPlacement placement;
  private final RangeInsertion ranges;
  private final RangeInsertion.Singles singles;

  /** The last scattered entry, and for how many it has gone on by the same difference. */
  private int lastIndex = -1;

  private long lastWord;
  private long difference;
  private int inRow;

  /** How many words the last call of {@link #shapeAt} found. */
  private int length;

  public RunDetection(
      DuplicatePolicy duplicates,
      Vacancies vacancies,
      HashTable cells,
      RunPlacement placement,
      RangeInsertion ranges,
      RangeInsertion.Singles singles) {
    this.duplicatesAreNew = duplicates == DuplicatePolicy.NEW_INDEX;
    this.vacancies = vacancies;
    this.cells = cells;
    this.placement = placement;
    this.ranges = ranges;
    this.singles = singles;
  }

  /**
   * Inserts IPv4 addresses; see {@code EntryStore.insertIpv4}.
   *
   * @param words the addresses
   * @param count how many
   * @param outcomes takes what became of each
   * @param scattered inserts those that are not worth a run
   * @return how many were tried
   */
  public int insertIpv4(long[] words, int count, int[] outcomes, Scattered scattered) {
    int at = 0;
    while (at < count) {
      int from = at;
      if (isNextBehindTail(words[at])) {
        at = insertBehindTail(words, at, count, outcomes);
      } else {
        RunShape shape = shapeAt(words, at, count);
        boolean regular = shape != null && length >= LEAST;
        boolean overLimit = shape != null && regular && placement.isOverLimit(shape, length);
        if (shape != null && regular && !overLimit) {
          at = insertRange(shape, at, length, outcomes);
        } else {
          int to = overLimit ? at + length : nextRow(words, at + 1, count);
          at = scattered.insert(words, at, to, outcomes);
          for (int i = Math.max(to - LEAST, from); i < at; i++) {
            scattered(outcomes[i], words[i]);
          }
        }
      }
      if (outcomes[at - 1] == NO_MEMORY) {
        return at;
      }
    }
    return count;
  }

  /**
   * Inserts one address that no entry has, or that may have several, where it goes on from the last
   * run.
   *
   * @param word {@code address << 16 | port}
   * @param index the index that it is to have
   * @return whether it was inserted
   * @throws OutOfMemoryError if memory ran out; then nothing changed
   */
  public boolean extend(long word, int index) {
    if (index != vacancies.end()
        || !(placement.goesOn(word) || placement.extendToGrid(word))
        || placement.room(1) == 0) {
      return false;
    }
    placement.grow(1);
    singles.added(1);
    return true;
  }

  /**
   * Looks at an address that got a slot.
   *
   * @param index its index
   * @param word {@code address << 16 | port}
   */
  public void scattered(int index, long word) {
    long step = word - lastWord;
    boolean behind = index == lastIndex + 1 && index > 0;
    inRow = !behind ? 1 : step == difference ? inRow + 1 : 2;
    difference = step;
    lastIndex = index;
    lastWord = word;
    if (inRow < LEAST) {
      return;
    }
    RunShape row = row(word - (LEAST - 1) * step, step);
    inRow = 0;
    try {
      if (row != null
          && row.limit() >= LEAST
          && placement.promote(index - LEAST + 1, index + 1, row)) {
        singles.promoted(LEAST);
      }
    } catch (OutOfMemoryError e) {
      // They stay scattered.
    }
  }

  /** Forgets what came last, as another process may have written. */
  public void forget() {
    lastIndex = -1;
    inRow = 0;
    placement.forget();
  }

  /** Whether an address goes on from the last run, perhaps with another row. */
  private boolean isNextBehindTail(long word) {
    return vacancies.next() == vacancies.end()
        && (placement.goesOn(word) || placement.extendToGrid(word));
  }

  /** Inserts those that go on from the last run, at least the first of which does. */
  private int insertBehindTail(long[] words, int from, int count, int[] outcomes) {
    RunShape shape = placement.tailShape();
    int before = placement.tailCount();
    int most = Math.min(count - from, shape.limit() - before);
    int same = same(words, from, most, shape, before);
    if ((duplicatesAreNew || (cells.count() == 0 && placement.aloneFor(same) == same))
        && placement.room(same) == same) {
      int index = vacancies.end();
      try {
        placement.grow(same);
      } catch (OutOfMemoryError e) {
        outcomes[from] = NO_MEMORY;
        return from + 1;
      }
      singles.added(same);
      for (int i = 0; i < same; i++) {
        outcomes[from + i] = index + i;
      }
      return from + same;
    }
    return insertRange(shape.from(before), from, same, outcomes);
  }

  /** How many words are the addresses of a formula from a position on. */
  private static int same(long[] words, int from, int most, RunShape shape, int position) {
    int same = 0;
    while (same < most) {
      // Row by row, so that the formula is asked once for each.
      long next = shape.ipv4(position + same);
      long step = shape.portsFirst() ? shape.portStep() : (long) shape.nodeStep() << Short.SIZE;
      int row = Math.min(most - same, shape.restOfRow(position + same));
      int at = from + same;
      int end = at + row;
      while (at < end && words[at] == next) {
        at++;
        next += step;
      }
      same = at - from;
      if (at < end) {
        break;
      }
    }
    return same;
  }

  private int insertRange(RunShape shape, int from, int count, int[] outcomes) {
    int[] at = {from};
    ranges.insert(
        shape,
        count,
        (more, outcome) -> {
          for (int i = 0; i < more; i++) {
            outcomes[at[0] + i] = outcome < 0 ? outcome : outcome + i;
          }
          at[0] += more;
        });
    return at[0];
  }

  /** The row that begins with a word, or several equal rows, or null; sets the length. */
  private @Nullable RunShape shapeAt(long[] words, int from, int count) {
    length = 1;
    if (count - from < LEAST) {
      return null;
    }
    long step = words[from + 1] - words[from];
    RunShape row = row(words[from], step);
    if (row == null) {
      return null;
    }
    int end = from + 2;
    while (end < count && words[end] - words[end - 1] == step) {
      end++;
    }
    int columns = Math.min(end - from, row.limit());
    length = columns;
    if (from + columns == count) {
      return row;
    }
    RunShape rows = row.withRows(columns, words[from + columns]);
    if (rows == null) {
      return row;
    }
    int all = same(words, from, Math.min(count - from, rows.limit()), rows, 0);
    if (all <= columns) {
      return row;
    }
    length = all;
    return rows;
  }

  /** Where the next row begins that is worth a run. */
  private static int nextRow(long[] words, int from, int count) {
    int first = from - 1;
    int at = from;
    while (at + 1 < count) {
      if (words[at + 1] - words[at] != words[at] - words[at - 1]) {
        first = at;
      } else if (at + 2 - first >= LEAST && row(words[first], words[at] - words[at - 1]) != null) {
        return Math.max(first, from);
      }
      at++;
    }
    return count;
  }

  /** One row of nodes or ports, or null if a step is neither. */
  private static @Nullable RunShape row(long first, long step) {
    if (step == 0 || first < 0) {
      return null;
    }
    if (step << (Long.SIZE - Short.SIZE) == 0) {
      long nodes = step >> Short.SIZE;
      return nodes == (int) nodes ? RunShape.row(first, (int) nodes, 0) : null;
    }
    boolean sameNode = (first + step) >>> Short.SIZE == first >>> Short.SIZE;
    return sameNode ? RunShape.row(first, 0, (int) step) : null;
  }
}
