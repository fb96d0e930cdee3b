// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.testing.Quick.same;

import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.Searches;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Rounds;

/** Other addresses in holes of runs: what they cost, and that they are entries like any other. */
@Tag("AV-083")
class HolesOfRunsTest {
  private static final long RUN = 0x0A00_0000L << Short.SIZE | 7000;
  private static final long OTHER = 0xC0A8_0000L << Short.SIZE | 9000;
  private static final long NODE = 1L << Short.SIZE;
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final AddressKey key = new AddressKey();

  @AfterEach
  void close() {
    memory.close();
  }

  @Test
  void holesOfALargeRunThatAreUsedAgainTakeASmallPageEachAtMost() {
    EntryStore store = store(1 << 24);
    int holes = 4096;
    int apart = (1 << 24) / holes;
    for (int i = 0; i < holes; i++) {
      same(store.remove(5 + i * apart), 0, "remove");
    }
    long held = store.memory().held();
    long live = store.memory().live();
    for (int i = 0; i < holes; i++) {
      same(insert(store, address(i)), 5 + i * apart, "insert");
    }
    // The page has 2 KiB; the rest are cells, and what tables left that grew.
    assertThat(store.memory().held() - held).isLessThanOrEqualTo(2080L * holes);
    // A slot, and a cell of a table that is at least 0.44 full.
    assertThat(store.memory().live() - live).isLessThanOrEqualTo(18L * holes);
    for (int i = 0; i < holes; i++) {
      int index = 5 + i * apart;
      same(store.ipv4(index), address(i), "ipv4");
      same(Searches.find(store, address(i)), index, "findIpv4");
      same(store.ipv4(index + 1), RUN + (index + 1) * NODE, "ipv4");
      assertThat(Searches.find(store, RUN + index * NODE)).isNegative();
    }
    for (int i = 0; i < holes; i++) {
      same(store.remove(5 + i * apart), 0, "remove");
      same(store.ipv4(5 + i * apart), -1, "ipv4");
      assertThat(Searches.find(store, address(i))).isNegative();
    }
    assertThat(store.memory().side()).isZero();
  }

  @Test
  void oneHoleTakesNoFullPage() {
    EntryStore store = store(1 << 20);
    store.remove(123_456);
    long held = store.memory().held();
    assertThat(insert(store, OTHER)).isEqualTo(123_456);
    // The first of their kind, a leaf of cells: a slab, and a page of 2 KiB, not of 32.
    assertThat(store.memory().held() - held).isLessThanOrEqualTo(8192 + 2048);
  }

  @Test
  void whereThereAreManyAllAreEntriesLikeOthers() {
    EntryStore store = store(20_000);
    int first = 8192;
    int count = 1500;
    for (int i = 0; i < count; i++) {
      store.remove(first + 2 * i);
    }
    for (int i = 0; i < count; i++) {
      same(insert(store, address(i)), first + 2 * i, "insert");
      if (i % 3 == 0) {
        same(store.setUserId(first + 2 * i, i), 0, "setUserId");
      }
      for (int j = 0; j <= i; j += 97) {
        same(store.ipv4(first + 2 * j), address(j), "ipv4");
        same(Searches.find(store, address(j)), first + 2 * j, "findIpv4");
      }
    }
    for (int i = 0; i < count; i++) {
      same(store.ipv4(first + 2 * i), address(i), "ipv4");
      same(store.userId(first + 2 * i, -1), i % 3 == 0 ? i : -1, "userId");
      assertThat(store.generation(first + 2 * i)).isPositive();
    }
    assertThat(store.memory().side()).as("user ids are elsewhere").isZero();
  }

  @Test
  void anEntryInAHoleOutlivesItsRun() {
    EntryStore store = store(200_000);
    store.remove(70_000);
    assertThat(insert(store, OTHER)).isEqualTo(70_000);
    for (int i = 199_999; i >= 0; i--) {
      if (i != 70_000) {
        same(store.remove(i), 0, "remove");
      }
    }
    assertThat(store.size()).isEqualTo(1);
    assertThat(store.ipv4(70_000)).isEqualTo(OTHER);
    assertThat(Searches.find(store, OTHER)).isEqualTo(70_000);
    assertThat(store.ipv4(69_999)).isEqualTo(-1);
    assertThat(store.remove(70_000)).isZero();
    assertThat(store.memory().live()).isZero();
  }

  @Test
  void exchangedEntriesOfALargeRunTakeASmallPageEachAtMost() {
    EntryStore store = store(1 << 20);
    int exchanged = 1000;
    int apart = (1 << 20) / exchanged;
    long held = store.memory().held();
    for (int i = 0; i < exchanged; i++) {
      same(store.replace(i * apart, key(address(i))), 0, "replace");
    }
    // The page has 2 KiB; the rest are bitmaps of each block, cells, and slabs of both.
    assertThat(store.memory().held() - held).isLessThanOrEqualTo(2436L * exchanged);
    for (int i = 0; i < exchanged; i++) {
      same(store.ipv4(i * apart), address(i), "ipv4");
      same(Searches.find(store, address(i)), i * apart, "findIpv4");
      same(store.ipv4(i * apart + 1), RUN + (i * apart + 1) * NODE, "ipv4");
      assertThat(Searches.find(store, RUN + i * apart * NODE)).isNegative();
    }
  }

