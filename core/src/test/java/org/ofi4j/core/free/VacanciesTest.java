// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.BitSet;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.Handles;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.FailingMemory;
import org.ofi4j.core.memory.SlabAllocator;

/** Which index comes next, and which indices of runs are dead. */
@Tag("AV-083")
@Timeout(60)
class VacanciesTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int BLOCK = VacancyBlocks.SIZE;

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);

  @AfterEach
  void close() {
    memory.close();
  }

  /**
   * Singles and intervals come and go, in the course of which blocks take all representations, at
   * the lowest indices and at the highest ones there are.
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
    for (int step = 0; step < 60_000; step++) {
      if (scarce && random.nextInt(50) == 0) {
        memory.limit(random.nextInt(3) == 0 ? Long.MAX_VALUE : memory.held());
      }
      int growth = step / 10_000 % 2 == 0 ? 65 : 35;
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
    assertThat(model.vacancies.end()).isEqualTo(base);
    assertThat(model.vacancies.count()).isZero();
    assertThat(model.vacancies.usedBytes()).isZero();
    assertThat(model.vacancies.next()).isEqualTo(base);
  }

  @Test
  void neverUsedAgainIfSo() {
    Vacancies vacancies = new Vacancies(allocator, false, 200, i -> false);
    fill(vacancies, 3);
    vacancies.release(1);
    vacancies.release(2);
    assertThat(vacancies.next()).isEqualTo(3);
    vacancies.takeRun(3, 196);
    // A run has nothing else that tells of its dead.
    vacancies.releaseRun(10, 20);
    vacancies.releaseRun(198, 1);
    assertThat(vacancies.lookups().isVacant(29)).isTrue();
    assertThat(vacancies.lookups().isVacant(30)).isFalse();
    assertThat(vacancies.lookups().isVacant(198)).isTrue();
    assertThat(vacancies.endWithout(199)).isEqualTo(199);
    assertThat(vacancies.next()).isEqualTo(199);
    assertThat(vacancies.vacantFrom(0)).isEqualTo(199);
    assertThat(vacancies.vacantEnd(199)).isEqualTo(200);
    vacancies.prepare(199);
    vacancies.take(199);
    assertThat(vacancies.next()).isEqualTo(-1);
    assertThat(vacancies.vacantFrom(0)).isEqualTo(200);
  }

  @Test
  void noIndexBeyondTheCapacity() {
    Vacancies vacancies = new Vacancies(allocator, true, Handles.MAX_ENTRIES, i -> false);
    vacancies.prepareRun(0, Handles.MAX_ENTRIES);
    vacancies.takeRun(0, Handles.MAX_ENTRIES);
    assertThat(vacancies.next()).isEqualTo(-1);
    vacancies.releaseRun(Handles.MAX_ENTRIES - 2, 1);
    assertThat(vacancies.next()).isEqualTo(Handles.MAX_ENTRIES - 2);
    assertThat(vacancies.vacantEnd(Handles.MAX_ENTRIES - 2)).isEqualTo(Handles.MAX_ENTRIES - 1);
    vacancies.releaseRun(Handles.MAX_ENTRIES - 1, 1);
    assertThat(vacancies.end()).isEqualTo(Handles.MAX_ENTRIES - 2);
  }

  @Test
  void millionVacanciesBecomeNothingAtOnce() {
    Vacancies vacancies = new Vacancies(allocator, true, 2_000_000, i -> false);
    fill(vacancies, 1_000_000);
    for (int i = 0; i < 999_999; i++) {
      vacancies.release(i);
    }
    assertThat(vacancies.next()).isZero();
    assertThat(vacancies.end()).isEqualTo(1_000_000);
    assertThat(vacancies.endWithout(999_999)).isZero();
    vacancies.release(999_999);
    assertThat(vacancies.end()).isZero();
    fill(vacancies, 100);
    vacancies.release(70);
    assertThat(vacancies.next()).isEqualTo(70);
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
              Vacancies vacancies =
                  new Vacancies(new SlabAllocator(own), true, 1 << 20, i -> false);
              vacancies.takeRun(0, end);
              vacancies.releaseRun(from, to - from);
              String what = from + " to " + to + " of " + end;
              assertThat(vacancies.next()).as(what).isEqualTo(from);
              assertThat(vacancies.vacantEnd(from)).as(what).isEqualTo(to);
              assertThat(vacancies.vacantFrom(to)).as(what).isEqualTo(end);
              assertThat(vacancies.count()).as(what).isEqualTo(to - from);
              vacancies.releaseRun(to, end - to);
              assertThat(vacancies.end()).as(what).isEqualTo(from);
              assertThat(vacancies.usedBytes()).as(what).isZero();
              vacancies.takeRun(from, end - from);
              assertThat(vacancies.lookups().isVacant(to - 1)).as(what).isFalse();
              assertThat(vacancies.end()).as(what).isEqualTo(end);
            }
          }
        }
      }
    }
  }

  @Test
  void sizesOfWhatIsVacant() {
    Vacancies vacancies = new Vacancies(allocator, true, Handles.MAX_ENTRIES, i -> false);
    long before = allocator.usedBytes();
    vacancies.takeRun(0, Handles.MAX_ENTRIES);
    assertThat(allocator.usedBytes()).isEqualTo(before);
    SplittableRandom random = new SplittableRandom(SEED);
    BitSet dead = new BitSet();
    int start = 5 * BLOCK;
    vacancies.releaseRun(start, 1);
    dead.set(0);
    // The first vacancy brings the top and a leaf of 32 blocks.
    assertThat(allocator.usedBytes() - before).isLessThanOrEqualTo(64 + 1536 + 64);
    long leading = allocator.usedBytes() - 64;
    while (dead.cardinality() < BLOCK - 1) {
      int low = dead.nextClearBit(random.nextInt(BLOCK));
      if (low < BLOCK) {
        vacancies.releaseRun(start + low, 1);
        dead.set(low);
        int count = dead.cardinality();
        long bytes = allocator.usedBytes() - leading;
        if (count <= 1024) {
          assertThat(bytes).as("%s vacant", count).isLessThanOrEqualTo(64 + 8L * count);
        } else {
          assertThat(bytes).as("%s vacant", count).isLessThanOrEqualTo(BLOCK / 8 + 192);
        }
        assertThat(vacancies.usedBytes()).isEqualTo(allocator.usedBytes() - before);
        assertThat(vacancies.isWhollyVacant(start)).isFalse();
      }
    }
    // As long as it is the lowest with vacancies it keeps its bitmap.
    vacancies.releaseRun(start + dead.nextClearBit(0), 1);
    assertThat(vacancies.isWhollyVacant(start + 17)).isTrue();
    assertThat(allocator.usedBytes() - leading).isEqualTo(BLOCK / 8 + 192);
    vacancies.releaseRun(2 * BLOCK, BLOCK - 1);
    assertThat(allocator.usedBytes() - leading).isEqualTo(2 * (BLOCK / 8 + 192));
    vacancies.releaseRun(3 * BLOCK - 1, 1);
    assertThat(vacancies.isWhollyVacant(start + 17)).isTrue();
    assertThat(vacancies.isWhollyVacant(2 * BLOCK)).isTrue();
    assertThat(allocator.usedBytes() - leading).isEqualTo(BLOCK / 8 + 192);
    vacancies.takeRun(2 * BLOCK, BLOCK);
    assertThat(allocator.usedBytes()).isEqualTo(leading);
    // Blocks that die as a whole take no more than a leaf for each 32.
    vacancies.releaseRun(32 * BLOCK, 3200 * BLOCK);
    assertThat(allocator.usedBytes() - leading).isLessThanOrEqualTo(100 * 1536 + 448);
    assertThat(vacancies.vacantFrom(7 * BLOCK)).isEqualTo(32 * BLOCK);
    assertThat(vacancies.vacantEnd(32 * BLOCK)).isEqualTo(3232 * BLOCK);
  }

  /** Each fills or empties a block just across a limit at which its representation changes. */
  @Test
  void comingAndGoingTakesNoMemory() {
    Vacancies vacancies = new Vacancies(allocator, true, Handles.MAX_ENTRIES, i -> false);
    vacancies.takeRun(0, 1_000_000);
    long held = 0;
    for (int round = 0; round < 2_000; round++) {
      int count = round % 3 == 0 ? 1030 : round % 3 == 1 ? 40 : 300;
      for (int i = 0; i < count; i++) {
        vacancies.releaseRun(3 * i * 61 % 65_521, 1);
      }
      assertThat(vacancies.count()).isEqualTo(count);
      for (int i = 0; i < count; i++) {
        int next = vacancies.next();
        vacancies.prepare(next);
        vacancies.take(next);
      }
      held = round == 5 ? memory.held() : held;
    }
    assertThat(memory.held()).isEqualTo(held);
    assertThat(vacancies.usedBytes()).isZero();
  }

  /** One index comes and goes where all others of its block are vacant: nothing is made for it. */
  @ParameterizedTest
  @CsvSource({"0, 1", "3, 1", "3, 2", "3, 700"})
  void comingAndGoingInVacantBlockMovesNothing(int block, int several) {
    Vacancies vacancies = new Vacancies(allocator, true, Handles.MAX_ENTRIES, i -> false);
    vacancies.takeRun(0, 8 * BLOCK);
    vacancies.releaseRun(5 * BLOCK, BLOCK);
    vacancies.releaseRun(block * BLOCK, BLOCK);
    long cleared = 0;
    for (int round = 0; round < 1_000; round++) {
      for (int i = 0; i < several; i++) {
        int next = vacancies.next();
        assertThat(next).isEqualTo(block * BLOCK + i);
        vacancies.prepare(next);
        vacancies.take(next);
      }
      for (int i = 0; i < several; i++) {
        vacancies.release(block * BLOCK + i);
      }
      assertThat(vacancies.isWhollyVacant(block * BLOCK)).isTrue();
      cleared = round == 0 ? allocator.clearedBytes() : cleared;
    }
    assertThat(allocator.clearedBytes()).isEqualTo(cleared);
    assertThat(vacancies.count()).isEqualTo(2 * BLOCK);
  }

  /**
   * An interval over several blocks, when there is memory for some of what it takes: for so many
   * bitmaps, summaries, leaves and arrays.
   */
  @ParameterizedTest
  @CsvSource({
    "10000, 100000, 199990", "10000, 100000, 10", "10, 3, 9000", "65000, 2000, 70000",
    "65530, 65550, 199990", "65536, 70000, 7", "60000, 300000, 390000", "1, 131070, 199990"
  })
  void releaseThatIsRefusedChangesNothing(int first, int count, int other) {
    int refused = 0;
    for (int bits = 0; bits < 3 * 3 * 4 * 3; bits++) {
      int bitmaps = bits % 3;
      int summaries = bits / 3 % 3;
      int arrays = bits / 9 % 4;
      int leaves = bits / 36;
      String what = bitmaps + " bitmaps, " + summaries + " summaries, " + leaves + " leaves";
      try (ArenaMemory own = new ArenaMemory(Long.MAX_VALUE)) {
        SlabAllocator small = new SlabAllocator(own);
        Vacancies vacancies = new Vacancies(small, true, 1 << 20, i -> false);
        vacancies.takeRun(0, 400_000);
        vacancies.releaseRun(other, 1);
        int[] sizes = {VacantBitmaps.UNITS, VacantBitmaps.SUMMARY_UNITS, 1, 14};
        int[] numbers = {bitmaps, summaries, arrays, leaves};
        int[][] taken = new int[4][];
        for (int i = 0; i < 4; i++) {
          taken[i] = new int[numbers[i]];
          for (int j = 0; j < numbers[i]; j++) {
            taken[i][j] = small.allocate(sizes[i]);
          }
        }
        exhaust(own, small);
        for (int i = 0; i < 4; i++) {
          for (int unit : taken[i]) {
            small.free(unit, sizes[i]);
          }
        }
        try {
          vacancies.releaseRun(first, count);
          assertThat(vacancies.count()).as(what).isEqualTo(count + 1);
          assertThat(vacancies.next()).as(what).isEqualTo(Math.min(first, other));
        } catch (OutOfMemoryError e) {
          refused++;
          assertThat(vacancies.count()).as(what).isEqualTo(1);
          assertThat(vacancies.next()).as(what).isEqualTo(other);
          assertThat(vacancies.vacantFrom(0)).as(what).isEqualTo(other);
          assertThat(vacancies.vacantEnd(other)).as(what).isEqualTo(other + 1);
          assertThat(vacancies.vacantFrom(other + 1)).as(what).isEqualTo(400_000);
          vacancies.prepare(other);
          vacancies.take(other);
          assertThat(vacancies.next()).as(what).isEqualTo(400_000);
          assertThat(vacancies.endWithout(400_000)).as(what).isEqualTo(400_000);
          own.limit(Long.MAX_VALUE);
          vacancies.releaseRun(first, count);
          assertThat(vacancies.next()).as(what).isEqualTo(first);
          assertThat(vacancies.vacantEnd(first)).as(what).isEqualTo(first + count);
        }
      }
    }
    assertThat(refused).isPositive();
  }

  @Test
  void whatFailsChangesNothing() {
    int failures = 0;
    for (int first : new int[] {0, 10, BLOCK - 1, BLOCK}) {
      for (int count :
          new int[] {1, 3, 1000, 1100, BLOCK - 1, BLOCK, BLOCK + 1, 5 * BLOCK + 2000}) {
        for (int failing = 0; failsAt(failing, first, count); failing++) {
          failures++;
        }
      }
    }
    assertThat(failures).isGreaterThan(50);
  }

  @Test
  void manyThatDieInAnyOrderAreVacantInTheirBlocks() {
    SplittableRandom random = new SplittableRandom(SEED);
    int size = 4 * BLOCK;
    Vacancies vacancies = new Vacancies(allocator, true, Handles.MAX_ENTRIES, i -> false);
    fill(vacancies, size);
    BitSet vacant = new BitSet();
    int[] together = new int[128];
    // Bitmaps come, are full, become arrays and go, while others are where they were.
    for (int round = 0; round < 6; round++) {
      int left = round % 2 == 0 ? 100 : size / 2;
      int end = vacancies.end();
      int[] order = random.ints(size, 0, end).distinct().filter(i -> !vacant.get(i)).toArray();
      for (int from = 0; from < order.length - left; from += together.length) {
        int count = Math.min(together.length, order.length - from);
        System.arraycopy(order, from, together, 0, count);
        vacancies.release(together, count);
        for (int i = 0; i < count; i++) {
          vacant.set(together[i]);
        }
      }
      checkVacant(vacancies, vacant);
      int wanted = random.nextInt(vacant.cardinality());
      for (int i = 0; i < wanted; i++) {
        int next = vacancies.next();
        assertThat(next).as("-Dofi4j.seed=%s", SEED).isEqualTo(vacant.nextSetBit(0));
        vacancies.prepare(next);
        vacancies.take(next);
        vacant.clear(next);
      }
      checkVacant(vacancies, vacant);
    }
  }

  /** What is vacant below the end. */
  private static void checkVacant(Vacancies vacancies, BitSet vacant) {
    vacant.clear(vacancies.end(), Math.max(vacancies.end(), vacant.length()));
    assertThat(vacancies.count()).as("-Dofi4j.seed=%s", SEED).isEqualTo(vacant.cardinality());
    for (int i = 0; i < vacancies.end(); i++) {
      if (vacancies.lookups().isVacant(i) != vacant.get(i)) {
        throw new AssertionError("index " + i + ", -Dofi4j.seed=" + SEED);
      }
    }
  }

  @Test
  void whatHasSlotsIsReleasedWithoutMemory() {
    BitSet used = new BitSet();
    Vacancies vacancies = new Vacancies(allocator, true, Handles.MAX_ENTRIES, i -> !used.get(i));
    fill(vacancies, 3 * BLOCK);
    used.set(0, 3 * BLOCK);
    exhaust(memory, allocator);
    for (int index : new int[] {BLOCK + 9, BLOCK + 7, 2 * BLOCK, BLOCK + 8}) {
      used.clear(index);
      vacancies.release(index);
    }
    assertThat(vacancies.count()).isEqualTo(4);
    assertThatThrownBy(() -> vacancies.vacantFrom(0)).isInstanceOf(OutOfMemoryError.class);
    assertThatThrownBy(() -> vacancies.releaseRun(5, 1)).isInstanceOf(OutOfMemoryError.class);
    takeNext(vacancies, used, BLOCK + 7);
    takeNext(vacancies, used, BLOCK + 8);
    memory.limit(Long.MAX_VALUE);
    takeNext(vacancies, used, BLOCK + 9);
    assertThat(vacancies.vacantFrom(0)).isEqualTo(2 * BLOCK);
    takeNext(vacancies, used, 2 * BLOCK);
    assertThat(vacancies.count()).isZero();
    takeNext(vacancies, used, 3 * BLOCK);
  }

  @Test
  void generationsAreThoseOfTheBlocks() {
    Vacancies vacancies = new Vacancies(allocator, true, Handles.MAX_ENTRIES, i -> false);
    vacancies.takeRun(0, Handles.MAX_ENTRIES);
    assertThat(vacancies.lookups().nextGeneration(0, Handles.MAX_ENTRIES)).isZero();
    int far = 20_000 * BLOCK;
    vacancies.releaseRun(far + 5, 1);
    vacancies.forget(far + 5, 0);
    assertThat(vacancies.lookups().nextGeneration(far + 9, 1)).isEqualTo(1);
    vacancies.forget(far + 7, 41);
    vacancies.forget(far + 5, 7);
    assertThat(vacancies.lookups().nextGeneration(far - 5, 5)).isZero();
    assertThat(vacancies.lookups().nextGeneration(far - 5, 6)).isEqualTo(42);
    assertThat(vacancies.lookups().nextGeneration(0, Handles.MAX_ENTRIES)).isEqualTo(42);
    vacancies.forget(far + 5, Integer.MAX_VALUE);
    assertThat(vacancies.lookups().nextGeneration(far + 1, 1)).isEqualTo(1L << 31);
    assertThat(vacancies.lookups().nextGeneration(0, 19_999 * BLOCK)).isZero();
  }

  @Test
  void straysChangeTheEpochOfTheirBlock() {
    Vacancies vacancies = new Vacancies(allocator, true, Handles.MAX_ENTRIES, i -> false);
    vacancies.takeRun(0, 3 * BLOCK);
    vacancies.releaseRun(BLOCK + 1, 2);
    int index = vacancies.next();
    vacancies.prepare(index);
    int epoch = vacancies.lookups().epoch(index);
    vacancies.addStray(index);
    assertThat(vacancies.lookups().epoch(BLOCK)).isNotEqualTo(epoch);
    assertThat(vacancies.lookups().look(index)).isEqualTo(VacancyLookups.VACANT);
    assertThat(vacancies.lookups().look(BLOCK)).isEqualTo(VacancyLookups.BESIDE_STRAYS);
    assertThat(vacancies.lookups().look(BLOCK - 1)).isEqualTo(VacancyLookups.USED);
    vacancies.take(index);
    assertThat(vacancies.lookups().look(index)).isEqualTo(VacancyLookups.BESIDE_STRAYS);
    epoch = vacancies.lookups().epoch(index);
    vacancies.releaseRun(index, 1);
    vacancies.removeStray(index);
    assertThat(vacancies.lookups().epoch(index)).isNotEqualTo(epoch);
    assertThat(vacancies.lookups().look(BLOCK)).isEqualTo(VacancyLookups.USED);
  }

  /**
   * In one block an index is vacant all the while, odd ones never are, and others change, so that
   * the block takes an array's form and a bitmap's, and its memory is used for other blocks.
   */
  @Test
  void readersSeeWhatWasSoDuringTheirCall() throws InterruptedException {
    Vacancies vacancies = new Vacancies(allocator, true, Handles.MAX_ENTRIES, i -> false);
    vacancies.takeRun(0, 4 * BLOCK);
    int always = BLOCK + 60_000;
    vacancies.releaseRun(always, 1);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<String> wrong = new AtomicReference<>();
    AtomicLong changes = new AtomicLong();
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              SplittableRandom random = new SplittableRandom(SEED);
              int before = 0;
              while (!stop.get() && wrong.get() == null) {
                int odd = BLOCK + 2 * random.nextInt(BLOCK / 2) + 1;
                int now = vacancies.lookups().look(BLOCK + 20);
                if (!vacancies.lookups().isVacant(always)) {
                  wrong.set("a vacant index is not");
                } else if (vacancies.lookups().isVacant(odd)) {
                  wrong.set("used index " + odd + " is vacant");
                }
                changes.addAndGet(now == before ? 0 : 1);
                before = now;
              }
            });
    SplittableRandom random = new SplittableRandom(SEED);
    long deadline = System.nanoTime() + 1_500_000_000L;
    for (int round = 0; System.nanoTime() < deadline && reader.isAlive(); round++) {
      int count = round % 4 == 0 ? 1_500 : 1 + random.nextInt(60);
      int step = 2 * (1 + random.nextInt(10));
      for (int i = 0; i < count; i++) {
        vacancies.releaseRun(BLOCK + i * step, 1);
        if (i < 50) {
          vacancies.releaseRun(3 * i, 1);
        }
      }
      while (vacancies.next() < always) {
        int next = vacancies.next();
        vacancies.prepare(next);
        vacancies.take(next);
      }
    }
    stop.set(true);
    reader.join(10_000);
    assertThat(wrong.get()).as("-Dofi4j.seed=%s", SEED).isNull();
    assertThat(changes).hasPositiveValue();
  }

  /** Whether an interval cannot be released when one allocation fails; and then checks. */
  private static boolean failsAt(int failing, int first, int count) {
    FailingMemory source = new FailingMemory(1 + failing);
    try (source) {
      SlabAllocator allocator = new SlabAllocator(source);
      Vacancies vacancies = new Vacancies(allocator, true, Handles.MAX_ENTRIES, i -> false);
      vacancies.takeRun(0, 10 * BLOCK);
      boolean failed = false;
      try {
        vacancies.releaseRun(first, count);
      } catch (OutOfMemoryError e) {
        failed = true;
        assertThat(vacancies.count()).isZero();
        assertThat(vacancies.vacantFrom(0)).isEqualTo(10 * BLOCK);
        assertThat(vacancies.lookups().isVacant(first)).isFalse();
        assertThat(vacancies.lookups().isVacant(first + count - 1)).isFalse();
        vacancies.releaseRun(first, count);
      }
      assertThat(vacancies.count()).isEqualTo(count);
      assertThat(vacancies.next()).isEqualTo(first);
      assertThat(vacancies.vacantEnd(first)).isEqualTo(first + count);
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

  private static void fill(Vacancies vacancies, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(vacancies.next()).isEqualTo(i);
      vacancies.prepare(i);
      vacancies.take(i);
    }
  }

  private static void takeNext(Vacancies vacancies, BitSet used, int expected) {
    assertThat(vacancies.next()).isEqualTo(expected);
    vacancies.prepare(expected);
    used.set(expected);
    vacancies.take(expected);
  }

  /** What should be so, above indices that are all used. */
  private final class Model {
    private final int base;
    private final boolean scarce;
    private final BitSet used = new BitSet();
    private final BitSet slots = new BitSet();
    private final Vacancies vacancies;

    Model(int base, int size, boolean scarce) {
      this.base = base;
      this.scarce = scarce;
      int capacity = Math.min(base + size, Handles.MAX_ENTRIES);
      vacancies = new Vacancies(allocator, true, capacity, i -> i >= base && !used.get(i - base));
      vacancies.prepareRun(0, base);
      vacancies.takeRun(0, base);
    }

    /** Takes the lowest indices, at most so many. */
    void insert(int length, boolean single) {
      int first = vacancies.next();
      if (first < 0) {
        return;
      }
      try {
        if (single) {
          vacancies.prepare(first);
          used.set(first - base);
          slots.set(first - base);
          vacancies.take(first);
        } else {
          assertThat(vacancies.vacantFrom(0)).isEqualTo(first);
          int count = Math.min(vacancies.vacantEnd(first) - first, length);
          vacancies.prepareRun(first, count);
          used.set(first - base, first - base + count);
          vacancies.takeRun(first, count);
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
          vacancies.release(base + first);
        }
        return;
      }
      int stop = Math.min(used.nextClearBit(first), first + length);
      int slot = slots.nextSetBit(first);
      stop = slot < 0 ? stop : Math.min(stop, slot);
      boolean last = base + stop == vacancies.end();
      if (last) {
        // As RunRemoval does it: where the run is to be cut is asked as long as its entries live,
        // as what was lost is recorded again by that.
        int end = vacancies.endWithout(base + first);
        used.clear(first, stop);
        vacancies.releaseRun(base + first, stop - first);
        assertThat(vacancies.end()).isEqualTo(end);
        return;
      }
      try {
        vacancies.releaseRun(base + first, stop - first);
        used.clear(first, stop);
      } catch (OutOfMemoryError e) {
        failed(e);
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
      vacancies.release(indices, count);
    }

    void removeAll() {
      for (int i = used.nextSetBit(0); i >= 0; i = used.nextSetBit(0)) {
        remove(i, Integer.MAX_VALUE - base - i);
      }
    }

    void check(int place, int step) {
      String what = "step " + step + " with -Dofi4j.seed=" + SEED;
      int end = base + used.length();
      if (scarce) {
        // Where vacancies were lost the end comes down later.
        assertThat(vacancies.end()).as(what).isGreaterThanOrEqualTo(end);
      } else {
        same(end, vacancies.end(), what);
        same(end - base - used.cardinality(), (int) vacancies.count(), what);
        boolean vacant = place < used.length() && !used.get(place);
        assertThat(vacancies.lookups().isVacant(base + place)).as(what).isEqualTo(vacant);
        if (place <= used.length()) {
          same(base + used.nextClearBit(place), vacancies.vacantFrom(base + place), what);
        }
      }
      int next = base + used.nextClearBit(0);
      same(next == vacancies.end() && vacancies.next() < 0 ? -1 : next, vacancies.next(), what);
    }

    void checkIntervals() {
      String what = "-Dofi4j.seed=" + SEED;
      int at = vacancies.vacantFrom(0);
      int expected = used.nextClearBit(0);
      while (at < vacancies.end()) {
        same(base + expected, at, what);
        int stop = used.nextSetBit(expected);
        stop = stop < 0 ? vacancies.end() - base : stop;
        same(base + stop, vacancies.vacantEnd(at), what);
        at = vacancies.vacantFrom(base + stop);
        expected = used.nextClearBit(stop);
      }
    }

    private void failed(OutOfMemoryError e) {
      if (!scarce) {
        throw e;
      }
    }

    private static void same(int expected, int actual, String what) {
      if (expected != actual) {
        assertThat(actual).as(what).isEqualTo(expected);
      }
    }
  }
}
