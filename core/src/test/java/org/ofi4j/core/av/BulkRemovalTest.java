// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.contents;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.open;

import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/** Handles removed together fare as they would have fared one by one. */
@Tag("AV-125")
@Tag("AV-126")
class BulkRemovalTest {
  private static final int PEERS = 1500;

  private final long seed = Long.getLong("ofi4j.seed", System.nanoTime());
  private final Random random = new Random(seed);

  private static CoreAddressVector full() {
    CoreAddressVector vector = open(TestInfo.defaults(), VectorOptions.table());
    for (int i = 0; i < PEERS; i++) {
      vector.insert(a(i + 1));
      if (i % 7 == 0) {
        vector.insert(a(i + 1)); // a share more
      }
    }
    return vector;
  }

  @Test
  void togetherAsOneByOne() {
    for (int round = 0; round < 10; round++) {
      CoreAddressVector bulk = full();
      CoreAddressVector single = full();
      int count = random.nextInt(1200);
      long[] handles = new long[count];
      int refused = 0;
      int first = -1;
      for (int i = 0; i < count; i++) {
        handles[i] =
            switch (random.nextInt(50 * (1 + round))) {
              case 0 -> NA;
              case 1 -> PEERS + random.nextInt(1000);
              case 2 -> 1L << 40;
              case 3 -> i > 0 ? handles[random.nextInt(i)] : 0;
              default -> random.nextInt(PEERS);
            };
        try {
          single.remove(handles[i]);
        } catch (FabricException none) {
          if (refused++ == 0) {
            first = i;
          }
        }
      }
      if (refused == 0) {
        bulk.remove(longs(handles), count, 0);
      } else {
        String words = "(element %d; %d of %d removed)".formatted(first, count - refused, count);
        fails(Errno.EINVAL, words, () -> bulk.remove(longs(handles), count, 0));
      }
      assertThat(bulk.size()).as("-Dofi4j.seed=%d", seed).isEqualTo(single.size());
      assertThat(contents(bulk, PEERS))
          .as("-Dofi4j.seed=%d", seed)
          .isEqualTo(contents(single, PEERS));
    }
  }

  @Test
  void refusalNamesTheFirstHandleWhereverItIs() {
    for (int position : new int[] {0, 255, 256, 511, 599}) {
      CoreAddressVector vector = open(TestInfo.defaults(), VectorOptions.table());
      vector.insertSymmetric("10.0.0.1", 600, "80", 1, InsertOptions.none()).orThrow();
      long[] handles = new long[600];
      for (int i = 0; i < 600; i++) {
        handles[i] = i;
      }
      handles[position] = 0xBAD;
      handles[599] = position == 599 ? 0xBAD : 0xDEAD;
      int removed = position == 599 ? 599 : 598;
      fails(
          Errno.EINVAL,
          "handle 0xbad names no entry: it was never inserted, or has been removed (element "
              + position
              + "; "
              + removed
              + " of 600 removed)",
          () -> vector.remove(longs(handles), 600, 0));
      assertThat(vector.size()).isEqualTo(600 - removed);
    }
  }
}