  @Test
  void reservationsInHolesAreHeldPublishedAndCanceled() {
    EntryStore store = store(100_000);
    store.remove(40_000);
    long generation = store.generation(40_000);
    long before = store.memory().held();
    assertThat(store.reserve()).isEqualTo(40_000);
    assertThat(store.isLive(40_000)).isFalse();
    assertThat(store.setUserId(40_000, 77)).isZero();
    store.cancel(40_000);
    assertThat(store.reserve()).isEqualTo(40_000);
    assertThat(store.publish(40_000, key(OTHER))).isEqualTo(40_000);
    assertThat(store.generation(40_000)).isGreaterThanOrEqualTo(generation);
    assertThat(store.userId(40_000, -1)).isEqualTo(-1);
    assertThat(store.ipv4(40_000)).isEqualTo(OTHER);
    assertThat(store.memory().held() - before).isLessThanOrEqualTo(8192 + 2048);
  }

  @Test
  void withNoMemoryNothingChangesAndWhatDiedStaysDead() {
    SplittableRandom random = new SplittableRandom(SEED);
    EntryStore store = store(300_000);
    long[] now = new long[300_000];
    for (int i = 0; i < now.length; i++) {
      now[i] = RUN + i * NODE;
    }
    int next = 0;
    for (int step = 0; step < 40_000; step++) {
      memory.limit(random.nextInt(4) == 0 ? memory.held() : Long.MAX_VALUE);
      int index = random.nextInt(3) * 100_000 + random.nextInt(2000);
      if (random.nextInt(3) > 0) {
        int outcome = store.remove(index);
        if (outcome == 0) {
          assertThat(now[index]).as("-Dofi4j.seed=%s index %s", SEED, index).isNotEqualTo(-1);
          now[index] = -1;
        }
      } else {
        int outcome = insert(store, address(next));
        if (outcome >= 0 && outcome < now.length) {
          same(now[outcome], -1, "-Dofi4j.seed=%s index %s", SEED, outcome);
          now[outcome] = address(next);
        }
        next++;
      }
      same(store.ipv4(index), now[index], "-Dofi4j.seed=%s index %s", SEED, index);
    }
    for (int i = 0; i < now.length; i++) {
      same(store.ipv4(i), now[i], "-Dofi4j.seed=%s index %s", SEED, i);
      if (now[i] >= 0) {
        same(Searches.find(store, now[i]), i, "-Dofi4j.seed=%s index %s", SEED, i);
      }
    }
  }

  @Test
  void readersBesideAWriterThatRefillsHoles()
      throws InterruptedException, ExecutionException, TimeoutException {
    EntryStore store = store(100_000);
    int[] indices = {20_000, 20_001, 50_000, 90_000};
    AtomicBoolean stop = new AtomicBoolean();
    // Which generation each index is at or before, and at least was.
    AtomicInteger began = new AtomicInteger();
    AtomicInteger ended = new AtomicInteger();
    CountDownLatch sawOther = new CountDownLatch(2);
    try (ExecutorService readers = Executors.newFixedThreadPool(2)) {
      Future<?>[] futures = new Future<?>[2];
      for (int reader = 0; reader < 2; reader++) {
        futures[reader] =
            readers.submit(() -> {
              boolean wasOther = false;
              while (!stop.get()) {
                for (int index : indices) {
                  int least = ended.get();
                  long address = store.ipv4(index);
                  int most = began.get();
                  if (!wasOther && address != RUN + index * NODE) {
                    wasOther = true;
                    sawOther.countDown();
                  }
                  if (address == RUN + index * NODE) {
                    assertThat(least).as("the entry of the run at %s came back", index).isZero();
                  } else if (address != -1) {
                    long generation = (address - OTHER) / NODE / 4;
                    assertThat(generation).isBetween((long) least, (long) most);
                  }
                  long found = Searches.find(store, RUN + index * NODE);
                  assertThat(found == -1 || least == 0).isTrue();
                  assertThat(store.ipv4(index + 2)).isEqualTo(RUN + (index + 2) * NODE);
                }
              }
              return wasOther;
            });
      }
      try {
        long end = System.nanoTime() + Rounds.of("ofi4j.readers", 200, 500) * 1_000_000L;
        int generation = 0;
        while ((System.nanoTime() - end < 0 || sawOther.getCount() > 0)
            && !futures[0].isDone()
            && !futures[1].isDone()) {
          generation++;
          began.set(generation);
          for (int index : indices) {
            store.remove(index);
          }
          for (int i = 0; i < 4; i++) {
            assertThat(insert(store, OTHER + (4L * generation + i) * NODE)).isEqualTo(indices[i]);
          }
          ended.set(generation);
        }
      } finally {
        stop.set(true);
      }
      for (Future<?> future : futures) {
        assertThat(future.get()).isEqualTo(true);
      }
    }
  }

  private EntryStore store(int run) {
    EntryStore store =
        new EntryStore(
            new StoreOptions(0, true, DuplicatePolicy.SHARE, Integer.MAX_VALUE - 1, SEED, false),
            memory);
    long[] words = new long[run];
    for (int i = 0; i < run; i++) {
      words[i] = RUN + i * NODE;
    }
    assertThat(store.insertIpv4(words, run, new int[run])).isEqualTo(run);
    return store;
  }

  /** Addresses that do not follow each other. */
  private static long address(int i) {
    return OTHER + (i * 7L + i % 3) * NODE;
  }

  private int insert(EntryStore store, long address) {
    return store.insert(key(address));
  }

  private AddressKey key(long address) {
    key.setIpv4(address);
    return key;
  }
}
