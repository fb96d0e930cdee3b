// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class BucketTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  @Test
  void everyCellIsTold() {
    SplittableRandom random = new SplittableRandom(SEED);
    MemorySegment block = MemorySegment.ofArray(new long[24]);
    for (int round = 0; round < 100_000; round++) {
      int bits = 1 + random.nextInt(31);
      int mask = -1 >>> (Integer.SIZE - bits);
      int tag = random.nextInt() << bits;
      BitSet tagged = new BitSet();
      long line = random.nextInt(3) * 64L;
      for (int i = 0; i < Bucket.CELLS; i++) {
        int cell =
            switch (random.nextInt(5)) {
              case 0 -> 0;
              case 1 -> Bucket.REMOVED;
              case 2 -> tag | random.nextInt() & mask;
              case 3 -> tag ^ 1 << random.nextInt(Integer.SIZE);
              default -> random.nextInt();
            };
        block.set(JAVA_INT, line + 4L * i, cell);
        tagged.set(i, ((cell ^ tag) & ~mask) == 0);
      }
      assertThat(set(line, Bucket.tagged(block, line, tag, bits)))
          .as("tag, -Dofi4j.seed=%s", SEED)
          .isEqualTo(tagged);
      assertThat(Bucket.hasTagged(block, line, tag, bits))
          .as("tag, -Dofi4j.seed=%s", SEED)
          .isEqualTo(!tagged.isEmpty());
    }
  }

  private static BitSet set(long line, long cells) {
    BitSet set = new BitSet();
    for (long left = cells; left != 0; left = Bucket.withoutFirst(left)) {
      long offset = Bucket.offset(line, left) - line;
      assertThat(offset % 4).isZero();
      set.set((int) offset / 4);
    }
    return set;
  }

  @Test
  void bucketWhoseLastCellIsFreeHasAFreeCell() {
    SplittableRandom random = new SplittableRandom(SEED);
    MemorySegment block = MemorySegment.ofArray(new long[24]);
    for (int used = 0; used <= Bucket.CELLS; used++) {
      for (int round = 0; round < 100; round++) {
        long line = random.nextInt(3) * 64L;
        for (int i = 0; i < Bucket.CELLS; i++) {
          int cell = random.nextInt(3) == 0 ? Bucket.REMOVED : random.nextInt() | 1;
          block.set(JAVA_INT, line + 4L * i, i < used ? cell : 0);
        }
        assertThat(Bucket.hasFree(block, line)).isEqualTo(used < Bucket.CELLS);
        if (used < Bucket.CELLS) {
          assertThat(Bucket.freeCell(block, line)).isEqualTo(line + 4L * used);
        }
      }
    }
  }
}
