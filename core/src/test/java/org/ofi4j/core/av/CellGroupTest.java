package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class CellGroupTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  @Test
  void tagsAreToldInEveryCell() {
    SplittableRandom random = new SplittableRandom(SEED);
    MemorySegment block = MemorySegment.ofArray(new long[8]);
    for (int round = 0; round < 100_000; round++) {
      int bits = 1 + random.nextInt(31);
      int mask = PartitionWord.numberMask(bits);
      int tag = PartitionWord.tag(random.nextLong(), bits);
      int expected = 0;
      long offset = random.nextInt(5) * 8L;
      for (int i = 0; i < CellGroup.CELLS; i++) {
        int cell =
            switch (random.nextInt(4)) {
              case 0 -> 0;
              case 1 -> PartitionWord.REMOVED;
              case 2 -> tag | random.nextInt() & mask;
              default -> random.nextInt();
            };
        block.set(JAVA_INT, offset + 4L * i, cell);
        expected |= ((cell ^ tag) & ~mask) == 0 ? 1 << i : 0;
      }
      assertThat(CellGroup.tagged(block, offset, tag, mask))
          .as("seed %s", SEED)
          .isEqualTo(expected);
    }
  }
}
