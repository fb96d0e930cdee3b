// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.testing.Quick.same;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.Handles;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.FailingMemory;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.testing.Rounds;

/** Which index comes next, and which indices of runs are dead. */
@Tag("AV-083")
class FreeIndicesTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int BLOCK = FreeIndexDirectory.BLOCK_SIZE;

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);

  @AfterEach
  void close() {
    memory.close();
  }

  /**
   * Singles and intervals come and go, in the course of which bitmaps come, grow and go, at the
   * lowest indices and at the highest ones there are.
   */
  @ParameterizedTest
  @CsvSource({
    "0, 200, 1, false",
    "0, 300000, 30000, false",
    "2147183646, 300000, 3000, false",
    "0, 5000, 40, true",
    "65000, 200000, 9000, true"
  })
  void lowestUnusedIndexWhateverComesAndGoes(int base, int size, int longest, boolean scarce) {
    Model model = new Model(base, size, scarce);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int step = 0; step < 30_000; step++) {
      if (scarce && random.nextInt(50) == 0) {
        memory.limit(random.nextInt(3) == 0 ? Long.MAX_VALUE : memory.held());
      }
      int growth = step / 5_000 % 2 == 0 ? 65 : 35;
      boolean single = random.nextInt(3) > 0;
      int length = single ? 1 : 1 + random.nextInt(1 + random.nextInt(longest));
      if (length > 1000 && random.nextBoolean()) {
        // Up to where a block ends, most of the time.
        length = BLOCK - (base + model.used.nextClearBit(0)) % BLOCK;
      }
      if (random.nextInt(100) < growth) {
        model.insert(length, single);
      } else {
        model.remove(random.nextInt(size), length);
      }
      model.check(random.nextInt(size), step);
    }
    memory.limit(Long.MAX_VALUE);
    model.checkIntervals();
    model.removeAll();
    assertThat(model.freeIndices.end()).isEqualTo(base);
    assertThat(model.freeIndices.count()).isZero();
    // The block that all end in keeps its bitmap.
    assertThat(model.freeIndices.usedBytes()).isLessThanOrEqualTo(base == 0 ? 0 : BLOCK / 8);
    assertThat(model.freeIndices.next()).isEqualTo(base);
  }

  @Test
  void neverUsedAgainIfSo() {
    FreeIndices freeIndices = new FreeIndices(allocator, false, 200);
    fill(freeIndices, 3);
    freeIndices.release(1);
    freeIndices.release(2);
    assertThat(freeIndices.next()).isEqualTo(3);
    freeIndices.takeRun(3, 196);
    // A run has nothing else that tells of its dead.
    release(freeIndices, 10, 20);
    freeIndices.releaseOfRun(198);
    assertThat(freeIndices.lookups().isFree(29)).isTrue();
    assertThat(freeIndices.lookups().isFree(30)).isFalse();
    assertThat(freeIndices.lookups().isFree(198)).isTrue();
    assertThat(freeIndices.endWithout(199)).isEqualTo(199);
    assertThat(freeIndices.next()).isEqualTo(199);
    assertThat(freeIndices.recordedFrom(0)).isEqualTo(10);
    assertThat(freeIndices.freeEnd(199)).isEqualTo(200);
    freeIndices.prepare(199);
    freeIndices.take(199);
    assertThat(freeIndices.next()).isEqualTo(-1);
    assertThat(freeIndices.recordedFrom(0)).isEqualTo(10);
  }

  @Test
  void noIndexBeyondTheCapacity() {
    FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
    freeIndices.prepareRun(0, Handles.MAX_ENTRIES);
    freeIndices.takeRun(0, Handles.MAX_ENTRIES);
    assertThat(freeIndices.next()).isEqualTo(-1);
    freeIndices.releaseOfRun(Handles.MAX_ENTRIES - 2);
    assertThat(freeIndices.next()).isEqualTo(Handles.MAX_ENTRIES - 2);
    assertThat(freeIndices.freeEnd(Handles.MAX_ENTRIES - 2)).isEqualTo(Handles.MAX_ENTRIES - 1);
    freeIndices.releaseOfRun(Handles.MAX_ENTRIES - 1);
    assertThat(freeIndices.end()).isEqualTo(Handles.MAX_ENTRIES - 2);
  }

  @Test
  void millionFreeIndicesBecomeNothingAtOnce() {
    FreeIndices freeIndices = new FreeIndices(allocator, true, 2_000_000);
    fill(freeIndices, 1_000_000);
    for (int i = 0; i < 999_999; i++) {
      freeIndices.release(i);
    }
    assertThat(freeIndices.next()).isZero();
    assertThat(freeIndices.end()).isEqualTo(1_000_000);
    assertThat(freeIndices.endWithout(999_999)).isZero();
    freeIndices.release(999_999);
    assertThat(freeIndices.end()).isZero();
    fill(freeIndices, 100);
    freeIndices.release(70);
    assertThat(freeIndices.next()).isEqualTo(70);
  }

  @Test
  void intervalsMayBeginAndEndWhereBlocksDo() {
    int[] places = {
      0, 1, BLOCK - 1, BLOCK, BLOCK + 1, 2 * BLOCK, 3 * BLOCK - 1, 3 * BLOCK, 200_000
    };
    for (int end : places) {
      for (int from : places) {
        for (int to : places) {
          if (from < to && to < end) {
            try (ArenaMemory own = new ArenaMemory(Long.MAX_VALUE)) {
              FreeIndices freeIndices = new FreeIndices(new SlabAllocator(own), true, 1 << 20);
              freeIndices.takeRun(0, end);
              release(freeIndices, from, to - from);
              String what = from + " to " + to + " of " + end;
              assertThat(freeIndices.next()).as(what).isEqualTo(from);
              assertThat(freeIndices.freeEnd(from)).as(what).isEqualTo(to);
              assertThat(freeIndices.recordedFrom(to)).as(what).isEqualTo(end);
              assertThat(freeIndices.count()).as(what).isEqualTo(to - from);
              release(freeIndices, to, end - to);
              assertThat(freeIndices.end()).as(what).isEqualTo(from);
              // Only the block that all end in has anything.
              assertThat(freeIndices.usedBytes())
                  .as(what)
                  .isLessThanOrEqualTo(from % BLOCK == 0 ? 0 : BLOCK / 8);
              freeIndices.takeRun(from, end - from);
              assertThat(freeIndices.lookups().isFree(to - 1)).as(what).isFalse();
              assertThat(freeIndices.end()).as(what).isEqualTo(end);
            }
          }
        }
      }
    }
  }

  @Test
  void sizesOfWhatIsFree() {
    FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
    long before = allocator.usedBytes();
    freeIndices.takeRun(0, Handles.MAX_ENTRIES);
    assertThat(allocator.usedBytes()).isEqualTo(before);
    SplittableRandom random = new SplittableRandom(SEED);
    BitSet dead = new BitSet();
    int start = 5 * BLOCK;
    freeIndices.releaseOfRun(start);
    dead.set(0);
    // The first free index brings the top and a leaf of 32 blocks.
    assertThat(allocator.usedBytes() - before).isLessThanOrEqualTo(64 + 1536 + 128);
    long leading = allocator.usedBytes() - 128;
    int most = 0;
    while (dead.cardinality() < BLOCK - 1) {
      int low = dead.nextClearBit(random.nextInt(1024 + 4 * dead.cardinality()));
      if (low < BLOCK) {
        freeIndices.releaseOfRun(start + low);
        dead.set(low);
        most = Math.max(most, low);
        int room = Math.max(1024, Integer.highestOneBit(most) << 1);
        same(allocator.usedBytes() - leading, room / 8, "bytes for %s", most);
        same(freeIndices.usedBytes(), allocator.usedBytes() - before, "usedBytes");
        same(freeIndices.isWhollyFree(start), false, "isWhollyFree");
      }
    }
    freeIndices.releaseOfRun(start + dead.nextClearBit(0));
    assertThat(freeIndices.isWhollyFree(start + 17)).isTrue();
    assertThat(allocator.usedBytes()).isEqualTo(leading);
    // What is taken of such a block brings it back, but for all of it.
    freeIndices.prepareRun(start, 1);
    freeIndices.takeRun(start, 1);
    assertThat(allocator.usedBytes() - leading).isEqualTo(BLOCK / 8);
    freeIndices.takeRun(start + 1, BLOCK - 1);
    assertThat(freeIndices.count()).isZero();
    release(freeIndices, start, BLOCK);
    assertThat(allocator.usedBytes()).isEqualTo(leading);
    freeIndices.prepareRun(start, BLOCK);
    freeIndices.takeRun(start, BLOCK);
    assertThat(allocator.usedBytes()).isEqualTo(leading);
    // Blocks that die as a whole take no more than a leaf for each 32.
    freeIndices.restoreFree(32 * BLOCK, 3232 * BLOCK);
    assertThat(allocator.usedBytes() - leading).isLessThanOrEqualTo(100 * 1536 + 896);
    assertThat(freeIndices.recordedFrom(7 * BLOCK)).isEqualTo(32 * BLOCK);
    assertThat(freeIndices.freeEnd(32 * BLOCK)).isEqualTo(3232 * BLOCK);
  }

  @Test
  void whatIsBeforeThePreparedIsPrepared() {
    for (int over = 500; over < 5000; over += 250) {
      FreeIndices freeIndices =
          new FreeIndices(
              new SlabAllocator(new ArenaMemory(Long.MAX_VALUE)), true, Handles.MAX_ENTRIES);
      int end = BLOCK + over;
      for (int first = 0; first < end; first += 128) {
        int next = Math.min(first + 128, end);
        freeIndices.prepare(next - 1);
        freeIndices.takeRun(first, next - first);
      }
      for (int index = end - 2; index >= 0; index--) {
        freeIndices.release(index);
      }
      assertThat(freeIndices.count()).isEqualTo(end - 1);
      assertThat(freeIndices.freeEnd(0)).isEqualTo(end - 1);
    }
  }

  @Test
  void whatWasNotPreparedIsRefused() {
    FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
    fill(freeIndices, 1024);
    freeIndices.takeRun(1024, 10);
    assertThatThrownBy(() -> freeIndices.release(1025))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("1025");
    assertThat(freeIndices.count()).isZero();
  }

  /** More than one mark stands for, less, and one of them. */
  @Test
  void comingAndGoingTakesNoMemory() {
    FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
    freeIndices.takeRun(0, 1_000_000);
    long held = 0;
    for (int round = 0; round < 500; round++) {
      int count = round % 3 == 0 ? 1030 : round % 3 == 1 ? 40 : 300;
      for (int i = 0; i < count; i++) {
        freeIndices.releaseOfRun(3 * i * 61 % 65_521);
      }
      assertThat(freeIndices.count()).isEqualTo(count);
      for (int i = 0; i < count; i++) {
        int next = freeIndices.next();
        freeIndices.prepare(next);
        freeIndices.take(next);
      }
      held = round == 5 ? memory.held() : held;
    }
    assertThat(memory.held()).isEqualTo(held);
    assertThat(freeIndices.usedBytes()).isEqualTo(BLOCK / 8);
  }

  /** One index comes and goes where all others of its block are free: nothing is made for it. */
  @ParameterizedTest
  @CsvSource({"0, 1", "3, 1", "3, 2", "3, 700"})
  void comingAndGoingInFreeBlockMovesNothing(int block, int several) {
    FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
    freeIndices.takeRun(0, 8 * BLOCK);
    release(freeIndices, 5 * BLOCK, BLOCK);
    release(freeIndices, block * BLOCK, BLOCK);
    long cleared = 0;
    for (int round = 0; round < 1_000; round++) {
      for (int i = 0; i < several; i++) {
        int next = freeIndices.next();
        same(next, block * BLOCK + i, "next");
        freeIndices.prepare(next);
        freeIndices.take(next);
      }
      for (int i = 0; i < several; i++) {
        freeIndices.release(block * BLOCK + i);
      }
      cleared = round == 0 ? allocator.clearedBytes() : cleared;
    }
    assertThat(allocator.clearedBytes()).isEqualTo(cleared);
    assertThat(freeIndices.count()).isEqualTo(2 * BLOCK);
  }

  @Test
  void whatFailsChangesNothing() {
    int failures = 0;
    for (int index : new int[] {0, 10, 1024, BLOCK - 1, BLOCK, 33 * BLOCK}) {
      for (int failing = 0; failsAt(failing, index); failing++) {
        failures++;
      }
    }
    assertThat(failures).isGreaterThan(12);
  }

  @Test
  void manyThatDieInAnyOrderAreFreeInTheirBlocks() {
    SplittableRandom random = new SplittableRandom(SEED);
    int size = 4 * BLOCK;
    FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
    fill(freeIndices, size);
    BitSet free = new BitSet();
    int[] together = new int[128];
    for (int round = 0; round < 6; round++) {
      int left = round % 2 == 0 ? 100 : size / 2;
      int end = freeIndices.end();
      int[] order = random.ints(size, 0, end).distinct().filter(i -> !free.get(i)).toArray();
      for (int from = 0; from < order.length - left; from += together.length) {
        int count = Math.min(together.length, order.length - from);
        System.arraycopy(order, from, together, 0, count);
        freeIndices.release(together, count);
        for (int i = 0; i < count; i++) {
          free.set(together[i]);
        }
      }
      checkFree(freeIndices, free);
      int wanted = random.nextInt(free.cardinality());
      for (int i = 0; i < wanted; i++) {
        int next = freeIndices.next();
        same(next, free.nextSetBit(0), "-Dofi4j.seed=%s", SEED);
        freeIndices.prepare(next);
        freeIndices.take(next);
        free.clear(next);
      }
      checkFree(freeIndices, free);
    }
  }

  /** What is free below the end. */
  private static void checkFree(FreeIndices freeIndices, BitSet free) {
    free.clear(freeIndices.end(), Math.max(freeIndices.end(), free.length()));
    assertThat(freeIndices.count()).as("-Dofi4j.seed=%s", SEED).isEqualTo(free.cardinality());
    for (int i = 0; i < freeIndices.end(); i++) {
      if (freeIndices.lookups().isFree(i) != free.get(i)) {
        throw new AssertionError("index " + i + ", -Dofi4j.seed=" + SEED);
      }
    }
  }

  @Test
  void whatHasSlotsIsReleasedWithoutMemory() {
    FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
    fill(freeIndices, 3 * BLOCK);
    freeIndices.takeRun(3 * BLOCK, 10);
    exhaust(memory, allocator);
    for (int i = 1; i < 3 * BLOCK; i += 2) {
      freeIndices.release(i);
    }
    for (int i = 0; i < 3 * BLOCK; i += 2) {
      freeIndices.release(i);
    }
    assertThat(freeIndices.count()).isEqualTo(3 * BLOCK);
    assertThat(freeIndices.freeEnd(0)).isEqualTo(3 * BLOCK);
    assertThatThrownBy(() -> freeIndices.releaseOfRun(3 * BLOCK + 5))
        .isInstanceOf(OutOfMemoryError.class);
    fillFrom(freeIndices, 0, 3 * BLOCK);
    assertThat(freeIndices.count()).isZero();
    assertThat(freeIndices.next()).isEqualTo(3 * BLOCK + 10);
  }

  @Test
  void generationsAreThoseOfTheBlocks() {
    FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
    freeIndices.takeRun(0, Handles.MAX_ENTRIES);
    assertThat(freeIndices.lookups().nextGeneration(0, Handles.MAX_ENTRIES)).isZero();
    int far = 20_000 * BLOCK;
    freeIndices.releaseOfRun(far + 5);
    freeIndices.forget(far + 5, 0);
    assertThat(freeIndices.lookups().nextGeneration(far + 9, 1)).isEqualTo(1);
    freeIndices.forget(far + 7, 41);
    freeIndices.forget(far + 5, 7);
    assertThat(freeIndices.lookups().nextGeneration(far - 5, 5)).isZero();
    assertThat(freeIndices.lookups().nextGeneration(far - 5, 6)).isEqualTo(42);
    assertThat(freeIndices.lookups().nextGeneration(0, Handles.MAX_ENTRIES)).isEqualTo(42);
    freeIndices.forget(far + 5, Integer.MAX_VALUE);
    assertThat(freeIndices.lookups().nextGeneration(far + 1, 1)).isEqualTo(1L << 31);
    assertThat(freeIndices.lookups().nextGeneration(0, 19_999 * BLOCK)).isZero();
  }

  /**
   * In one block most indices are free all the while, in another one none of the odd ones ever is;
   * the bitmaps of both come and go, and what one leaves becomes the other's.
   */
  @Test
  void readersSeeWhatWasSoDuringTheirCall() throws InterruptedException {
    FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
    freeIndices.takeRun(0, 3 * BLOCK);
    freeIndices.restoreFree(BLOCK, 2 * BLOCK);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<String> wrong = new AtomicReference<>();
    AtomicLong changes = new AtomicLong();
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              SplittableRandom random = new SplittableRandom(SEED);
              boolean before = false;
              while (!stop.get() && wrong.get() == null) {
                int always = BLOCK + 500 + random.nextInt(BLOCK - 500);
                int odd = 3 * BLOCK + 2 * random.nextInt(BLOCK / 2) + 1;
                boolean now = freeIndices.lookups().isFree(BLOCK + 20);
                if (!freeIndices.lookups().isFree(always)) {
                  wrong.set("free index " + always + " is not");
                } else if (freeIndices.lookups().isFree(odd)) {
                  wrong.set("used index " + odd + " is free");
                }
                changes.addAndGet(now == before ? 0 : 1);
                before = now;
              }
            });
    SplittableRandom random = new SplittableRandom(SEED);
    long deadline = System.nanoTime() + Rounds.of("ofi4j.readers", 200, 500) * 1_000_000L;
    // However slow the machine is, the reader has to see something.
    while ((System.nanoTime() < deadline || changes.get() == 0) && reader.isAlive()) {
      int run = 33_000;
      freeIndices.takeRun(3 * BLOCK, run);
      for (int low = 2 * random.nextInt(500); low < run - 1; low += 2 + 2 * random.nextInt(3_000)) {
        freeIndices.releaseOfRun(3 * BLOCK + low);
      }
      freeIndices.prepareRun(BLOCK, 500);
      freeIndices.takeRun(BLOCK, 500);
      while (freeIndices.end() > 3 * BLOCK) {
        freeIndices.releaseOfRun(freeIndices.end() - 1);
      }
      release(freeIndices, BLOCK, 500);
    }
    stop.set(true);
    reader.join();
    assertThat(wrong.get()).as("-Dofi4j.seed=%s", SEED).isNull();
    assertThat(changes).hasPositiveValue();
  }

  /** Whether an entry of a run cannot be released when one allocation fails; and then checks. */
  private static boolean failsAt(int failing, int index) {
    FailingMemory source = new FailingMemory(1 + failing);
    try (source) {
      SlabAllocator allocator = new SlabAllocator(source);
      FreeIndices freeIndices = new FreeIndices(allocator, true, Handles.MAX_ENTRIES);
      freeIndices.takeRun(0, 40 * BLOCK);
      boolean failed = false;
      try {
        freeIndices.releaseOfRun(index);
      } catch (OutOfMemoryError e) {
        failed = true;
        assertThat(freeIndices.count()).isZero();
        assertThat(freeIndices.recordedFrom(0)).isEqualTo(40 * BLOCK);
        assertThat(freeIndices.lookups().isFree(index)).isFalse();
        freeIndices.releaseOfRun(index);
      }
      assertThat(freeIndices.count()).isEqualTo(1);
      assertThat(freeIndices.next()).isEqualTo(index);
      assertThat(freeIndices.freeEnd(index)).isEqualTo(index + 1);
      return failed;
    }
  }

  /** Leaves not a unit. */
  private static void exhaust(ArenaMemory memory, SlabAllocator allocator) {
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

  private static void fill(FreeIndices freeIndices, int count) {
    fillFrom(freeIndices, 0, count);
  }

  private static void fillFrom(FreeIndices freeIndices, int first, int end) {
    for (int i = first; i < end; i++) {
      same(freeIndices.next(), i, "next");
      freeIndices.prepare(i);
      freeIndices.take(i);
    }
  }

  /** Lets entries of runs die. */
  private static void release(FreeIndices freeIndices, int first, int count) {
    for (int i = 0; i < count; i++) {
      freeIndices.releaseOfRun(first + i);
    }
  }

  /** What should be so, above indices that are all used. */
  private final class Model {
    private final int base;
    private final boolean scarce;
    private final BitSet used = new BitSet();
    private final BitSet slots = new BitSet();
    private final FreeIndices freeIndices;

    Model(int base, int size, boolean scarce) {
      this.base = base;
      this.scarce = scarce;
      int capacity = Math.min(base + size, Handles.MAX_ENTRIES);
      freeIndices = new FreeIndices(allocator, true, capacity);
      freeIndices.prepareRun(0, base);
      freeIndices.takeRun(0, base);
    }

    /** Takes the lowest indices, at most so many. */
    void insert(int length, boolean single) {
      int first = freeIndices.next();
      if (first < 0) {
        return;
      }
      try {
        if (single) {
          freeIndices.prepare(first);
          used.set(first - base);
          slots.set(first - base);
          freeIndices.take(first);
        } else {
          assertThat(freeIndices.recordedFrom(0)).isEqualTo(first);
          int count = Math.min(freeIndices.freeEnd(first) - first, length);
          freeIndices.prepareRun(first, count);
          used.set(first - base, first - base + count);
          freeIndices.takeRun(first, count);
        }
      } catch (OutOfMemoryError e) {
        failed(e);
      }
    }

    /** Releases the used indices that begin at or behind a place, at most so many. */
    void remove(int place, int length) {
      int first = used.nextSetBit(place);
      if (first < 0) {
        return;
      }
      if (slots.get(first)) {
        if (length % 2 == 0) {
          releaseTogether(first, length);
        } else {
          used.clear(first);
          slots.clear(first);
          freeIndices.release(base + first);
        }
        return;
      }
      int stop = Math.min(used.nextClearBit(first), first + length);
      int slot = slots.nextSetBit(first);
      stop = slot < 0 ? stop : Math.min(stop, slot);
      // From the last one on, as the end comes down without memory.
      for (int i = stop - 1; i >= first; i--) {
        int end = freeIndices.endWithout(base + i);
        boolean last = base + i == freeIndices.end() - 1;
        try {
          freeIndices.releaseOfRun(base + i);
        } catch (OutOfMemoryError e) {
          failed(e);
          return;
        }
        used.clear(i);
        if (last) {
          same(freeIndices.end(), end, "end");
        }
      }
    }

    private void releaseTogether(int first, int length) {
      int[] indices = new int[Math.min(length, slots.cardinality())];
      int count = 0;
      for (int i = first; i >= 0 && count < indices.length; i = slots.nextSetBit(i + 1)) {
        indices[count++] = base + i;
        used.clear(i);
        slots.clear(i);
      }
      // The last one need not come last.
      int swapped = indices[count / 2];
      indices[count / 2] = indices[count - 1];
      indices[count - 1] = swapped;
      freeIndices.release(indices, count);
    }

    void removeAll() {
      for (int i = used.nextSetBit(0); i >= 0; i = used.nextSetBit(0)) {
        remove(i, Integer.MAX_VALUE - base - i);
      }
    }

    void check(int place, int step) {
      String what = "step %s with -Dofi4j.seed=%s";
      int end = base + used.length();
      same(freeIndices.end(), end, what, step, SEED);
      same(freeIndices.count(), end - base - used.cardinality(), what, step, SEED);
      boolean free = place < used.length() && !used.get(place);
      same(freeIndices.lookups().isFree(base + place), free, what, step, SEED);
      if (place <= used.length()) {
        int from = freeIndices.recordedFrom(base + place);
        same(from, base + used.nextClearBit(place), what, step, SEED);
      }
      int next = base + used.nextClearBit(0);
      int found = freeIndices.next();
      same(found, next == freeIndices.end() && found < 0 ? -1 : next, what, step, SEED);
    }

    void checkIntervals() {
      String what = "-Dofi4j.seed=" + SEED;
      int at = freeIndices.recordedFrom(0);
      int expected = used.nextClearBit(0);
      while (at < freeIndices.end()) {
        same(at, base + expected, what);
        int stop = used.nextSetBit(expected);
        stop = stop < 0 ? freeIndices.end() - base : stop;
        same(freeIndices.freeEnd(at), base + stop, what);
        at = freeIndices.recordedFrom(base + stop);
        expected = used.nextClearBit(stop);
      }
    }

    private void failed(OutOfMemoryError e) {
      if (!scarce) {
        throw e;
      }
    }
  }
}
