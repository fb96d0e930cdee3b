// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.testing.Quick.same;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Handles;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.FailingMemory;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/** Tests of the order in which unused indices are used, and of the memory for free indices. */
@Tag("AV-083")
class FreeIndicesTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final String WHAT = "step %s with -Dofi4j.seed=" + SEED;

  /** Indices of a leaf, and of nodes of the two levels above. */
  private static final int LEAF = 1 << FreeIndices.LEAF_BITS;

  private static final int NODE = LEAF << FreeIndices.FAN_BITS;
  private static final int HIGH_NODE = NODE << FreeIndices.FAN_BITS;

  private static final int UNIT = SlabAllocator.UNIT_BYTES;
  private static final int LEAF_BYTES = FreeIndices.LEAF_UNITS * UNIT;
  private static final int NODE_BYTES = FreeIndices.NODE_UNITS * UNIT;

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);
  private final FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);

  @AfterEach
  void close() {
    memory.close();
  }

  /**
   * Single indices and intervals are taken and released, in the course of which the tree grows, at
   * the lowest indices and at the highest ones there are.
   */
  @ParameterizedTest
  @CsvSource({
    "0, 200, 1, false",
    "0, 9000, 40, false",
    "0, 300000, 30000, false",
    "258000, 20000, 3000, false",
    "16777000, 9000, 300, false",
    "2147183646, 300000, 3000, false",
    "0, 5000, 40, true",
    "65000, 200000, 9000, true"
  })
  void nextReturnsLowestUnusedIndex(int base, int size, int longest, boolean scarce) {
    Model model = new Model(base, size, scarce);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int step = 0; step < 30_000; step++) {
      if (scarce && random.nextInt(50) == 0) {
        memory.limit(random.nextInt(3) == 0 ? Long.MAX_VALUE : memory.held());
      }
      int growth = step / 5_000 % 2 == 0 ? 65 : 35;
      int length = random.nextInt(3) > 0 ? 1 : 1 + random.nextInt(1 + random.nextInt(longest));
      if (length > 1000 && random.nextBoolean()) {
        // Up to where a leaf ends, most of the time.
        length = LEAF - (base + model.used.nextClearBit(0)) % LEAF;
      }
      if (random.nextInt(100) < growth) {
        model.insert(length, random.nextInt(3) == 0);
      } else {
        model.remove(random.nextInt(size), length);
      }
      model.check(random.nextInt(size), step);
    }
    memory.limit(Long.MAX_VALUE);
    model.checkExtents();
    model.removeAll();
    assertThat(model.end()).isEqualTo(base);
    assertThat(model.now().count()).isZero();
    assertThat(model.now().next()).isEqualTo(base);
    assertThat(model.now().usedBytes() == 0).isEqualTo(base == 0);
  }

  @Test
  void indicesAreNotUsedAgainWithoutReuse() {
    FreeIndices once = new FreeIndices(allocator, false, 200);
    long before = allocator.usedBytes();
    fill(once, 0, 30);
    once.release(1);
    once.release(new int[] {3, 29, 5}, 3);
    assertThat(once.next()).isEqualTo(30);
    once.take(30, 169);
    assertThat(once.next()).isEqualTo(199);
    assertThat(once.freeEnd(199, 10)).isEqualTo(200);
    fill(once, 199, 200);
    assertThat(once.next()).isEqualTo(-1);
    once.restoreFree(10, 20);
    assertThat(once.next()).isEqualTo(-1);
    assertThat(isFree(once, 15)).isFalse();
    assertThat(once.count()).isZero();
    assertThat(once.usedBytes()).isZero();
    assertThat(allocator.usedBytes()).isEqualTo(before);
  }

  @Test
  void noIndexIsBeyondTheCapacity() {
    freeIndices.take(0, Handles.MAX_ENTRIES);
    assertThat(freeIndices.next()).isEqualTo(-1);
    int last = Handles.MAX_ENTRIES - 1;
    freeIndices.prepare(last - 1, 2);
    freeIndices.release(last - 1);
    assertThat(freeIndices.next()).isEqualTo(last - 1);
    assertThat(freeIndices.freeEnd(last - 1, Integer.MAX_VALUE)).isEqualTo(last);
    freeIndices.release(last);
    assertThat(freeIndices.end()).isEqualTo(last - 1);
    assertThat(freeIndices.freeEnd(last - 1, Integer.MAX_VALUE)).isEqualTo(last + 1);
    assertThat(freeIndices.freeEnd(last - 1, 1)).isEqualTo(last);
  }

  @Test
  void endMovesDownOverMillionFreeIndices() {
    fill(freeIndices, 0, 1_000_000);
    for (int i = 0; i < 999_999; i++) {
      freeIndices.release(i);
    }
    assertThat(freeIndices.next()).isZero();
    assertThat(freeIndices.end()).isEqualTo(1_000_000);
    assertThat(freeIndices.freeEnd(0, 2_000_000)).isEqualTo(999_999);
    assertThat(freeIndices.usedBytes()).isLessThan(1_000_000 / 8 + 6_000);
    freeIndices.release(999_999);
    assertThat(freeIndices.end()).isZero();
    assertThat(freeIndices.usedBytes()).isZero();
    fill(freeIndices, 0, 100);
    freeIndices.release(70);
    assertThat(freeIndices.next()).isEqualTo(70);
  }

  @Test
  void extentsMayBeginAndEndWhereWordsLeavesAndNodesDo() {
    int[] places = {
      0, 1, 63, 64, 512, LEAF - 1, LEAF, LEAF + 1, 9 * LEAF, NODE - 64, NODE, 270_000
    };
    for (int end : places) {
      for (int from : places) {
        for (int to : places) {
          if (from < to && to < end) {
            takeAndRelease(from, to, end);
          }
        }
      }
    }
  }

  private static void takeAndRelease(int from, int to, int end) {
    String what = from + " to " + to + " of " + end;
    try (ArenaMemory own = new ArenaMemory(Long.MAX_VALUE)) {
      FreeIndices indices = new FreeIndices(new SlabAllocator(own), true, 1 << 20);
      indices.prepare(from, end - from);
      indices.take(0, end);
      release(indices, from, to);
      assertThat(indices.next()).as(what).isEqualTo(from);
      assertThat(indices.freeEnd(from, end)).as(what).isEqualTo(to);
      assertThat(indices.freeEnd(from, 1)).as(what).isEqualTo(from + 1);
      assertThat(indices.freeEnd(to, end)).as(what).isEqualTo(to);
      assertThat(indices.count()).as(what).isEqualTo(to - from);
      indices.take(from, to - from);
      assertThat(indices.count()).as(what).isZero();
      assertThat(indices.next()).as(what).isEqualTo(end);
      indices.restoreFree(from, to);
      assertThat(indices.next()).as(what).isEqualTo(from);
      assertThat(indices.freeEnd(from, end)).as(what).isEqualTo(to);
      release(indices, to, end);
      assertThat(indices.end()).as(what).isEqualTo(from);
      assertThat(indices.count()).as(what).isZero();
      indices.take(from, end - from);
      assertThat(isFree(indices, to - 1)).as(what).isFalse();
      assertThat(indices.end()).as(what).isEqualTo(end);
    }
  }

  @Test
  void treeIsAsLargeAsTheLargestPreparedIndexNeeds() {
    long before = allocator.usedBytes();
    freeIndices.take(0, Handles.MAX_ENTRIES);
    assertThat(allocator.usedBytes()).isEqualTo(before);
    int[][] sizes = {
      {0, LEAF_BYTES},
      {LEAF - 1, LEAF_BYTES},
      {LEAF, 2 * LEAF_BYTES + NODE_BYTES},
      {NODE - 1, 3 * LEAF_BYTES + NODE_BYTES},
      {NODE, 4 * LEAF_BYTES + 3 * NODE_BYTES},
      {HIGH_NODE, 5 * LEAF_BYTES + 6 * NODE_BYTES},
      {Handles.MAX_ENTRIES - 1, 6 * LEAF_BYTES + 10 * NODE_BYTES}
    };
    for (int[] size : sizes) {
      freeIndices.prepare(size[0], 1);
      assertThat(freeIndices.usedBytes()).as("prepared %s", size[0]).isEqualTo(size[1]);
      assertThat(allocator.usedBytes() - before).isEqualTo(freeIndices.usedBytes());
    }
  }

  /** The first of all indices that get a bit need not be a low one. */
  @ParameterizedTest
  @ValueSource(ints = {LEAF, NODE - 1, NODE, HIGH_NODE, Handles.MAX_ENTRIES - 2})
  void treeMayBeginAnywhere(int index) {
    freeIndices.take(0, Handles.MAX_ENTRIES);
    for (int at : new int[] {index, 100, LEAF - 1}) {
      freeIndices.prepare(at, 1);
      freeIndices.release(at);
    }
    int leaves = index == LEAF - 1 ? 1 : 2;
    assertThat(freeIndices.usedBytes()).isLessThanOrEqualTo(leaves * LEAF_BYTES + 7 * NODE_BYTES);
    for (int at : new int[] {100, LEAF - 1, index}) {
      assertThat(freeIndices.next()).isEqualTo(at);
      freeIndices.take(at, 1);
    }
    assertThat(freeIndices.count()).isZero();
  }

  @Test
  void releasesAtRandomAmongAllIndicesTakeAFewMegabytes() {
    freeIndices.take(0, Handles.MAX_ENTRIES);
    SplittableRandom random = new SplittableRandom(SEED);
    int[] order = random.ints(10_000, 0, Handles.MAX_ENTRIES - 1).distinct().toArray();
    for (int index : order) {
      freeIndices.prepare(index, 1);
      freeIndices.release(index);
    }
    assertThat(memory.held()).isLessThan(12 << 20);
    int[] ascending = order.clone();
    Arrays.sort(ascending);
    for (int index : ascending) {
      same(freeIndices.next(), index, "next, -Dofi4j.seed=%s", SEED);
      freeIndices.take(index, 1);
    }
    assertThat(freeIndices.count()).isZero();
  }

  @Test
  void releaseOfWhatWasNotPreparedThrows() {
    fill(freeIndices, 0, LEAF);
    freeIndices.take(LEAF, 10);
    assertThatThrownBy(() -> freeIndices.release(LEAF + 1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("4097");
    assertThat(freeIndices.count()).isZero();
  }

  @Test
  void takingAndReleasingTakesNoMemory() {
    freeIndices.take(0, 1_000_000);
    long held = 0;
    for (int round = 0; round < 200; round++) {
      int count = round % 3 == 0 ? 1030 : round % 3 == 1 ? 40 : 300;
      for (int i = 0; i < count; i++) {
        int index = 3 * i * 61 % 65_521;
        freeIndices.prepare(index, 1);
        freeIndices.release(index);
      }
      assertThat(freeIndices.count()).isEqualTo(count);
      for (int i = 0; i < count; i++) {
        int next = freeIndices.next();
        freeIndices.prepare(next, 1);
        freeIndices.take(next, 1);
      }
      held = round == 5 ? memory.held() : held;
    }
    assertThat(memory.held()).isEqualTo(held);
    assertThat(freeIndices.usedBytes()).isEqualTo(16 * LEAF_BYTES + NODE_BYTES);
  }

  @Test
  void failedAllocationChangesNothing() {
    int failures = 0;
    for (int index : new int[] {0, 10, 1024, LEAF - 1, LEAF, NODE, HIGH_NODE}) {
      for (int before : new int[] {0, 1000, LEAF, NODE}) {
        for (int failing = 0; failsAt(failing, before, index); failing++) {
          failures++;
        }
      }
    }
    assertThat(failures).isGreaterThan(12);
  }

  /** Releases an index while one allocation fails; returns whether one did. */
  private static boolean failsAt(int failing, int before, int index) {
    try (FailingMemory source = new FailingMemory(1 + failing)) {
      SlabAllocator allocator = new SlabAllocator(source);
      FreeIndices indices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
      indices.take(0, 2 * HIGH_NODE);
      boolean failed = false;
      try {
        prepareBoth(indices, before, index);
      } catch (OutOfMemoryError e) {
        failed = true;
        assertThat(indices.next()).isEqualTo(2 * HIGH_NODE);
        assertThat(isFree(indices, index)).isFalse();
        prepareBoth(indices, before, index);
      }
      indices.release(before);
      indices.take(before, 1);
      indices.release(index);
      assertThat(indices.count()).isEqualTo(1);
      assertThat(indices.next()).isEqualTo(index);
      assertThat(indices.freeEnd(index, 5)).isEqualTo(index + 1);
      assertThat(allocator.usedBytes()).isEqualTo(indices.usedBytes());
      return failed;
    }
  }

  private static void prepareBoth(FreeIndices indices, int before, int index) {
    indices.prepare(before, 1);
    indices.prepare(index, 1);
  }

  @Test
  void releasesOfManyAreLikeReleasesOfEach() {
    SplittableRandom random = new SplittableRandom(SEED);
    int size = 4 * LEAF;
    fill(freeIndices, 0, size);
    BitSet free = new BitSet();
    int[] together = new int[128];
    for (int round = 0; round < 20; round++) {
      int left = round % 2 == 0 ? 100 : size / 2;
      int end = freeIndices.end();
      int[] order = random.ints(size, 0, end).distinct().filter(i -> !free.get(i)).toArray();
      if (round % 3 == 0) {
        Arrays.sort(order);
      }
      for (int from = 0; from < order.length - left; from += together.length) {
        int count = Math.min(together.length, order.length - from);
        System.arraycopy(order, from, together, 0, count);
        freeIndices.release(together, count);
        for (int i = 0; i < count; i++) {
          free.set(together[i]);
        }
      }
      checkFree(free);
      int wanted = random.nextInt(free.cardinality());
      for (int i = 0; i < wanted; i++) {
        int next = freeIndices.next();
        same(next, free.nextSetBit(0), "-Dofi4j.seed=%s", SEED);
        freeIndices.prepare(next, 1);
        freeIndices.take(next, 1);
        free.clear(next);
      }
      checkFree(free);
    }
  }

  private void checkFree(BitSet free) {
    free.clear(freeIndices.end(), Math.max(freeIndices.end(), free.length()));
    assertThat(freeIndices.count()).as("-Dofi4j.seed=%s", SEED).isEqualTo(free.cardinality());
    for (int i = 0; i < freeIndices.end(); i++) {
      same(isFree(freeIndices, i), free.get(i), "isFree of %s with -Dofi4j.seed=" + SEED, i);
    }
  }

  @Test
  void releaseOfPreparedIndicesNeedsNoMemory() {
    int size = NODE + LEAF;
    fill(freeIndices, 0, size);
    freeIndices.take(size, LEAF);
    exhaust();
    for (int first : new int[] {1, 0}) {
      for (int i = first; i < size; i += 2) {
        freeIndices.release(i);
      }
    }
    assertThat(freeIndices.count()).isEqualTo(size);
    assertThat(freeIndices.freeEnd(0, size + 1)).isEqualTo(size);
    assertThatThrownBy(() -> freeIndices.prepare(size + 5, 1)).isInstanceOf(OutOfMemoryError.class);
    fill(freeIndices, 0, size);
    assertThat(freeIndices.count()).isZero();
    assertThat(freeIndices.next()).isEqualTo(size + LEAF);
  }

  /** The last index needs no bit, as the end moves down over it. */
  @Test
  void releaseOfTheLastIndexNeedsNotBePrepared() {
    freeIndices.take(0, 10);
    freeIndices.release(9);
    freeIndices.release(new int[] {8}, 1);
    assertThat(freeIndices.end()).isEqualTo(8);
    assertThat(freeIndices.count()).isZero();
  }

  @Test
  void endAndCountAreStoredWhenPublished() {
    fill(freeIndices, 0, 10);
    freeIndices.release(3);
    MemorySegment root = allocator.root();
    assertThat(root.get(JAVA_INT, Superblock.END)).isZero();
    assertThat(root.get(JAVA_LONG, Superblock.FREE_INDEX_COUNT)).isZero();
    freeIndices.publish();
    assertThat(root.get(JAVA_INT, Superblock.END)).isEqualTo(10);
    assertThat(root.get(JAVA_LONG, Superblock.FREE_INDEX_COUNT)).isEqualTo(1);
    FreeIndices other = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
    assertThat(other.next()).isEqualTo(3);
    other.take(3, 1);
    fill(other, 10, 5000);
    other.release(4);
    other.publish();
    freeIndices.follow();
    assertThat(freeIndices.end()).isEqualTo(5000);
    assertThat(freeIndices.next()).isEqualTo(4);
  }

  @Test
  void freeIndexBehindTheEndIsDamage() {
    fill(freeIndices, 0, 100);
    freeIndices.release(50);
    freeIndices.publish();
    for (int end : new int[] {50, 0, Integer.MIN_VALUE}) {
      allocator.root().set(JAVA_INT, Superblock.END, end);
      freeIndices.follow();
      assertThatThrownBy(freeIndices::next)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("index 50 is free");
    }
  }

  /** Whatever is in memory, each call returns or throws. */
  @ParameterizedTest
  @ValueSource(ints = {300, 3000, 50_000, 300_000})
  void damagedMemoryEndsNoCall(int size) {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int round = 0; round < 400; round++) {
      try (ArenaMemory own = new ArenaMemory(8 << 20)) {
        SlabAllocator damaged = new SlabAllocator(own);
        FreeIndices indices = new FreeIndices(damaged, true, Handles.MAX_ENTRIES);
        indices.prepare(0, size);
        indices.take(0, size);
        for (int i = 0; i < 50; i++) {
          indices.release(random.nextInt(indices.end()));
        }
        indices.publish();
        damage(damaged, random);
        boolean known = random.nextBoolean();
        FreeIndices used = known ? indices : new FreeIndices(damaged, true, Handles.MAX_ENTRIES);
        for (int step = 0; step < 30; step++) {
          try {
            use(used, random, size);
          } catch (IllegalStateException | IndexOutOfBoundsException | OutOfMemoryError expected) {
            used.follow();
          }
        }
      }
    }
  }

  private static void damage(SlabAllocator allocator, SplittableRandom random) {
    MemorySegment root = allocator.root();
    long tree = root.get(JAVA_LONG, Superblock.FREE_INDICES);
    int unit = FreeIndices.unit(tree);
    boolean node = FreeIndices.height(tree) > 0;
    long number = random.nextBoolean() ? random.nextLong() : 1L << random.nextInt(64);
    MemorySegment segment = allocator.segment(unit);
    long offset = allocator.offset(unit);
    switch (random.nextInt(6)) {
      case 0 -> root.set(JAVA_INT, Superblock.END, (int) number);
      case 1 -> root.set(JAVA_LONG, Superblock.FREE_INDEX_SUMMARY, number);
      case 2 -> root.set(JAVA_LONG, Superblock.FREE_INDICES, tree ^ 1L << random.nextInt(64));
      case 3 -> root.set(JAVA_LONG, Superblock.FREE_INDICES, number);
      case 4 -> segment.set(JAVA_LONG, offset, number);
      default -> segment.set(JAVA_INT, offset + (node ? FreeIndices.CHILDREN : 4), (int) number);
    }
  }

  private static void use(FreeIndices indices, SplittableRandom random, int size) {
    int index = random.nextInt(size);
    switch (random.nextInt(6)) {
      case 0 -> indices.release(index);
      case 1 -> indices.release(new int[] {index, index + 1, indices.end() - 1}, 3);
      case 2 -> indices.freeEnd(index, random.nextInt(size));
      case 3 -> indices.prepare(index, 1 + random.nextInt(100));
      default -> {
        int next = indices.next();
        if (next >= 0) {
          indices.prepare(next, 1);
          indices.take(next, 1);
        }
      }
    }
  }

  /** Leaves not a unit. */
  private void exhaust() {
    memory.limit(memory.held());
    for (int sizeClass = SlabAllocator.classOf(1 << 13); sizeClass >= 0; sizeClass--) {
      int size = SlabAllocator.size(sizeClass);
      assertThatThrownBy(
              () -> {
                while (true) {
                  allocator.allocate(size);
                }
              })
          .isInstanceOf(OutOfMemoryError.class);
    }
  }

  private static void fill(FreeIndices indices, int first, int end) {
    for (int i = first; i < end; i++) {
      same(indices.next(), i, "next");
      indices.prepare(i, 1);
      indices.take(i, 1);
    }
  }

  private static void release(FreeIndices indices, int first, int end) {
    for (int i = first; i < end; i++) {
      indices.release(i);
    }
  }

  /**
   * The expected state, above indices that are all used. Two processes write alternately, as far as
   * {@link FreeIndices} sees them.
   */
  private final class Model {
    private final int base;
    private final boolean scarce;
    private final BitSet used = new BitSet();

    /** The indices that are not of a run without slots. */
    private final BitSet prepared = new BitSet();

    private final FreeIndices[] processes = new FreeIndices[2];
    private int process;
    private int changes;

    Model(int base, int size, boolean scarce) {
      this.base = base;
      this.scarce = scarce;
      int capacity = Math.min(base + size, Handles.MAX_ENTRIES);
      processes[0] = new FreeIndices(allocator, true, capacity);
      processes[1] = new FreeIndices(allocator, true, capacity);
      if (base > 0) {
        now().take(0, base);
      }
    }

    /** The view of the process that writes. */
    FreeIndices now() {
      return processes[process];
    }

    int end() {
      return now().end();
    }

    /** Lets the other process write from time to time. */
    private void change() {
      if (++changes % 7 == 0) {
        now().publish();
        process = 1 - process;
        now().follow();
      }
    }

    /** Takes the lowest indices, at most the given number. */
    void insert(int length, boolean run) {
      change();
      int first = now().next();
      if (first < 0) {
        return;
      }
      int count = now().freeEnd(first, length) - first;
      try {
        if (!run || first < end()) {
          now().prepare(first, count);
          prepared.set(first - base, first - base + count);
        }
        used.set(first - base, first - base + count);
        now().take(first, count);
      } catch (OutOfMemoryError e) {
        failed(e);
      }
    }

    /** Releases the used indices from a place on, at most the given number. */
    void remove(int place, int length) {
      change();
      int[] indices = new int[Math.min(length, used.cardinality())];
      int count = 0;
      try {
        for (int i = used.nextSetBit(place); i >= 0 && count < indices.length; ) {
          if (!prepared.get(i)) {
            now().prepare(base + i, 1);
            prepared.set(i);
          }
          indices[count++] = base + i;
          i = used.nextSetBit(i + 1);
        }
      } catch (OutOfMemoryError e) {
        failed(e);
      }
      for (int i = 0; i < count; i++) {
        used.clear(indices[i] - base);
        prepared.clear(indices[i] - base);
      }
      if (count == 1) {
        now().release(indices[0]);
      } else if (count > 0) {
        // The last one need not come last.
        int swapped = indices[count / 2];
        indices[count / 2] = indices[count - 1];
        indices[count - 1] = swapped;
        now().release(indices, count);
      }
    }

    void removeAll() {
      while (!used.isEmpty()) {
        remove(0, 100);
      }
    }

    void check(int place, int step) {
      int end = base + used.length();
      same(end(), end, WHAT, step);
      same(now().count(), end - base - used.cardinality(), WHAT, step);
      boolean free = place < used.length() && !used.get(place);
      same(isFree(now(), base + place), free, WHAT, step);
      int next = base + used.nextClearBit(0);
      int found = now().next();
      same(found, next == end && found < 0 ? -1 : next, WHAT, step);
    }

    void checkExtents() {
      for (int at = used.nextClearBit(0); at < used.length(); ) {
        int stop = used.nextSetBit(at);
        same(now().freeEnd(base + at, Integer.MAX_VALUE), base + stop, WHAT, "last");
        at = used.nextClearBit(stop);
      }
    }

    private void failed(OutOfMemoryError e) {
      if (!scarce) {
        throw e;
      }
    }
  }

  private static boolean isFree(FreeIndices indices, int index) {
    return index < indices.end() && indices.freeEnd(index, 1) > index;
  }
}
