// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SpaceTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void blocksAreZeroAndApart() {
    SplittableRandom random = new SplittableRandom(SEED);
    Space space = new Space(memory);
    TreeMap<Integer, Integer> taken = new TreeMap<>();
    List<Integer> order = new ArrayList<>();
    long units = 0;
    for (int step = 0; step < 20_000; step++) {
      if (order.isEmpty() || random.nextInt(100) < 60) {
        int wanted = 1 + random.nextInt(1 << random.nextInt(12));
        int block = space.take(wanted);
        int size = Space.sizeOf(wanted);
        String what = "block " + block + " of " + wanted + ", -Dofi4j.seed=" + SEED;
        assertThat(size).as(what).isGreaterThanOrEqualTo(wanted).isLessThanOrEqualTo(2 * wanted);
        assertThat(block).as(what).isGreaterThanOrEqualTo(Root.UNITS);
        Map.Entry<Integer, Integer> below = taken.floorEntry(block);
        if (below != null) {
          assertThat(below.getKey() + below.getValue()).as(what).isLessThanOrEqualTo(block);
        }
        Integer above = taken.ceilingKey(block);
        if (above != null) {
          assertThat(block + size).as(what).isLessThanOrEqualTo(above);
        }
        MemorySegment bytes = slice(space, block, size);
        assertThat(bytes.mismatch(MemorySegment.ofArray(new byte[size * Space.UNIT_BYTES])))
            .as(what)
            .isEqualTo(-1);
        // Every unit of it is found where the first one is.
        assertThat(space.segment(block + size - 1)).as(what).isSameAs(space.segment(block));
        assertThat(space.offset(block + size - 1))
            .as(what)
            .isEqualTo(space.offset(block) + (size - 1L) * Space.UNIT_BYTES);
        bytes.fill((byte) 0xA5);
        taken.put(block, size);
        order.add(block);
        units += size;
      } else {
        int block = order.remove(random.nextInt(order.size()));
        int size = taken.remove(block);
        assertThat(slice(space, block, size).get(JAVA_BYTE, size * 64L - 1)).isEqualTo((byte) 0xA5);
        space.give(block, size);
        units -= size;
      }
      assertThat(space.usedBytes()).as("-Dofi4j.seed=" + SEED).isEqualTo(units * Space.UNIT_BYTES);
    }
  }

  @Test
  void whatIsGivenBackIsUsedAgain() {
    Space space = new Space(memory);
    int first = space.take(100);
    long held = memory.held();
    for (int i = 0; i < 1000; i++) {
      space.give(first, 100);
      assertThat(space.take(100)).isEqualTo(first);
    }
    assertThat(memory.held()).isEqualTo(held);
  }

  @Test
  void growsByAnEighthAtMost() {
    Space space = new Space(memory);
    assertThat(memory.held()).isEqualTo(4096);
    for (long used = 0; used < 20 << 20; used += 64) {
      long before = memory.held();
      space.take(1);
      long more = memory.held() - before;
      assertThat(more).isLessThanOrEqualTo(Math.min(Math.max(before / 8, 512), 1 << 19));
    }
    assertThat((double) memory.held() / space.usedBytes()).isLessThan(1.06);
  }

  @Test
  void anExhaustedSourceChangesNothing() {
    Space space = new Space(memory);
    space.take(8192);
    memory.limit(memory.held());
    long used = space.usedBytes();
    long next = space.root().get(JAVA_LONG, Root.USED_UNITS);
    assertThatThrownBy(() -> space.take(8192)).isInstanceOf(OutOfMemoryError.class);
    assertThat(space.usedBytes()).isEqualTo(used);
    assertThat(space.root().get(JAVA_LONG, Root.USED_UNITS)).isEqualTo(next);
    memory.limit(Long.MAX_VALUE);
    assertThat(space.take(8192)).isPositive();
  }

  private static MemorySegment slice(Space space, int block, int units) {
    return space.segment(block).asSlice(space.offset(block), (long) units * Space.UNIT_BYTES);
  }
}
