// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.SlabAllocator;

/**
 * Searches for an address in one {@link RunTree}: looks at the runs whose keys enclose the key of
 * the address, those with the largest first keys first. By any thread, without waiting; keeps
 * nothing of a search, and allocates nothing.
 *
 * @param all whether to look at all of the runs and answer with the least index, as several may
 *     have an address, or to be content with the first one found
 */
record RunSearch(SlabAllocator allocator, RunTree order, Examination runs, boolean all) {
  /** Looks at a run that may have an address. */
  @FunctionalInterface
  interface Examination {
    /**
     * Looks for an address in a run.
     *
     * @param run the record of the run; only to be believed if the root is unchanged afterwards
     * @param ipv6 whether the address is IPv6
     * @param high its first eight bytes, 0 for IPv4
     * @param low its last eight bytes, or the IPv4 address
     * @param scopeAndPort {@code scope << 32 | port}
     * @return the index that has the address, or -1
     */
    int indexOf(int run, boolean ipv6, long high, long low, long scopeAndPort);
  }

  /**
   * Finds an address.
   *
   * @param root the root of the order
   * @param key the key of the address, which says whether it is {@linkplain RunKeys#isIpv6 IPv6}
   * @param high its first eight bytes, 0 for IPv4
   * @param low its last eight bytes, or the IPv4 address
   * @param scopeAndPort {@code scope << 32 | port}
   * @return an index, or -1; {@link RunTree#CHANGED}, also where the answer would be known
   */
  int find(long root, long key, long high, long low, long scopeAndPort) {
    return RunTree.isEmpty(root) ? -1 : (int) find(root, root, 0, key, high, low, scopeAndPort);
  }

  /**
   * Finds an address below a node.
   *
   * @param node the reference to the node, with its {@linkplain RunNodes#level level}
   * @return an index, and above it how many nodes were visited by now
   */
  private long find(
      long root, long node, int visitedBefore, long key, long high, long low, long scopeAndPort) {
    int unit = RunNodes.unit(node);
    MemorySegment segment = allocator.segment(unit);
    long offset = allocator.offset(unit);
    int count = RunNodes.count(node);
    int visited = order.visit(root, visitedBefore);
    int least = -1;
    for (int i = RunNodes.floor(segment, offset, count, key); i >= 0; i--) {
      if (RunNodes.lastKey(segment, offset, count, i) >= key) {
        long child = RunNodes.child(segment, offset, count, i);
        if (!order.isStill(root)) {
          return RunTree.CHANGED;
        }
        int found;
        if (RunNodes.level(node) == 1) {
          int run = RunNodes.unit(child);
          found = runs.indexOf(run, RunKeys.isIpv6(key), high, low, scopeAndPort);
          if (!order.isStill(root)) {
            return RunTree.CHANGED;
          }
        } else {
          long below = RunNodes.below(node, child);
          long answer = find(root, below, visited, key, high, low, scopeAndPort);
          found = (int) answer;
          visited = (int) (answer >> Integer.SIZE);
        }
        if (found == RunTree.CHANGED) {
          return RunTree.CHANGED;
        }
        if (found >= 0) {
          if (!all) {
            return found;
          }
          least = least < 0 ? found : Math.min(least, found);
        }
      }
      if (RunNodes.isDisjoint(node)) {
        break;
      }
    }
    return order.isStill(root)
        ? (long) visited << Integer.SIZE | Integer.toUnsignedLong(least)
        : RunTree.CHANGED;
  }
}
