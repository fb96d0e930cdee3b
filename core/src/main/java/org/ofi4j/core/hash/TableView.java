// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

/**
 * The first word of a {@link HashTable}, which says where hashes are found, and the places of the
 * words behind it.
 *
 * <pre>
 *    0   view (8)
 *    8   descriptor of one {@link Table} (16)
 *   24   descriptor of the other (16)
 *   40   numbers in the table (4)
 *   44   units of blocks and lists (4)
 *
 *   view   63 ... 31   30       29     28 ... 0
 *          version  | moving | side | frontier
 *
 *   version    grows when one table takes the place of another
 *   moving     both tables are in use: the next one has what the present one had before the frontier
 *   side       which of the descriptors is that of the present table
 *   frontier   the first bucket of the present table that was not moved
 * </pre>
 */
public final class TableView {
  private static final long DESCRIPTORS = 8;
  public static final int COUNT = 40;
  public static final int UNITS = 44;

  private static final int FRONTIER_BITS = 29;
  private static final int FRONTIER_MASK = (1 << FRONTIER_BITS) - 1;
  private static final long SIDE = 1L << FRONTIER_BITS;
  static final long MOVING = 2 * SIDE;
  private static final int VERSION_SHIFT = FRONTIER_BITS + 2;

  private TableView() {}

  public static int frontier(long view) {
    return (int) view & FRONTIER_MASK;
  }

  static long withFrontier(long view, int frontier) {
    return (view & ~FRONTIER_MASK) | frontier;
  }

  public static boolean isMoving(long view) {
    return (view & MOVING) != 0;
  }

  static long side(long view) {
    return view & SIDE;
  }

  static long otherSide(long view) {
    return (view & SIDE) ^ SIDE;
  }

  /** The offset of the descriptor of the present table, or of the next one. */
  public static long descriptor(long view, boolean next) {
    return DESCRIPTORS + ((view & SIDE) != 0 == next ? 0 : Table.DESCRIPTOR_BYTES);
  }

  static long version(long view) {
    return view >>> VERSION_SHIFT;
  }

  /** Returns a view of the next version, in which all else is 0. */
  static long nextVersion(long view) {
    return (version(view) + 1) << VERSION_SHIFT;
  }
}
