// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * Runs in the order of a key: a tree whose nodes are copied when they change, so that one store of
 * the root makes a whole change visible. Intervals of keys may overlap; each element of an inner
 * node knows the largest key below it, so that a search leaves out what cannot have its key.
 *
 * <p>Any thread searches, without waiting. What was replaced is used again at once: a reader loads
 * the root again before it follows a reference and after it has read a record, and begins again if
 * it changed; the new tree is there already. One thread at a time writes, by {@link
 * RunTreeTransaction}.
 *
 * @param rootOffset the offset of its root word among those of the {@link Superblock}
 */
public record RunTree(SlabAllocator allocator, long rootOffset) {
  /** The answer of a search whose root was replaced meanwhile. */
  static final int CHANGED = -2;

  /** Looks at the elements of an order. */
  @FunctionalInterface
  interface Visitor {
    /**
     * Looks at an element.
     *
     * @param first its first key
     * @param last its last key
     * @return whether to go on with the next one
     */
    boolean visit(long first, long last, int run);
  }

  /** After so many nodes it is asked how many there can be. */
  private static final int VISITS = 1024;

  /** The root as it is now; what is read next is at least as new. */
  public long root() {
    return SegmentAccess.longAcquire(allocator.root(), rootOffset);
  }

  /** Whether a root is still the root, after all that was read so far. */
  boolean isStill(long root) {
    VarHandle.acquireFence();
    return allocator.root().get(JAVA_LONG, rootOffset) == root;
  }

  void publish(long root) {
    SegmentAccess.longRelease(allocator.root(), rootOffset, root);
  }

  static boolean isEmpty(long root) {
    return RunNodes.level(root) == 0;
  }

  /**
   * The run with the largest first key that is not above a key.
   *
   * @return its record, which was there if the root is still the same; 0 if there is none; {@link
   *     #CHANGED}
   */
  int floor(long root, long key) {
    if (isEmpty(root)) {
      return 0;
    }
    long reference = root;
    for (int level = RunNodes.level(root); level > 0; level--) {
      int unit = RunNodes.unit(reference);
      MemorySegment segment = allocator.segment(unit);
      long node = allocator.offset(unit);
      int count = RunNodes.count(reference);
      int element = RunNodes.floor(segment, node, count, key);
      reference = element < 0 ? 0 : RunNodes.child(segment, node, count, element);
      if (!isStill(root)) {
        return CHANGED;
      }
      if (element < 0) {
        return 0;
      }
    }
    int run = RunNodes.unit(reference);
    if (run < 0) {
      // It is not that the root has changed: who looked again would look for ever.
      throw new IllegalStateException("key " + key + " leads to run " + run);
    }
    return run;
  }

  /**
   * Counts a node. Each has units of its own: who visits more nodes than there are units is in a
   * damaged tree that leads back to itself.
   */
  int visit(long root, int visitedBefore) {
    int visited = visitedBefore + 1;
    if (visited % VISITS == 0 && visited > allocator.units() && isStill(root)) {
      throw new IllegalStateException("the order of runs leads back to itself");
    }
    return visited;
  }

  /** The run with the least first key that is not below a key, or 0; for the writer. */
  int ceiling(long key) {
    long root = root();
    long reference = root;
    long right = 0;
    int rightLevel = 0;
    for (int level = RunNodes.level(root); level > 0; level--) {
      int unit = RunNodes.unit(reference);
      MemorySegment segment = allocator.segment(unit);
      long node = allocator.offset(unit);
      int count = RunNodes.count(reference);
      int element = RunNodes.floor(segment, node, count, key);
      if (level == 1) {
        if (element >= 0 && RunNodes.firstKey(segment, node, element) == key) {
          return RunNodes.unit(RunNodes.child(segment, node, count, element));
        }
        if (element + 1 < count) {
          return RunNodes.unit(RunNodes.child(segment, node, count, element + 1));
        }
        break;
      }
      if (element < 0) {
        element = 0;
      }
      if (element + 1 < count) {
        right = RunNodes.child(segment, node, count, element + 1);
        rightLevel = level - 1;
      }
      reference = RunNodes.child(segment, node, count, element);
    }
    for (; rightLevel > 0; rightLevel--) {
      int unit = RunNodes.unit(right);
      right =
          RunNodes.child(allocator.segment(unit), allocator.offset(unit), RunNodes.count(right), 0);
    }
    return RunNodes.unit(right);
  }

  /**
   * Visits the elements whose keys have any in common with an interval, by first key; for the
   * writer.
   *
   * @return false if the visitor ended it
   */
  boolean visit(long first, long last, Visitor visitor) {
    long root = root();
    return isEmpty(root) || visit(root, root, 0, first, last, visitor) >= 0;
  }

  /** Answers how many nodes were visited by now; -1 if the visitor ended it. */
  private int visit(
      long root, long reference, int visitedBefore, long first, long last, Visitor visitor) {
    int visited = visit(root, visitedBefore);
    int unit = RunNodes.unit(reference);
    MemorySegment segment = allocator.segment(unit);
    long node = allocator.offset(unit);
    int count = RunNodes.count(reference);
    int end = RunNodes.floor(segment, node, count, last);
    int begin = 0;
    if (RunNodes.isDisjoint(reference)) {
      begin = Math.max(0, RunNodes.floor(segment, node, count, first));
    }
    for (int i = begin; i <= end; i++) {
      long lastKey = RunNodes.lastKey(segment, node, count, i);
      if (lastKey >= first) {
        long child = RunNodes.child(segment, node, count, i);
        if (RunNodes.level(reference) > 1) {
          long below = RunNodes.below(reference, child);
          visited = visit(root, below, visited, first, last, visitor);
          if (visited < 0) {
            return -1;
          }
        } else if (!visitor.visit(
            RunNodes.firstKey(segment, node, i), lastKey, RunNodes.unit(child))) {
          return -1;
        }
      }
    }
    return visited;
  }
}
