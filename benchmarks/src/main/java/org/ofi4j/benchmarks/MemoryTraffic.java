// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How many cache lines an operation on one scattered IPv4 address cannot do without, as the layout
 * has it (docs/engine.md): {@link MemoryWork} does just these accesses. Of lines that come one
 * after the other an address touches a part only.
 *
 * @param random lines anywhere in cells or slots
 * @param inOrder lines that follow each other: addresses, handles, slots and cells
 */
record MemoryTraffic(double random, double inOrder) {
  /** A cell of the index. */
  static final int CELL = 4;

  /** A slot, and a handle too. */
  static final int SLOT = 8;

  /** Of cells there are so many for {@link #ENTRIES} entries, at the least. */
  private static final int CELLS = 21;

  private static final int ENTRIES = 16;
  private static final double LINE = 64;

  /** With fewer entries no cell moves worth counting. */
  private static final int LEAST_MOVED = 4096;

  private static final double A_STEP = Math.sqrt(0.5);

  private static final double ADDRESS = Family.IPV4.length();
  private static final double INSERTION = ADDRESS + SLOT + SLOT;

  private static final Map<Quantity, MemoryTraffic> KNOWN =
      Map.of(
          Quantity.insert(AddressPattern.CONSECUTIVE, Family.IPV4, false),
          ofBytes(0, ADDRESS + SLOT),
          Quantity.SYMMETRIC_ARRAY,
          ofBytes(0, SLOT),
          Quantity.LOOKUP,
          ofBytes(1, SLOT),
          Quantity.FIND,
          ofBytes(2, ADDRESS),
          Quantity.REMOVE_IN_ORDER,
          ofBytes(0, SLOT + SLOT),
          Quantity.REMOVE_RANDOMLY,
          ofBytes(1, SLOT));

  private static MemoryTraffic ofBytes(double random, double bytes) {
    return new MemoryTraffic(random, bytes / LINE);
  }

  /**
   * What a quantity's operation touches for each of so many peers; null where that says nothing.
   */
  static @Nullable MemoryTraffic of(Quantity quantity, long peers) {
    if (quantity.equals(Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true))) {
      return ofBytes(1, INSERTION);
    }
    if (quantity.equals(Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, false))) {
      double moves = moves(Math.toIntExact(peers)).stream().mapToDouble(size -> size).sum() / peers;
      return ofBytes(1 + moves, INSERTION + moves * CELL);
    }
    return KNOWN.get(quantity);
  }

  /** Such as "1 cache line anywhere, 0.50 in a row". */
  String words() {
    String following =
        Explanations.digits(inOrder) + (random == 0 ? " cache lines" : "") + " in a row";
    return random == 0
        ? following
        : Explanations.digits(random)
            + (random == 1 ? " cache line" : " cache lines")
            + " anywhere, "
            + following;
  }

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
