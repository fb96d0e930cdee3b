// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.RunPlacement;
import org.ofi4j.core.run.RunShape;
import org.ofi4j.core.run.Runs;

/**
 * Insertions of many IPv4 addresses, some of which may follow each other: those that go on from the
 * last run make it longer; where 16 or more follow each other, in one row or in several equal ones,
 * they are inserted as a range, unless there are too many runs where they are; the others are
 * scattered. For the one thread that writes.
 */
final class RowInsertions {
  private static final int NO_MEMORY = -Errno.ENOMEM.number();
  private static final int LEAST = RunPlacement.LEAST;

  private final FreeIndices freeIndices;
  private final Runs runs;
  private final RunPlacement placement;
  private final RangeInsertion ranges;
  private final BatchInsertions scattered;

  /** Addresses that are worth a run, or go on from one. */
  private record Row(RunShape shape, int length) {}

  /**
   * Insertions into a store.
   *
   * @param placement puts addresses behind the last run
   * @param ranges inserts those that are worth a run
   * @param scattered inserts those that are not
   */
  RowInsertions(
      StoreParts parts, RunPlacement placement, RangeInsertion ranges, BatchInsertions scattered) {
    this.freeIndices = parts.freeIndices();
    this.runs = parts.runs();
    this.placement = placement;
    this.ranges = ranges;
    this.scattered = scattered;
  }

  /**
   * Inserts addresses; see {@link EntryStore#insertIpv4}.
   *
   * @param outcomes takes what became of each
   * @return how many were tried
   */
  int insert(long[] words, int count, int[] outcomes) {
    int at = 0;
    while (at < count) {
      Row behind = rowBehindRuns(words, at, count);
      Row row = behind != null ? behind : rowAt(words, at, count);
      if (row != null && !runs.isCrowded(row.shape, row.length)) {
        at = insertRange(row.shape, at, row.length, outcomes);
      } else {
        int to = row != null ? at + row.length : nextRow(words, at + 1, count);
        at = scattered.insert(words, at, to, outcomes);
      }
      if (outcomes[at - 1] == NO_MEMORY) {
        return at;
      }
    }
    return count;
  }

  /** The addresses that go on from the run at whose end the next index is; null if none do. */
  private @Nullable Row rowBehindRuns(long[] words, int from, int count) {
    Run tail = freeIndices.next() == freeIndices.end() ? placement.tail() : null;
    if (tail == null || !tail.goesOnWith(words[from])) {
      return null;
    }
    RunShape shape = tail.shape();
    int most = Math.min(count - from, shape.limit() - tail.count());
    return new Row(shape.from(tail.count()), shape.same(tail.count(), words, from, most));
  }

  private int insertRange(RunShape shape, int from, int count, int[] outcomes) {
    RangeOutcome pieces = new RangeOutcome();
    ranges.insert(shape, count, pieces);
    for (int piece = 0; piece < pieces.pieces(); piece++) {
      int first = pieces.first(piece);
      int start = pieces.start(piece);
      for (int i = start; i < pieces.end(piece); i++) {
        outcomes[from + i] = first < 0 ? first : first + i - start;
      }
    }
    return from + pieces.count();
  }

  /** The row that begins with a word, or several equal rows; null if that is not worth a run. */
  private static @Nullable Row rowAt(long[] words, int from, int count) {
    if (count - from < LEAST) {
      return null;
    }
    long step = words[from + 1] - words[from];
    RunShape row = RunShape.row(words[from], step);
    if (row == null) {
      return null;
    }
    int end = from + 2;
    while (end < count && words[end] - words[end - 1] == step) {
      end++;
    }
    int columns = Math.min(end - from, row.limit());
    if (from + columns < count) {
      RunShape rows = row.withRows(columns, words[from + columns]);
      int all = rows == null ? 0 : rows.same(0, words, from, Math.min(count - from, rows.limit()));
      if (rows != null && all > columns) {
        return all < LEAST ? null : new Row(rows, all);
      }
    }
    return columns < LEAST ? null : new Row(row, columns);
  }

  /** Where the next row begins that is worth a run. */
  private static int nextRow(long[] words, int from, int count) {
    int first = from - 1;
    int at = from;
    while (at + 1 < count) {
      if (words[at + 1] - words[at] != words[at] - words[at - 1]) {
        first = at;
      } else if (at + 2 - first >= LEAST
          && RunShape.row(words[first], words[at] - words[at - 1]) != null) {
        return Math.max(first, from);
      }
      at++;
    }
    return count;
  }
}
