// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.run.RangeOutcome;

/**
 * Changes of representation that take too many entries for jcstress: whole blocks of 65,536 entries
 * go and others come, holes are filled until a page is worth it, parts are shared and unshared. A
 * reader looks all the time at entries that stay, and at the places where others come and go.
 * {@code -Dofi4j.readers=N} gives each test N milliseconds, {@code -Dofi4j.seed} repeats one.
 */
@Tag("AV-083")
@Timeout(value = 240, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RunsBesideReadersTest {
  private static final long MILLISECONDS = Long.getLong("ofi4j.readers", 1000);
  private static final int BLOCK = 1 << 16;

  /** Entries 0 to ALL - 1 have the addresses 1 to ALL; of the block in between all may go. */
  private static final int ALL = 3 * BLOCK;

  /** Others are far from them and from each other. */
  private static final int OTHERS = 10 * BLOCK;

  private static final int PORT = 5000;

  /** What goes and comes back, once a round. */
  enum Change {
    /** A block goes from its front and comes back as a range of the same addresses. */
    BLOCK_RETURNS {
      @Override
      void round(RunsBesideReadersTest test, SplittableRandom random) {
        test.removeBlock(false);
        test.range(BLOCK + 1, BLOCK);
      }
    },
    /** A block goes from its end, and other ranges and lists come in its place. */
    BLOCK_OF_OTHERS {
      @Override
      void round(RunsBesideReadersTest test, SplittableRandom random) {
        test.removeBlock(true);
        int half = random.nextInt(BLOCK);
        test.range(OTHERS, half);
        test.list(BLOCK - half, i -> OTHERS + 2 * (BLOCK + i));
        test.removeBlock(random.nextBoolean());
        test.range(BLOCK + 1, BLOCK);
      }
    },
    /** Holes here and there are filled with strangers, one by one, and with what was there. */
    HOLES {
      @Override
      void round(RunsBesideReadersTest test, SplittableRandom random) {
        int every = 2 + random.nextInt(60);
        for (int index = BLOCK; index < 2 * BLOCK; index += every) {
          test.store.remove(index);
        }
        for (int index = BLOCK; index < 2 * BLOCK; index += every) {
          test.insert(OTHERS + random.nextInt(BLOCK * 8) * 16 + index % 16);
        }
        test.removeBlock(false);
        test.range(BLOCK + 1, BLOCK);
      }
    },
    /** Parts of everything are inserted again, then each share is given back. */
    SHARES {
      @Override
      void round(RunsBesideReadersTest test, SplittableRandom random) {
        int first = 1 + random.nextInt(ALL - 1);
        int count = 1 + random.nextInt(Math.min(20_000, ALL - first));
        test.range(first, count);
        for (int address = first; address < first + count; address++) {
          test.store.remove(address - 1);
        }
      }
    };

    abstract void round(RunsBesideReadersTest test, SplittableRandom random);
  }

  private final EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE);
  private final AddressKey written = new AddressKey();
  private volatile boolean over;

  private static long word(int address) {
    return (long) address << Short.SIZE | PORT;
  }

  private void insert(int address) {
    written.setIpv4(word(address));
    store.insert(written);
  }

  private void range(int first, int count) {
    AddressRange range = new AddressRange(false, 0, first, 0, PORT, count, 1);
    store.insertRange(range, new RangeOutcome());
  }

  private void list(int count, IntFunction<Integer> addresses) {
    long[] words = new long[count];
    for (int i = 0; i < count; i++) {
      words[i] = word(addresses.apply(i));
    }
    store.insertIpv4(words, count, new int[count]);
  }

  /** Removes whatever has an index of the middle block, however often it was inserted. */
  private void removeBlock(boolean backwards) {
    for (int i = 0; i < BLOCK; i++) {
      int index = BLOCK + (backwards ? BLOCK - 1 - i : i);
      while (store.remove(index) > 0) {
        // Another share of it.
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void entriesThatStayAreSeenAndNoOthersInTheirPlace(Change change) throws Exception {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    String repeat = ", repeat with -Dofi4j.seed=" + seed;
    range(1, ALL);
    CompletableFuture<Long> reader =
        CompletableFuture.supplyAsync(() -> read(new SplittableRandom(seed + 1)));
    SplittableRandom random = new SplittableRandom(seed);
    long deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MILLISECONDS);
    try {
      do {
        change.round(this, random);
        assertThat(store.size()).as("entries after a round" + repeat).isEqualTo(ALL);
        assertThat(reader.isCompletedExceptionally()).as("reader failed").isFalse();
      } while (System.nanoTime() - deadline < 0);
    } finally {
      over = true;
      try {
        assertThat(reader.get(30, TimeUnit.SECONDS)).as("looks" + repeat).isPositive();
      } finally {
        store.close();
      }
    }
  }

  private long read(SplittableRandom random) {
    AddressKey key = new AddressKey();
    long looks = 0;
    while (!over) {
      int index = random.nextInt(ALL);
      boolean stays = index < BLOCK || index >= 2 * BLOCK;
      long word = store.ipv4(index);
      if (stays ? word != word(index + 1) : !mayBe(index, word)) {
        throw new AssertionError("index " + index + " has " + Long.toHexString(word));
      }
      key.setIpv4(word(index + 1));
      int found = store.find(key);
      if (stays ? found != index : found != -1 && (found < BLOCK || found >= 2 * BLOCK)) {
        throw new AssertionError("address " + (index + 1) + " was found at " + found);
      }
      if (store.isLive(ALL) || store.find(nobody(key, random)) != -1) {
        throw new AssertionError("something that never was");
      }
      looks++;
    }
    return looks;
  }

  /** In the middle block there is nothing, an address of that block, or one of the others. */
  private static boolean mayBe(int index, long word) {
    int address = (int) (word >>> Short.SIZE);
    return word == -1 || ((short) word == PORT && (address == index + 1 || address >= OTHERS));
  }

  private static AddressKey nobody(AddressKey key, SplittableRandom random) {
    key.setIpv4(word(ALL + 1 + random.nextInt(BLOCK)));
    return key;
  }
}
