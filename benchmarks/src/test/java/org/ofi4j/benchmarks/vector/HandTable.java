// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.MemorySegment;
import org.ofi4j.benchmarks.figure.Mixing;

/**
 * A hash table by hand: entries in an {@code int[]} with linear probing, at most two thirds full.
 * Removal moves later entries of a probe sequence back, so nothing marks removed ones. A search
 * reads without the lock and repeats if a writer was at work.
 */
final class HandTable extends LockedTable {
  /** Each cell has an entry plus 1, or 0. */
  private int[] cells = new int[32];

  private int size;

  private static int home(long word, int[] in) {
    return (int) Mixing.mix(word) & in.length - 1;
  }

  @Override
  public long find(MemorySegment packed) {
    long stamp = lock.tryOptimisticRead();
    if (stamp != 0) {
      long found = search(word(packed, 0));
      if (lock.validate(stamp)) {
        return found;
      }
    }
    return super.find(packed);
  }

  /** Ends and stays within the arrays even if a writer changes them at the same time. */
  @Override
  int search(long word) {
    int[] in = cells;
    long[] known = words;
    int at = home(word, in);
    for (int probe = 0; probe < in.length; probe++) {
      int entry = in[at] - 1;
      if (entry < 0) {
        return -1;
      }
      if (entry < known.length && known[entry] == word) {
        return entry;
      }
      at = at + 1 & in.length - 1;
    }
    return -1;
  }

  @Override
  void put(long word, int entry) {
    size++;
    if (3 * size > 2 * cells.length) {
      int[] larger = new int[2 * cells.length];
      for (int cell : cells) {
        if (cell != 0) {
          place(larger, words[cell - 1], cell);
        }
      }
      cells = larger;
    }
    place(cells, word, entry + 1);
  }

  private static void place(int[] in, long word, int cell) {
    int at = home(word, in);
    while (in[at] != 0) {
      at = at + 1 & in.length - 1;
    }
    in[at] = cell;
  }

  @Override
  void delete(long word) {
    int[] in = cells;
    int mask = in.length - 1;
    int hole = home(word, in);
    while (words[in[hole] - 1] != word) {
      hole = hole + 1 & mask;
    }
    for (int at = hole + 1 & mask; in[at] != 0; at = at + 1 & mask) {
      // An entry may move to the hole unless its home lies between the two.
      int distance = at - home(words[in[at] - 1], in) & mask;
      if (distance >= (at - hole & mask)) {
        in[hole] = in[at];
        hole = at;
      }
    }
    in[hole] = 0;
    size--;
  }
}
