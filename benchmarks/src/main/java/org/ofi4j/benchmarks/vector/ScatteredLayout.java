// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.ArrayList;
import java.util.List;

/**
 * What of the layout of scattered IPv4 addresses {@link MemoryWork} repeats
 * (docs/internals/engine.md): how long cells and slots are, how many cells there are, and when they
 * move.
 */
final class ScatteredLayout {
  /** A cell of the index. */
  static final int CELL = 4;

  /** A slot, and a handle too. */
  static final int SLOT = 8;

  /** Of cells there are so many for {@link #ENTRIES} entries, at the least. */
  private static final int CELLS = 21;

  private static final int ENTRIES = 16;

  /** With fewer entries no cell moves worth counting. */
  private static final int LEAST_MOVED = 4096;

  private static final double A_STEP = Math.sqrt(0.5);

  private ScatteredLayout() {}

  /** How many cells there are for so many entries. */
  static int cells(int entries) {
    return (int) ((long) entries * CELLS / ENTRIES) + 1;
  }

  /**
   * At which numbers of entries a table that is to have so many moves its cells, each once, if
   * nobody told it: it grows by steps of the square root of 2, and on average the last one was half
   * a step ago. So each cell moves some three times.
   */
  static List<Integer> moves(int peers) {
    List<Integer> sizes = new ArrayList<>();
    for (double size = peers * Math.sqrt(A_STEP); size >= LEAST_MOVED; size *= A_STEP) {
      sizes.addFirst((int) size);
    }
    return sizes;
  }
}
