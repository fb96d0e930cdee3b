// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.testing.Quick.same;

import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Handles;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.FailingMemory;
import org.ofi4j.core.memory.SlabAllocator;

/** Entries that share an address. */
class DuplicateHeapTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);
  private final DuplicateHeap heap = new DuplicateHeap(allocator);

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void lowestOfSeveralWhateverComesAndGoes() {
    SplittableRandom random = new SplittableRandom(SEED);
    TreeSet<Integer> expected = new TreeSet<>();
    int root = -1;
    for (int step = 0; step < 60_000; step++) {
      int index = index(random.nextInt(400));
      if (expected.add(index)) {
        heap.ensure(index);
        root = root < 0 ? index : heap.insert(root, index);
      } else if (random.nextInt(step / 10_000 % 2 == 0 ? 4 : 1) == 0) {
        expected.remove(index);
        if (index == root) {
          root = heap.removeRoot(index);
        } else {
          same(heap.isRoot(index), false, "isRoot");
          heap.remove(index);
        }
        heap.detach(index);
      }
      int lowest = expected.isEmpty() ? -1 : expected.first();
      same(root, lowest, "step %s with -Dofi4j.seed=%s", step, SEED);
      same(root < 0 || heap.isRoot(root), true, "isRoot");
      if (step % 100 == 0) {
        checkHeap(root, expected.size(), "step " + step + " with -Dofi4j.seed=" + SEED);
      }
    }
    while (root >= 0) {
      same(root, expected.pollFirst(), "root");
      root = heap.removeRoot(root);
    }
    assertThat(expected).isEmpty();
  }

  /**
   * Whatever the order of insertion, a heap stays such that no step of a removal goes far: by ranks
   * that are right everywhere, and paths to the right that are as short as ranks say.
   */
  @ParameterizedTest
  @ValueSource(strings = {"upwards", "downwards", "from both ends", "random"})
  void noRemovalOfOneOfManyGoesFar(String order) {
    int count = 20_000;
    SplittableRandom random = new SplittableRandom(SEED);
    int[] indices = new int[count];
    for (int i = 0; i < count; i++) {
      indices[i] =
          switch (order) {
            case "upwards" -> i;
            case "downwards" -> count - 1 - i;
            case "from both ends" -> i % 2 == 0 ? i / 2 : count - 1 - i / 2;
            default -> i;
          };
    }
    for (int i = 1; order.equals("random") && i < count; i++) {
      int other = random.nextInt(i + 1);
      int index = indices[i];
      indices[i] = indices[other];
      indices[other] = index;
    }
    heap.ensure(indices[0]);
    int root = indices[0];
    for (int i = 1; i < count; i++) {
      heap.ensure(indices[i]);
      root = heap.insert(root, indices[i]);
    }
    String what = order + " with -Dofi4j.seed=" + SEED;
    checkHeap(root, count, what);
    TreeSet<Integer> expected = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      expected.add(i);
    }
    while (!expected.isEmpty()) {
      int index = random.nextInt(count);
      if (index == root || !expected.contains(index)) {
        index = root;
        root = heap.removeRoot(root);
      } else {
        heap.remove(index);
      }
      expected.remove(index);
      heap.detach(index);
      same(root, expected.isEmpty() ? -1 : expected.first(), what);
      if (expected.size() % 4096 == 5) {
        checkHeap(root, expected.size(), what);
      }
    }
  }

  @Test
  void allocationThatFailsLeavesAWholeHeap() {
    for (int failing = 1; failing < 12; failing++) {
      try (FailingMemory source = new FailingMemory(failing)) {
        DuplicateHeap failingHeap = new DuplicateHeap(new SlabAllocator(source));
        int failures = 0;
        for (int i = 0; i < 3_000; i++) {
          int index = i * 65;
          try {
            failingHeap.ensure(index);
          } catch (OutOfMemoryError e) {
            failures++;
            same(failingHeap.contains(index), false, "contains");
            failingHeap.ensure(index);
          }
          if (i > 0) {
            same(failingHeap.insert(0, index), 0, "root");
          }
        }
        same(failures, 1, "allocation %s", failing);
        same(failingHeap.removeRoot(0), 65, "root");
      }
    }
  }

  /** Every index of a heap is above its parent, and ranks are what they are said to be. */
  @ParameterizedTest
  @ValueSource(ints = {DuplicateHeap.PARENT, DuplicateHeap.RIGHT})
  void circlesAreFoundOut(int field) {
    for (int index = 0; index < 32; index++) {
      heap.ensure(index);
    }
    for (int index = 1; index < 32; index++) {
      heap.insert(0, index);
    }
    // Each index is below itself, and its rank is wrong, so that it goes on changing.
    for (int index = 0; index < 32; index++) {
      set(index, field, index + 1);
      set(index, DuplicateHeap.RANK, 7);
    }
    assertThatThrownBy(
            () -> {
              for (int index = 1; index < 32; index++) {
                heap.remove(index);
              }
            })
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("circle");
  }

  private void set(int index, int field, int link) {
    int page = heap.pages().page(index);
    allocator
        .segment(page)
        .set(ValueLayout.JAVA_INT, allocator.offset(page) + 16L * (index & 63) + field, link);
  }

  private void checkHeap(int root, int count, String what) {
    ArrayDeque<Integer> open = new ArrayDeque<>();
    int seen = 0;
    if (root >= 0 && !heap.contains(root)) {
      // It was always alone.
      same(count, 1, what);
      return;
    }
    if (root >= 0) {
      same(heap.field(root, DuplicateHeap.PARENT), 0, what);
      // A heap of this rank has at least so many.
      assertThat((1L << heap.field(root, DuplicateHeap.RANK)) - 1)
          .as(what)
          .isLessThanOrEqualTo(count);
      open.add(root);
    }
    while (!open.isEmpty()) {
      int index = open.poll();
      seen++;
      int[] ranks = {0, 0};
      for (int i = 0; i < 2; i++) {
        int link = heap.field(index, i == 0 ? DuplicateHeap.LEFT : DuplicateHeap.RIGHT);
        if (link != 0) {
          ranks[i] = heap.field(link - 1, DuplicateHeap.RANK);
          same(heap.field(link - 1, DuplicateHeap.PARENT), index + 1, what);
          assertThat(link - 1).as(what).isGreaterThan(index);
          open.add(link - 1);
        }
      }
      assertThat(ranks[0]).as(what).isGreaterThanOrEqualTo(ranks[1]);
      same(heap.field(index, DuplicateHeap.RANK), ranks[1] + 1, what);
    }
    same(seen, count, what);
  }

  /** Indices from all over, the largest included. */
  private static int index(int number) {
    return number % 2 == 0 ? number : Handles.MAX_ENTRIES - number * (number % 3 == 0 ? 65_536 : 1);
  }
}
