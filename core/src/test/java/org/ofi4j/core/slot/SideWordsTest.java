// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.testing.Quick.same;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Handles;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.FailingMemory;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.testing.Rounds;

/** Shares, marks and high halves of generations. */
class SideWordsTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int PAGE_BYTES = 512;
  private static final int NODE_BYTES = 128;

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);
  private final Slots slots = new Slots(memory, 0, false);
  private final SideWords side = new SideWords(allocator, slots);

  @AfterEach
  void close() {
    memory.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void wordsAreThoseOfTheirIndex(boolean scarce) {
    SplittableRandom random = new SplittableRandom(SEED);
    Map<Integer, Long> model = new HashMap<>();
    for (int step = 0; step < 100_000; step++) {
      int index = index(random.nextInt(1500));
      String what = "index " + index + ", step " + step + " with -Dofi4j.seed=" + SEED;
      if (scarce && step % 200 == 0) {
        memory.limit(random.nextInt(3) == 0 ? Long.MAX_VALUE : memory.held());
      }
      long before = model.getOrDefault(index, 0L);
      same(side.word(index), before, what);
      long word =
          switch (random.nextInt(4)) {
            case 0 -> SideWords.withMark(before);
            case 1 -> SideWords.withShares(before, random.nextInt() >>> 1);
            case 2 -> SideWords.withGeneration(before, random.nextLong(1L << 44));
            default -> 0;
          };
      try {
        side.ensure(index);
        side.set(index, word);
        model.put(index, word);
      } catch (OutOfMemoryError e) {
        same(scarce, true, what);
      }
      same(side.word(index), model.getOrDefault(index, 0L), what);
    }
    Map<Integer, Long> visited = new HashMap<>();
    side.forEach(visited::put);
    model.values().removeIf(word -> word == 0);
    assertThat(visited).as("-Dofi4j.seed=%s", SEED).isEqualTo(model);
  }

  @Test
  void wordKeepsItsFieldsApart() {
    long generation = (1L << SlotWord.GENERATION_BITS) - 1;
    long word = SideWords.withGeneration(0, generation);
    assertThat(SideWords.isClear(word)).isTrue();
    assertThat(SideWords.shares(word)).isZero();
    assertThat(SideWords.isMarked(word)).isFalse();
    word = SideWords.withMark(SideWords.withShares(word, SideWords.MOST_SHARES));
    assertThat(SideWords.isClear(word)).isFalse();
    assertThat(SideWords.shares(word)).isEqualTo(SideWords.MOST_SHARES);
    assertThat(SideWords.isMarked(word)).isTrue();
    assertThat(SideWords.generation(word, generation & 8191)).isEqualTo(generation);
    assertThat(SideWords.leavingRun(word, 0)).isNotEqualTo(SideWords.CHANGED);
    assertThat(SideWords.withGeneration(word, 0)).isEqualTo(word & -1L << SideWords.HIGH_BITS);
  }

  /** Each entry of a run has the shares of the run, less those that were removed. */
  @Test
  void sharesOfARunAreAddedUntilTheEntryLeavesIt() {
    for (int ofRun : new int[] {0, 1, 7, Integer.MAX_VALUE / 2}) {
      for (int own : new int[] {-ofRun, -1, 0, 5}) {
        if (ofRun + own < 0) {
          continue;
        }
        long word = SideWords.withShares(0, own);
        assertThat(SideWords.sharesInRun(word, ofRun)).isEqualTo(ofRun + own);
        long leaving = SideWords.leavingRun(word, ofRun);
        assertThat(SideWords.sharesInRun(leaving, ofRun)).isEqualTo(ofRun + own);
        assertThat(SideWords.shares(leaving)).isEqualTo(ofRun + own);
        assertThat(SideWords.isClear(leaving)).isEqualTo(ofRun == 0 && own == 0);
      }
    }
  }

  @Test
  void eachPageIsFor64Indices() {
    assertThat(side.usedBytes()).isZero();
    side.ensure(Handles.MAX_ENTRIES - 1);
    assertThat(side.usedBytes()).isEqualTo(5 * NODE_BYTES + PAGE_BYTES);
    side.ensure(0);
    long before = side.usedBytes();
    int indices = 1 << 20;
    for (int index = 0; index < indices; index++) {
      side.ensure(index);
      side.ensure(index);
    }
    // A node for each 32 pages or nodes.
    assertThat(side.usedBytes() - before).isLessThan(indices / 64 * (PAGE_BYTES + 5L));
  }

  @Test
  void allocationThatFailsChangesNothing() {
    for (int failing = 1; failing < 12; failing++) {
      try (FailingMemory source = new FailingMemory(failing)) {
        SideWords words = new SideWords(new SlabAllocator(source), slots);
        int failures = 0;
        for (int i = 0; i < 3_000; i++) {
          int index = i * 65;
          try {
            words.ensure(index);
          } catch (OutOfMemoryError e) {
            failures++;
            same(words.has(index), false, "has");
            words.ensure(index);
          }
          words.set(index, SideWords.withShares(0, i));
        }
        same(failures, 1, "allocation %s", failing);
        for (int i = 0; i < 3_000; i++) {
          same(SideWords.shares(words.word(i * 65)), i, "shares");
        }
      }
    }
  }

  /**
   * All entries of an index have the same address, and each two lives in a row have the same low
   * bits, so nothing but the side word tells their slots apart. High half, low half and shares of a
   * life follow from each other.
   */
  @Test
  void readersNeverCombineHalvesOfTwoLives() throws InterruptedException {
    slots.ensure(5, false);
    side.ensure(5);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<String> wrong = new AtomicReference<>();
    AtomicLong found = new AtomicLong();
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              SplittableRandom random = new SplittableRandom(SEED);
              long last = 0;
              while (!stop.get() && wrong.get() == null) {
                long slot = slots.word(5);
                if (SlotWord.isLive(slot) && SlotWord.hasSide(slot)) {
                  spin(random);
                  long word = side.word(5, slot);
                  long generation = SideWords.generation(word, SlotWord.lowGeneration(slot));
                  long high = generation >>> 13;
                  if (word != SideWords.CHANGED) {
                    if (generation != generation(high)
                        || generation < last
                        || SideWords.shares(word) != high) {
                      wrong.set("generation " + generation + " after " + last);
                    }
                    last = generation;
                    found.incrementAndGet();
                  }
                }
              }
            });
    SplittableRandom random = new SplittableRandom(SEED);
    long deadline = System.nanoTime() + Rounds.of("ofi4j.readers", 200, 500) * 1_000_000L;
    // However slow the machine is, the reader has to find something.
    for (long high = 1;
        (System.nanoTime() < deadline || found.get() == 0) && reader.isAlive();
        high++) {
      long word = SideWords.withShares(side.word(5), (int) high);
      side.set(5, SideWords.withGeneration(word, generation(high)));
      slots.show(5, SlotWord.ipv4(77), generation(high), true);
      spin(random);
      slots.free(5, generation(high) + 1);
      side.clear(5);
      spin(random);
    }
    stop.set(true);
    reader.join();
    assertThat(wrong.get()).isNull();
    assertThat(found).hasPositiveValue();
  }

  private static long generation(long high) {
    return high << 13 | high / 2 % 2;
  }

  private static void spin(SplittableRandom random) {
    for (int i = random.nextInt(30); i > 0; i--) {
      Thread.onSpinWait();
    }
  }

  @Test
  void indexWithoutPageHasNothing() {
    assertThat(side.word(0)).isZero();
    side.ensure(5);
    side.set(5, 9);
    for (int index : new int[] {-1, Integer.MIN_VALUE, 4, 5 + 64, Handles.MAX_ENTRIES - 1}) {
      assertThat(side.word(index)).as("index %s", index).isZero();
    }
    memory.close();
    assertThatThrownBy(() -> side.word(5)).isInstanceOf(IllegalStateException.class);
  }

  /** Indices from all over, the largest included. */
  private static int index(int number) {
    return number % 2 == 0 ? number : Handles.MAX_ENTRIES - number * (number % 3 == 0 ? 65_536 : 1);
  }
}
