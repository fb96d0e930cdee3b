// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/**
 * Changes of one order of runs that become visible together. Insertions and removals build a new
 * tree beside the one that readers use; {@link #commit} makes it the order by one store and cannot
 * fail, {@link #abort} forgets it. Used again and again by the one thread that writes.
 */
final class RunTreeTransaction {
  /** A node this small joins a neighbour if both fit in {@link #FULL_ENOUGH}. */
  private static final int SMALL = RunNodes.MAX / 4;

  private static final int FULL_ENOUGH = RunNodes.MAX * 3 / 4;

  /** Levels there can be. */
  private static final int LEVELS = 8;

  /** The elements of a node while they change: one more than fits. */
  private static final class Elements {
    final long[] first = new long[RunNodes.MAX + 1];
    final long[] last = new long[RunNodes.MAX + 1];
    final long[] child = new long[RunNodes.MAX + 1];
    int count;

    void insert(int at, long firstKey, long lastKey, long reference) {
      System.arraycopy(first, at, first, at + 1, count - at);
      System.arraycopy(last, at, last, at + 1, count - at);
      System.arraycopy(child, at, child, at + 1, count - at);
      count++;
      set(at, firstKey, lastKey, reference);
    }

    void set(int at, long firstKey, long lastKey, long reference) {
      first[at] = firstKey;
      last[at] = lastKey;
      child[at] = reference;
    }

    void remove(int at) {
      count--;
      System.arraycopy(first, at + 1, first, at, count - at);
      System.arraycopy(last, at + 1, last, at, count - at);
      System.arraycopy(child, at + 1, child, at, count - at);
    }

    /** The first element whose first key is above a key. */
    int above(long key) {
      int at = count;
      while (at > 0 && first[at - 1] > key) {
        at--;
      }
      return at;
    }
  }

  /** A node that was built: its keys, and the reference to it or 0. */
  private static final class Built {
    long first;
    long last;
    long reference;
  }

  private final SlabAllocator allocator;
  private final RunTree order;
  private final Elements[] elements = new Elements[LEVELS];
  private final Built built = new Built();

  /** The second half of a node that had to be split. */
  private final Built second = new Built();

  private long reference;
  private int level;
  private boolean changed;
  private long[] fresh = new long[16];
  private int freshCount;
  private long[] replaced = new long[16];
  private int replacedCount;

  /**
   * For changes of an order.
   *
   * @param allocator where its nodes are
   * @param order the order
   */
  RunTreeTransaction(SlabAllocator allocator, RunTree order) {
    this.allocator = allocator;
    this.order = order;
    for (int i = 0; i < elements.length; i++) {
      elements[i] = new Elements();
    }
  }

  /**
   * Adds a run.
   *
   * @param first its first key
   * @param last its last key
   * @param run its record
   * @throws OutOfMemoryError if memory ran out; only {@link #abort} makes sense then
   */
  void insert(long first, long last, int run) {
    begin();
    if (level == 0) {
      Elements leaf = elements[1];
      leaf.count = 0;
      leaf.insert(0, first, last, run);
      build(leaf, 0, 1, built);
      level = 1;
    } else {
      insertInto(reference, level, first, last, run);
      if (second.reference != 0) {
        if (level == LEVELS - 1) {
          throw new OutOfMemoryError("address vector: more runs than their order can hold");
        }
        Elements top = elements[level + 1];
        top.count = 0;
        top.insert(0, built.first, built.last, built.reference);
        top.insert(1, second.first, second.last, second.reference);
        build(top, 0, 2, built);
        level++;
      }
    }
    reference = built.reference;
  }

  /**
   * Takes a run away that is there.
   *
   * @param first its first key
   * @param run its record
   * @throws OutOfMemoryError if memory ran out; only {@link #abort} makes sense then
   */
  void remove(long first, int run) {
    begin();
    if (level == 0 || !removeFrom(reference, level, first, run)) {
      throw new IllegalStateException("run " + run + " is not in the order under key " + first);
    }
    reference = built.reference;
    if (reference == 0) {
      level = 0;
    }
    while (level > 1 && RunNodes.count(reference) == 1) {
      long only =
          RunNodes.child(
              allocator.segment(RunNodes.unit(reference)),
              allocator.offset(RunNodes.unit(reference)),
              1,
              0);
      discard(reference);
      reference = only;
      level--;
    }
  }

  /** Makes the changes visible and gives back what they replaced. */
  void commit() {
    if (changed) {
      order.publish(RunNodes.root(order.root(), reference, level));
      int units = allocator.root().get(JAVA_INT, Superblock.RUN_NODE_UNITS);
      for (int i = 0; i < freshCount; i++) {
        units += SlabAllocator.sizeOf(RunNodes.units(RunNodes.count(fresh[i])));
      }
      for (int i = 0; i < replacedCount; i++) {
        give(replaced[i]);
        units -= SlabAllocator.sizeOf(RunNodes.units(RunNodes.count(replaced[i])));
      }
      allocator.root().set(JAVA_INT, Superblock.RUN_NODE_UNITS, units);
      end();
    }
  }

  /** Forgets the changes. */
  void abort() {
    for (int i = 0; i < freshCount; i++) {
      give(fresh[i]);
    }
    end();
  }

  private void begin() {
    if (!changed) {
      long root = order.root();
      reference = RunNodes.withoutVersion(root);
      level = RunNodes.level(root);
      changed = true;
    }
  }

  private void end() {
    changed = false;
    freshCount = 0;
    replacedCount = 0;
  }

  private void insertInto(long node, int nodeLevel, long first, long last, int run) {
    Elements content = elements[nodeLevel];
    content.count = 0;
    append(content, node);
    int at = content.above(first);
    boolean behindAll = at == content.count;
    if (nodeLevel == 1) {
      content.insert(at, first, last, run);
    } else {
      int child = Math.max(at - 1, 0);
      insertInto(content.child[child], nodeLevel - 1, first, last, run);
      content.set(child, built.first, built.last, built.reference);
      if (second.reference != 0) {
        content.insert(child + 1, second.first, second.last, second.reference);
      }
    }
    int count = content.count;
    if (count <= RunNodes.MAX) {
      build(content, 0, count, built);
      second.reference = 0;
    } else {
      // What comes in order fills nodes.
      int half = behindAll ? count - 1 : count / 2;
      build(content, 0, half, built);
      build(content, half, count, second);
    }
    discard(node);
  }

  private boolean removeFrom(long node, int nodeLevel, long first, int run) {
    Elements content = elements[nodeLevel];
    content.count = 0;
    append(content, node);
    for (int i = content.above(first) - 1; i >= 0; i--) {
      if (nodeLevel == 1) {
        if (content.first[i] == first && RunNodes.unit(content.child[i]) == run) {
          content.remove(i);
          build(content, 0, content.count, built);
          discard(node);
          return true;
        }
      } else if (removeFrom(content.child[i], nodeLevel - 1, first, run)) {
        if (built.reference == 0) {
          content.remove(i);
        } else {
          content.set(i, built.first, built.last, built.reference);
          join(content, i, nodeLevel - 1);
        }
        build(content, 0, content.count, built);
        discard(node);
        return true;
      }
      if (content.first[i] < first) {
        return false;
      }
    }
    return false;
  }

  /** Makes one node of a small one and a neighbour, if there is a neighbour with room. */
  private void join(Elements parent, int small, int childLevel) {
    if (RunNodes.count(parent.child[small]) > SMALL) {
      return;
    }
    int left = small > 0 ? small - 1 : small;
    if (left + 1 >= parent.count) {
      return;
    }
    long one = parent.child[left];
    long other = parent.child[left + 1];
    if (RunNodes.count(one) + RunNodes.count(other) > FULL_ENOUGH) {
      return;
    }
    Elements both = elements[childLevel];
    both.count = 0;
    append(both, one);
    append(both, other);
    build(both, 0, both.count, built);
    discard(one);
    discard(other);
    parent.remove(left + 1);
    parent.set(left, built.first, built.last, built.reference);
  }

  private void append(Elements content, long node) {
    int unit = RunNodes.unit(node);
    MemorySegment segment = allocator.segment(unit);
    long at = allocator.offset(unit);
    int count = RunNodes.count(node);
    for (int i = 0; i < count; i++) {
      content.set(
          content.count + i,
          RunNodes.firstKey(segment, at, i),
          RunNodes.lastKey(segment, at, count, i),
          RunNodes.child(segment, at, count, i));
    }
    content.count += count;
  }

  /** Writes a node that nobody sees yet. */
  private void build(Elements content, int from, int to, Built into) {
    int count = to - from;
    if (count == 0) {
      into.reference = 0;
      return;
    }
    int unit = allocator.allocate(RunNodes.units(count));
    MemorySegment segment = allocator.segment(unit);
    long at = allocator.offset(unit);
    boolean disjoint = true;
    long last = content.last[from];
    for (int i = 0; i < count; i++) {
      long firstKey = content.first[from + i];
      long lastKey = content.last[from + i];
      disjoint &= i == 0 || firstKey > last;
      last = Math.max(last, lastKey);
      RunNodes.set(segment, at, count, i, firstKey, lastKey, content.child[from + i]);
    }
    into.first = content.first[from];
    into.last = last;
    into.reference = RunNodes.reference(unit, count, disjoint);
    if (freshCount == fresh.length) {
      fresh = Arrays.copyOf(fresh, 2 * freshCount);
    }
    fresh[freshCount++] = into.reference;
  }

  /** A node that the new tree does not have: forgotten at once, or with the old tree. */
  private void discard(long node) {
    for (int i = freshCount - 1; i >= 0; i--) {
      if (fresh[i] == node) {
        fresh[i] = fresh[--freshCount];
        give(node);
        return;
      }
    }
    if (replacedCount == replaced.length) {
      replaced = Arrays.copyOf(replaced, 2 * replacedCount);
    }
    replaced[replacedCount++] = node;
  }

  private void give(long node) {
    allocator.free(RunNodes.unit(node), RunNodes.units(RunNodes.count(node)));
  }
}
