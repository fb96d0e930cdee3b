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

class SlabAllocatorTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void blocksAreZeroAndApart() {
    SplittableRandom random = new SplittableRandom(SEED);
    SlabAllocator allocator = new SlabAllocator(memory);
    TreeMap<Integer, Integer> taken = new TreeMap<>();
    List<Integer> order = new ArrayList<>();
    long units = 0;
    for (int step = 0; step < 20_000; step++) {
      if (order.isEmpty() || random.nextInt(100) < 60) {
        int wanted = 1 + random.nextInt(1 << random.nextInt(12));
        int block = allocator.allocate(wanted);
        int size = SlabAllocator.sizeOf(wanted);
        String what = "block " + block + " of " + wanted + ", -Dofi4j.seed=" + SEED;
        assertThat(size).as(what).isGreaterThanOrEqualTo(wanted).isLessThanOrEqualTo(2 * wanted);
        assertThat(block).as(what).isGreaterThanOrEqualTo(Superblock.UNITS);
        Map.Entry<Integer, Integer> below = taken.floorEntry(block);
        if (below != null) {
          assertThat(below.getKey() + below.getValue()).as(what).isLessThanOrEqualTo(block);
        }
        Integer above = taken.ceilingKey(block);
        if (above != null) {
          assertThat(block + size).as(what).isLessThanOrEqualTo(above);
        }
        MemorySegment bytes = slice(allocator, block, size);
        assertThat(bytes.mismatch(MemorySegment.ofArray(new byte[size * SlabAllocator.UNIT_BYTES])))
            .as(what)
            .isEqualTo(-1);
        // Every unit of it is found where the first one is.
        assertThat(allocator.segment(block + size - 1)).as(what).isSameAs(allocator.segment(block));
        assertThat(allocator.offset(block + size - 1))
            .as(what)
            .isEqualTo(allocator.offset(block) + (size - 1L) * SlabAllocator.UNIT_BYTES);
        bytes.fill((byte) 0xA5);
        taken.put(block, size);
        order.add(block);
        units += size;
      } else {
        int block = order.remove(random.nextInt(order.size()));
        int size = taken.remove(block);
        assertThat(slice(allocator, block, size).get(JAVA_BYTE, size * 64L - 1))
            .isEqualTo((byte) 0xA5);
        allocator.free(block, size);
        units -= size;
      }
      assertThat(allocator.usedBytes())
          .as("-Dofi4j.seed=" + SEED)
          .isEqualTo(units * SlabAllocator.UNIT_BYTES);
    }
  }

  @Test
  void whatIsGivenBackIsUsedAgain() {
    SlabAllocator allocator = new SlabAllocator(memory);
    int first = allocator.allocate(100);
    long held = memory.held();
    for (int i = 0; i < 1000; i++) {
      allocator.free(first, 100);
      assertThat(allocator.allocate(100)).isEqualTo(first);
    }
    assertThat(memory.held()).isEqualTo(held);
  }

  @Test
  void growsByAnEighthAtMost() {
    SlabAllocator allocator = new SlabAllocator(memory);
    assertThat(memory.held()).isEqualTo(4096);
    for (long used = 0; used < 20 << 20; used += 64) {
      long before = memory.held();
      allocator.allocate(1);
      long more = memory.held() - before;
      assertThat(more).isLessThanOrEqualTo(Math.min(Math.max(before / 8, 512), 1 << 19));
    }
    assertThat((double) memory.held() / allocator.usedBytes()).isLessThan(1.06);
  }

  @Test
  void anExhaustedSourceChangesNothing() {
    SlabAllocator allocator = new SlabAllocator(memory);
    allocator.allocate(8192);
    memory.limit(memory.held());
    long used = allocator.usedBytes();
    long next = allocator.root().get(JAVA_LONG, Superblock.USED_UNITS);
    assertThatThrownBy(() -> allocator.allocate(8192)).isInstanceOf(OutOfMemoryError.class);
    assertThat(allocator.usedBytes()).isEqualTo(used);
    assertThat(allocator.root().get(JAVA_LONG, Superblock.USED_UNITS)).isEqualTo(next);
    memory.limit(Long.MAX_VALUE);
    assertThat(allocator.allocate(8192)).isPositive();
  }

  private static MemorySegment slice(SlabAllocator allocator, int block, int units) {
    return allocator
        .segment(block)
        .asSlice(allocator.offset(block), (long) units * SlabAllocator.UNIT_BYTES);
  }
}
