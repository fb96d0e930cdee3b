// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.util.Arrays;

/**
 * What became of the addresses of a range, in pieces: successive addresses whose indices follow
 * each other, or that failed alike. So a range that met nothing is one piece, whatever its size.
 *
 * <p>An outcome is an index, or the negative number of an errno. Filled by one thread; not changed
 * afterwards.
 */
public final class RangeOutcome {
  private int[] ends;
  private int[] outcomes;
  private int pieces;

  /** An empty outcome, which grows as pieces are added. */
  public RangeOutcome() {
    this(4);
  }

  /** An empty outcome with memory for a number of pieces. */
  public RangeOutcome(int capacity) {
    ends = new int[capacity];
    outcomes = new int[capacity];
  }

  /**
   * Adds what became of the addresses behind those that were added so far.
   *
   * @param count how many, more than 0
   * @param outcome the index of the first of them, each further one having the next index; or the
   *     negative errno of all of them
   */
  public void add(int count, int outcome) {
    int start = count();
    if (pieces > 0) {
      int before = outcomes[pieces - 1];
      int length = start - start(pieces - 1);
      if (before < 0 ? outcome == before : outcome >= 0 && outcome - length == before) {
        ends[pieces - 1] += count;
        return;
      }
    }
    if (pieces == ends.length) {
      ends = Arrays.copyOf(ends, 2 * pieces);
      outcomes = Arrays.copyOf(outcomes, 2 * pieces);
    }
    ends[pieces] = start + count;
    outcomes[pieces] = outcome;
    pieces++;
  }

  public int count() {
    return pieces == 0 ? 0 : ends[pieces - 1];
  }

  public int pieces() {
    return pieces;
  }

  /** The position of the first address of a piece. */
  public int start(int piece) {
    return piece == 0 ? 0 : ends[piece - 1];
  }

  /** One more than the position of the last address of a piece. */
  public int end(int piece) {
    return ends[piece];
  }

  /** What became of the first address of a piece. */
  public int first(int piece) {
    return outcomes[piece];
  }

  /** The piece that a position from 0 to {@link #count} - 1 lies in. */
  public int pieceOf(int position) {
    int found = Arrays.binarySearch(ends, 0, pieces, position + 1);
    return found < 0 ? ~found : found;
  }

  /** What became of the address at a position from 0 to {@link #count} - 1. */
  public int outcome(int position) {
    int piece = pieceOf(position);
    int first = outcomes[piece];
    return first < 0 ? first : first + position - start(piece);
  }

  /** How many addresses have an index. */
  public int inserted() {
    int sum = 0;
    for (int i = 0; i < pieces; i++) {
      sum += outcomes[i] < 0 ? 0 : ends[i] - start(i);
    }
    return sum;
  }
}
