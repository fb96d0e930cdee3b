// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
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

  /** A node that was built: its keys, and the reference to it. */
  private record Built(long first, long last, long reference) {
    /** What is built of no elements. */
    static final Built NOTHING = new Built(0, 0, 0);
  }

  /** What became of a node that got one element more: two nodes, if it had to be split. */
  private record Halves(Built one, @Nullable Built other) {}

  private final SlabAllocator allocator;
  private final RunTree order;
  private final Elements[] elements = new Elements[RunNodes.MOST_LEVELS + 1];
  private long reference;
  private int level;
  private boolean changed;
  private long[] fresh = new long[16];
  private int freshCount;
  private long[] replaced = new long[16];
  private int replacedCount;

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
   * @throws OutOfMemoryError if memory ran out; only {@link #abort} makes sense then
   */
  void insert(long first, long last, int run) {
    begin();
    if (level == 0) {
      Elements leaf = elements[1];
      leaf.count = 0;
      leaf.insert(0, first, last, run);
      reference = build(leaf, 0, 1).reference;
      level = 1;
    } else {
      Halves halves = insertInto(reference, level, first, last, run);
      Built root = halves.one;
      Built second = halves.other;
      if (second != null) {
        if (level == RunNodes.MOST_LEVELS) {
          throw new OutOfMemoryError("address vector: more runs than their order can hold");
        }
        Elements top = elements[level + 1];
        top.count = 0;
        top.insert(0, root.first, root.last, root.reference);
        top.insert(1, second.first, second.last, second.reference);
        root = build(top, 0, 2);
        level++;
      }
      reference = root.reference;
    }
  }

  /**
   * Takes a run away that is there.
   *
   * @param first its first key
   * @throws OutOfMemoryError if memory ran out; only {@link #abort} makes sense then
   */
  void remove(long first, int run) {
    begin();
    Built left = level == 0 ? null : removeFrom(reference, level, first, run);
    if (left == null) {
      throw new IllegalStateException("run " + run + " is not in the order under key " + first);
    }
    reference = left.reference;
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
        free(replaced[i]);
        units -= SlabAllocator.sizeOf(RunNodes.units(RunNodes.count(replaced[i])));
      }
      allocator.root().set(JAVA_INT, Superblock.RUN_NODE_UNITS, units);
      end();
    }
  }

  void abort() {
    for (int i = 0; i < freshCount; i++) {
      free(fresh[i]);
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

  private Halves insertInto(long node, int nodeLevel, long first, long last, int run) {
    Elements content = elements[nodeLevel];
    content.count = 0;
    append(content, node);
    int at = content.above(first);
    boolean behindAll = at == content.count;
    if (nodeLevel == 1) {
      content.insert(at, first, last, run);
    } else {
      int child = Math.max(at - 1, 0);
      Halves halves = insertInto(content.child[child], nodeLevel - 1, first, last, run);
      content.set(child, halves.one.first, halves.one.last, halves.one.reference);
      Built second = halves.other;
      if (second != null) {
        content.insert(child + 1, second.first, second.last, second.reference);
      }
    }
    int count = content.count;
    // What comes in order fills nodes.
    int half = count <= RunNodes.MAX ? count : behindAll ? count - 1 : count / 2;
    Built one = build(content, 0, half);
    Built other = half == count ? null : build(content, half, count);
    discard(node);
    return new Halves(one, other);
  }

  /** Answers with what is left of a node, perhaps nothing; null if the run is not below it. */
  private @Nullable Built removeFrom(long node, int nodeLevel, long first, int run) {
    Elements content = elements[nodeLevel];
    content.count = 0;
    append(content, node);
    for (int i = content.above(first) - 1; i >= 0; i--) {
      if (nodeLevel == 1) {
        if (content.first[i] == first && RunNodes.unit(content.child[i]) == run) {
          content.remove(i);
          Built left = build(content, 0, content.count);
          discard(node);
          return left;
        }
      } else {
        Built below = removeFrom(content.child[i], nodeLevel - 1, first, run);
        if (below != null) {
          if (below.reference == 0) {
            content.remove(i);
          } else {
            content.set(i, below.first, below.last, below.reference);
            join(content, i, nodeLevel - 1);
          }
          Built left = build(content, 0, content.count);
          discard(node);
          return left;
        }
      }
      if (content.first[i] < first) {
        return null;
      }
    }
    return null;
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
    Built joined = build(both, 0, both.count);
    discard(one);
    discard(other);
    parent.remove(left + 1);
    parent.set(left, joined.first, joined.last, joined.reference);
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
  private Built build(Elements content, int from, int to) {
    int count = to - from;
    if (count == 0) {
      return Built.NOTHING;
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
    Built built = new Built(content.first[from], last, RunNodes.reference(unit, count, disjoint));
    if (freshCount == fresh.length) {
      fresh = Arrays.copyOf(fresh, 2 * freshCount);
    }
    fresh[freshCount++] = built.reference;
    return built;
  }

  /** A node that the new tree does not have: forgotten at once, or with the old tree. */
  private void discard(long node) {
    for (int i = freshCount - 1; i >= 0; i--) {
      if (fresh[i] == node) {
        fresh[i] = fresh[--freshCount];
        free(node);
        return;
      }
    }
    if (replacedCount == replaced.length) {
      replaced = Arrays.copyOf(replaced, 2 * replacedCount);
    }
    replaced[replacedCount++] = node;
  }

  private void free(long node) {
    allocator.free(RunNodes.unit(node), RunNodes.units(RunNodes.count(node)));
  }
}
