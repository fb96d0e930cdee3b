// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.testing.Allocation;

/** The intervals of runs in which all entries live. */
class LiveIntervalsTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int INDICES = 400;

  private final LiveIntervals live = new LiveIntervals();

  private static RunShape row(int node) {
    return RunShape.row((long) node << 16 | 7, 1, 0);
  }

  private int known(int from, int to) {
    int known = 0;
    for (int i = from; i < to; i++) {
      known += live.ipv4(i) >= 0 ? 1 : 0;
    }
    return known;
  }

  @Test
  void intervalHasTheAddressesOfItsRun() {
    RunShape rows = new RunShape(false, 0, 100, 0, 7, 1, 2, 10, true, 3);
    live.add(rows, 50, 50, 90);
    for (int i = 50; i < 90; i++) {
      assertThat(live.ipv4(i)).isEqualTo(rows.ipv4(i - 50));
    }
    for (int other : new int[] {-1, 0, 49, 90, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      assertThat(live.ipv4(other)).isEqualTo(-1);
    }
  }

  @Test
  void intervalGrowsWithItsRun() {
    live.add(row(5), 10, 10, 20);
    live.add(row(5), 10, 20, 30);
    live.add(row(5), 10, 30, 31);
    // It was one interval all the time: so many others have room.
    for (int i = 1; i < RunSnapshot.MAX; i++) {
      live.add(row(1000 * i), 1000 * i, 1000 * i, 1000 * i + 50);
    }
    assertThat(known(0, 1000)).isEqualTo(21);
    assertThat(known(1000, 1000 * RunSnapshot.MAX)).isEqualTo(50 * (RunSnapshot.MAX - 1));
  }

  @Test
  void shortestIntervalMakesRoomForLongerOne() {
    for (int i = 0; i < RunSnapshot.MAX; i++) {
      live.add(row(1000 * i), 1000 * i, 1000 * i, 1000 * i + 50 + i);
    }
    int behind = 1000 * RunSnapshot.MAX;
    live.add(row(behind), behind, behind, behind + 50);
    assertThat(known(behind, behind + 1000)).as("not longer").isZero();
    live.add(row(behind), behind, behind, behind + 51);
    assertThat(known(behind, behind + 1000)).isEqualTo(51);
    assertThat(known(0, 1000)).isZero();
    assertThat(known(1000, 2000)).isEqualTo(51);
  }

  @Test
  void restIsKnownWhenOneDies() {
    live.add(row(5), 0, 0, 100);
    live.remove(40, 41);
    assertThat(live.ipv4(40)).isEqualTo(-1);
    assertThat(known(0, 100)).isEqualTo(99);
    live.remove(0, 1);
    live.remove(99, 100);
    assertThat(known(0, 100)).isEqualTo(97);
    live.remove(20, Integer.MAX_VALUE);
    assertThat(known(0, 100)).isEqualTo(19);
    live.remove(0, Integer.MAX_VALUE);
    assertThat(known(0, 100)).isZero();
  }

  /** Whatever comes and goes: what is known is live and has that address. */
  @Test
  void nothingIsKnownThatIsNotSo() {
    SplittableRandom random = new SplittableRandom(SEED);
    TreeMap<Integer, Long> all = new TreeMap<>();
    int steps = 5000;
    long known = 0;
    for (int step = 0; step < steps; step++) {
      int first = random.nextInt(INDICES);
      int end = first + 1 + random.nextInt(40);
      boolean free = all.subMap(first, end).isEmpty();
      if (free && random.nextInt(3) > 0) {
        int origin = first - random.nextInt(2) * (first - first / 100 * 100);
        RunShape shape =
            random.nextBoolean()
                ? row(origin * 10)
                : new RunShape(false, 0, origin, 0, 7, 1, 1, 5, random.nextBoolean(), 0);
        live.add(shape, origin, first, end);
        for (int i = first; i < end; i++) {
          all.put(i, shape.ipv4(i - origin));
        }
      } else {
        live.remove(first, end);
        all.subMap(first, end).clear();
      }
      for (int i = -1; i < INDICES + 50; i++) {
        long address = live.ipv4(i);
        if (address >= 0) {
          known++;
          assertThat(address)
              .as("%s, step %s, -Dofi4j.seed=%s", i, step, SEED)
              .isEqualTo(all.get(i));
        }
      }
    }
    assertThat(known).isGreaterThan(steps * 10L);
  }

  @Test
  @Tag("AV-127")
  void removalsAllocateNothingOnceThereAreManyHoles() {
    live.add(row(5), 0, 0, 1_000_000);
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 20_000; i++) {
      int index = random.nextInt(1_000_000);
      live.remove(index, index + 1);
    }
    long before = Allocation.bytes();
    for (int i = 0; i < 100_000; i++) {
      int index = random.nextInt(1_000_000);
      live.remove(index, index + 1);
    }
    assertThat(Allocation.bytes() - before).as("-Dofi4j.seed=%s", SEED).isLessThan(100_000);
  }

  @Test
  @Tag("AV-117")
  void entriesOfRunsAreKnownUntilTheyDie() {
    LiveIntervals known;
    try (EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE)) {
      store.insertRange(new AddressRange(false, 0, 1000, 0, 7, 500, 1), new RangeOutcome());
      for (int i = 500; i < 600; i++) {
        int[] outcome = new int[1];
        store.insertIpv4(new long[] {(1000L + i) << 16 | 7}, 1, outcome);
        assertThat(outcome[0]).isEqualTo(i);
      }
      known = ((SegmentEntryStore) store).runs().live();
      for (int i = 0; i < 600; i++) {
        assertThat(known.ipv4(i)).isEqualTo((1000L + i) << 16 | 7);
      }
      assertThat(store.remove(300)).isZero();
      assertThat(known.ipv4(300)).isEqualTo(-1);
      assertThat(known.ipv4(299)).isEqualTo(1299L << 16 | 7);
      assertThat(known.ipv4(301)).isEqualTo(1301L << 16 | 7);
      assertThat(store.remove(599)).isZero();
      assertThat(known.ipv4(599)).isEqualTo(-1);
    }
    assertThat(known.ipv4(0)).as("closed").isEqualTo(-1);
  }
}
