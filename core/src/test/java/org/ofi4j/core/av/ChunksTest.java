package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Elements in memory that never moves, and the pieces handed out of it. */
class ChunksTest {
  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void elementsKeepTheirPlaceWhileTheSequenceGrows() {
    Chunks chunks = new Chunks(memory, 8, 2, 5);
    for (int i = 0; i < 500; i++) {
      assertThat(chunks.chunk(i) == null).isEqualTo(i >= chunks.capacity());
      chunks.ensure(i);
      assertThat(get(chunks, i)).as("zeros").isZero();
      chunks.segment(i).set(ValueLayout.JAVA_LONG, chunks.offset(i), ~(long) i);
      assertThat(chunks.roomFrom(i))
          .isEqualTo((int) ((chunks.segment(i).byteSize() - chunks.offset(i)) / 8));
    }
    for (int i = 0; i < 500; i++) {
      assertThat(get(chunks, i)).isEqualTo(~(long) i);
    }
    assertThat(chunks.capacity() * 8).isEqualTo(memory.held());
  }

  @Test
  void numbersBeyondTheEndHaveNoChunk() {
    Chunks chunks = new Chunks(memory, 8, 2, 5);
    chunks.ensure(0);
    assertThat(chunks.chunk(-1)).isNull();
    assertThat(chunks.chunk(Integer.MIN_VALUE)).isNull();
    assertThat(chunks.chunk(Integer.MAX_VALUE)).isNull();
    assertThat(chunks.chunk(4)).isNull();
  }

  @Test
  void growthThatFailsChangesNothing() {
    Chunks chunks = new Chunks(memory, 8, 2, 5);
    chunks.ensure(3);
    memory.limit(memory.held());
    assertThatThrownBy(() -> chunks.ensure(4))
        .isInstanceOf(OutOfMemoryError.class)
        .hasMessageContaining("limit");
    assertThat(chunks.capacity()).isEqualTo(4);
    memory.limit(Long.MAX_VALUE);
    chunks.ensure(4);
    assertThat(chunks.capacity()).isEqualTo(8);
  }

  @Test
  void poolHandsOutDistinctElementsAndTakesThemBack() {
    Pool pool = new Pool(memory, 48, 0);
    int[] numbers = new int[1000];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = pool.take();
      segment(pool, numbers[i]).fill((byte) i);
    }
    assertThat(numbers).doesNotHaveDuplicates();
    for (int i = 0; i < numbers.length; i++) {
      assertThat(segment(pool, numbers[i]).toArray(ValueLayout.JAVA_BYTE)).containsOnly((byte) i);
    }
    assertThat(pool.usedBytes()).isEqualTo(48_000);
    long held = memory.held();
    for (int round = 0; round < 10; round++) {
      for (int number : numbers) {
        pool.give(number);
      }
      assertThat(pool.usedBytes()).isZero();
      for (int i = 0; i < numbers.length; i++) {
        numbers[i] = pool.take();
      }
      assertThat(numbers).doesNotHaveDuplicates();
    }
    assertThat(memory.held()).isEqualTo(held);
  }

  @Test
  void closedMemoryIsRefusedNotTouched() {
    MemorySegment piece = memory.allocate(64);
    memory.checkOpen();
    memory.close();
    memory.close();
    assertThat(memory.held()).isZero();
    assertThatThrownBy(() -> piece.get(ValueLayout.JAVA_INT, 0))
        .isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(memory::checkOpen).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> memory.allocate(64)).isInstanceOf(IllegalStateException.class);
  }

  private static long get(Chunks chunks, int element) {
    return chunks.segment(element).get(ValueLayout.JAVA_LONG, chunks.offset(element));
  }

  private static MemorySegment segment(Pool pool, int number) {
    return pool.segment(number).asSlice(pool.offset(number), 48);
  }
}
