package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Which index comes next. */
@Tag("AV-083")
class FreeIndicesTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void lowestUnusedIndexWhateverWasReleased() {
    SplittableRandom random = new SplittableRandom(SEED);
    FreeIndices free = new FreeIndices(memory, true, Integer.MAX_VALUE - 1);
    TreeSet<Integer> used = new TreeSet<>();
    TreeSet<Integer> holes = new TreeSet<>();
    for (int step = 0; step < 200_000; step++) {
      boolean growing = step / 40_000 % 2 == 0;
      int end = used.isEmpty() ? 0 : used.last() + 1;
      if (used.isEmpty() || random.nextInt(100) < (growing ? 75 : 25)) {
        int index = free.next();
        same(holes.isEmpty() ? end : holes.first(), index, step);
        free.prepare(index);
        free.take(index);
        used.add(index);
        holes.remove(index);
      } else {
        Integer index = used.ceiling(random.nextInt(end));
        used.remove(index);
        holes.add(index);
        free.release(index);
      }
      end = used.isEmpty() ? 0 : used.last() + 1;
      holes.tailSet(end).clear();
      same(end, free.end(), step);
    }
    for (int index : used) {
      free.release(index);
    }
    assertThat(free.end()).isZero();
    assertThat(free.usedBytes()).isZero();
    assertThat(free.next()).isZero();
  }

  @Test
  void millionHolesAreTrimmedAtOnce() {
    FreeIndices free = new FreeIndices(memory, true, 2_000_000);
    fill(free, 1_000_000);
    for (int i = 0; i < 999_999; i++) {
      free.release(i);
    }
    assertThat(free.next()).isZero();
    assertThat(free.end()).isEqualTo(1_000_000);
    free.release(999_999);
    assertThat(free.end()).isZero();
    fill(free, 100);
    free.release(70);
    assertThat(free.next()).isEqualTo(70);
  }

  @Test
  void indicesAreNeverUsedAgainIfSo() {
    FreeIndices free = new FreeIndices(memory, false, 5);
    fill(free, 3);
    free.release(1);
    free.release(2);
    assertThat(free.next()).isEqualTo(3);
    free.take(3);
    free.take(free.next());
    assertThat(free.next()).isEqualTo(-1);
    assertThat(memory.held()).isZero();
  }

  @Test
  void noIndexBeyondTheCapacity() {
    FreeIndices free = new FreeIndices(memory, true, 3);
    fill(free, 3);
    assertThat(free.next()).isEqualTo(-1);
    free.release(1);
    assertThat(free.next()).isEqualTo(1);
  }

  @Test
  void bytesGrowWithTheEnd() {
    FreeIndices free = new FreeIndices(memory, true, 1 << 20);
    fill(free, 64 * 64);
    assertThat(free.usedBytes()).isEqualTo(64 * 8 + 8);
    assertThat(memory.held()).isGreaterThanOrEqualTo(free.usedBytes());
  }

  private static void same(int expected, int actual, int step) {
    if (expected != actual) {
      assertThat(actual).as("step %s with -Dofi4j.seed=%s", step, SEED).isEqualTo(expected);
    }
  }

  private static void fill(FreeIndices free, int count) {
    for (int i = 0; i < count; i++) {
      assertThat(free.next()).isEqualTo(i);
      free.prepare(i);
      free.take(i);
    }
  }
}
