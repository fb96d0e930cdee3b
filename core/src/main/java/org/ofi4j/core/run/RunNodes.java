// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * The nodes of an order of runs and the words that refer to them. A node never changes once it can
 * be seen; how many elements it has is in the word that refers to it, so that a reader who has
 * checked the word stays within the node.
 *
 * <pre>
 *   node of n elements, sorted by key        first keys (8 n) | last keys (8 n) | references (8 n)
 *
 *   63 ........ 44 | 43 .. 41 | 40       | 39 .. 32 | 31 ......... 0
 *      version     |  level   | disjoint |    n     |   first unit        the root
 *         0        |    0     | disjoint |    n     |   first unit        a node below
 *         0        |    0     |    0     |    0     |   record            a run, in a leaf
 * </pre>
 *
 * <p>Level 1 is a leaf; 0 is an order without elements. An element of an inner node has the least
 * first key and the largest last key below it. {@code disjoint} says that no two elements of the
 * node overlap. {@code version} changes with every root.
 */
public final class RunNodes {
  /** The most elements of a node: they fill 16 units. */
  public static final int MAX = 42;

  public static final int MOST_LEVELS = 7;

  private static final int ELEMENT_BYTES = 3 * Long.BYTES;
  private static final int COUNT_SHIFT = 32;
  private static final int COUNT_MASK = 0xFF;
  private static final long DISJOINT = 1L << 40;
  private static final int LEVEL_SHIFT = 41;
  private static final int LEVEL_MASK = MOST_LEVELS;
  private static final int VERSION_SHIFT = 44;

  private RunNodes() {}

  public static int unit(long reference) {
    return (int) reference;
  }

  public static int count(long reference) {
    return (int) (reference >>> COUNT_SHIFT) & COUNT_MASK;
  }

  public static boolean isDisjoint(long reference) {
    return (reference & DISJOINT) != 0;
  }

  public static int level(long root) {
    return (int) (root >>> LEVEL_SHIFT) & LEVEL_MASK;
  }

  /** The reference to a node below another one, with its level, as the root has that of its own. */
  static long below(long node, long child) {
    return (long) (level(node) - 1) << LEVEL_SHIFT | withoutVersion(child);
  }

  static long reference(int unit, int count, boolean disjoint) {
    return Integer.toUnsignedLong(unit) | (long) count << COUNT_SHIFT | (disjoint ? DISJOINT : 0);
  }

  /** The root that follows another one. */
  static long root(long before, long reference, int level) {
    long version = (before >>> VERSION_SHIFT) + 1;
    return version << VERSION_SHIFT | (long) level << LEVEL_SHIFT | reference;
  }

  /** A root without version: the reference to its node. */
  public static long withoutVersion(long root) {
    return root & (1L << LEVEL_SHIFT) - 1;
  }

  public static int units(int count) {
    return (count * ELEMENT_BYTES + SlabAllocator.UNIT_BYTES - 1) / SlabAllocator.UNIT_BYTES;
  }

  public static long firstKey(MemorySegment segment, long node, int element) {
    return segment.get(JAVA_LONG, node + (long) element * Long.BYTES);
  }

  public static long lastKey(MemorySegment segment, long node, int count, int element) {
    return segment.get(JAVA_LONG, node + (long) (count + element) * Long.BYTES);
  }

  public static long child(MemorySegment segment, long node, int count, int element) {
    return segment.get(JAVA_LONG, node + (long) (2 * count + element) * Long.BYTES);
  }

  static void set(
      MemorySegment segment, long node, int count, int element, long first, long last, long child) {
    segment.set(JAVA_LONG, node + (long) element * Long.BYTES, first);
    segment.set(JAVA_LONG, node + (long) (count + element) * Long.BYTES, last);
    segment.set(JAVA_LONG, node + (long) (2 * count + element) * Long.BYTES, child);
  }

  /** The last element whose first key is not above a key, or -1. */
  static int floor(MemorySegment segment, long node, int count, long key) {
    int low = 0;
    int high = count - 1;
    while (low <= high) {
      int middle = (low + high) >>> 1;
      if (firstKey(segment, node, middle) <= key) {
        low = middle + 1;
      } else {
        high = middle - 1;
      }
    }
    return high;
  }
}
