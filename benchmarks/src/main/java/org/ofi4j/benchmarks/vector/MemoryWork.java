// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Loads and stores that no address vector of this shape can do without, in loops with nothing else
 * in them: what is left of an operation when all its instructions cost nothing. memory.c does the
 * same.
 *
 * <pre>
 *   slots   8 bytes for each entry, in the order of insertion: the first 8 of its address
 *   cells   4 bytes, 21 for 16 entries, anywhere: each leads to a slot
 * </pre>
 */
final class MemoryWork {
  private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG;
  private static final ValueLayout.OfLong WORD = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT;

  private MemoryWork() {}

  /**
   * What a number below {@code count} is multiplied with to be one below {@code below}, with 32
   * bits behind the point.
   */
  static long scale(int below, int count) {
    return ((long) below << 32) / count;
  }

  /**
   * Fills slots from one position to another, and a cell for each.
   *
   * @param place how to come from a random position to a cell
   */
  static void fill(
      MemorySegment addresses,
      MemorySegment slots,
      MemorySegment cells,
      MemorySegment handles,
      int[] order,
      int from,
      int to,
      long place) {
    int last = order.length - 1;
    for (int i = from; i < to; i++) {
      long cell = ((order[i] * place) >>> 32) * ScatteredLayout.CELL;
      cells.set(INT, cell, Math.max(cells.get(INT, cell), order[last - i]));
      slots.set(LONG, (long) i * ScatteredLayout.SLOT, addresses.get(WORD, 16L * i));
      handles.set(LONG, (long) i * ScatteredLayout.SLOT, i);
    }
  }

  /** Looks at the slots of so many entries, anywhere, and writes as many cells, in order. */
  static void move(MemorySegment slots, MemorySegment cells, int[] order, int entries, long place) {
    for (int i = 0; i < entries; i++) {
      long slot = ((order[i] * place) >>> 32) * ScatteredLayout.SLOT;
      long cell = (long) i * ScatteredLayout.CELL;
      cells.set(INT, cell, cells.get(INT, cell) + (int) (slots.get(LONG, slot) & 1));
    }
  }

  /** Addresses that need neither slots nor cells; answers their sum. */
  static long readAndHandOut(MemorySegment addresses, MemorySegment handles, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += addresses.get(WORD, 16L * i);
      handles.set(LONG, (long) i * ScatteredLayout.SLOT, i);
    }
    return sum;
  }

  /** Hands out handles. */
  static void handOut(MemorySegment handles, int count) {
    for (int i = 0; i < count; i++) {
      handles.set(LONG, (long) i * ScatteredLayout.SLOT, i);
    }
  }

  /** The sum of all slots. */
  static long sum(MemorySegment slots, int count) {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      sum += slots.get(LONG, (long) i * ScatteredLayout.SLOT);
    }
    return sum;
  }

  /** Looks at slots in that order; answers their sum. */
  static long lookup(MemorySegment slots, long[] handles) {
    long sum = 0;
    for (long handle : handles) {
      sum += slots.get(LONG, handle * ScatteredLayout.SLOT);
    }
    return sum;
  }

  /** Looks at cells and then at the slots they lead to; answers their sum and that of addresses. */
  static long find(
      MemorySegment addresses,
      MemorySegment slots,
      MemorySegment cells,
      int[] order,
      int from,
      int to,
      long place) {
    long sum = 0;
    for (int i = from; i < to; i++) {
      int number = cells.get(INT, ((order[i] * place) >>> 32) * ScatteredLayout.CELL);
      sum += slots.get(LONG, (long) number * ScatteredLayout.SLOT) + addresses.get(WORD, 16L * i);
    }
    return sum;
  }

  /**
   * The same, but each begins when the one before has its slot: that one is 0 in the lowest bit.
   */
  static long findInTurn(
      MemorySegment slots, MemorySegment cells, int[] order, int count, long place) {
    long slot = 0;
    for (int i = 0; i < count; i++) {
      long cell = ((order[i] * place) >>> 32) + (slot & 1);
      int number = cells.get(INT, cell * ScatteredLayout.CELL);
      slot = slots.get(LONG, (long) number * ScatteredLayout.SLOT);
    }
    return slot;
  }

  /** Changes slots. */
  static void remove(MemorySegment slots, MemorySegment handles, int count) {
    for (int i = 0; i < count; i++) {
      long slot = handles.get(LONG, (long) i * ScatteredLayout.SLOT) * ScatteredLayout.SLOT;
      slots.set(LONG, slot, slots.get(LONG, slot) & 1);
    }
  }

  /** Changes a slot, fills a cell and fills the slot again, by turns. */
  static void churn(
      MemorySegment addresses,
      MemorySegment slots,
      MemorySegment cells,
      int[] order,
      int cycles,
      long place) {
    int last = order.length - 1;
    for (int i = 0; i < cycles; i++) {
      int at = order[i];
      long slot = (long) at * ScatteredLayout.SLOT;
      long cell = ((order[last - i] * place) >>> 32) * ScatteredLayout.CELL;
      slots.set(LONG, slot, slots.get(LONG, slot) & 1);
      cells.set(INT, cell, Math.max(cells.get(INT, cell), at));
      slots.set(LONG, slot, slots.get(LONG, slot) + addresses.get(WORD, 16L * at));
    }
  }

  /** Whether each node follows the one before, so that addresses need no slots. */
  static boolean areConsecutive(AddressList addresses) {
    for (int i = 1; i < addresses.count(); i++) {
      if (node(addresses, i) != node(addresses, i - 1) + 1) {
        return false;
      }
    }
    return addresses.count() > 1;
  }

  private static int node(AddressList addresses, int position) {
    return Integer.reverseBytes(
        addresses.packed().get(ValueLayout.JAVA_INT_UNALIGNED, 16L * position + 4));
  }
}
