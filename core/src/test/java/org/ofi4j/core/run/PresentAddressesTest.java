// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.testing.Quick.same;

import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.store.StoreParts;

/** Addresses that ranges have in common with random runs, compared with a look at every address. */
class PresentAddressesTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final EntryStore store =
      new EntryStore(
          StoreOptions.of(0, true, DuplicatePolicy.SHARE), new ArenaMemory(Long.MAX_VALUE));
  private final StoreParts parts = store.parts();

  @AfterEach
  void close() {
    store.close();
  }

  private PresentAddresses present(RunShape shape, int count, Run run) {
    parts.runs().replaceAll(List.of(run));
    return new PresentAddresses(
        shape, count, parts.runs(), parts.slots(), parts.cells(), parts.entries());
  }

  @Test
  void doesWhatALookAtEveryAddressDoes() {
    SplittableRandom random = new SplittableRandom(SEED);
    int common = 0;
    for (int round = 0; round < 40_000; round++) {
      RunShape shape = near(random, random.nextBoolean());
      int count = 1 + random.nextInt(60);
      Run run = new Run(random.nextInt(9), 1 + random.nextInt(60), near(random, false), 0, 0);
      PresentAddresses present = present(shape, count, run);
      String what = shape + " " + count + "\n" + run + "\nseed " + SEED;
      int at = 0;
      while (at < count) {
        PresentAddresses.Stretch stretch = present.next(at);
        int next = stretch == null ? count : stretch.position();
        for (int i = at; i < next; i++) {
          same(index(shape, i, run), -1, what);
        }
        if (stretch == null) {
          break;
        }
        assertThat(stretch.length()).as(what).isPositive();
        for (int i = 0; i < stretch.length(); i++) {
          same(index(shape, next + i, run), stretch.index() + i, what);
        }
        common += stretch.length();
        at = next + stretch.length();
      }
    }
    assertThat(common).isGreaterThan(1000);
  }

  @Test
  void largeRangesAreNoMoreWork() {
    int most = Integer.MAX_VALUE - 1;
    RunShape all = RunShape.of(new AddressRange(false, 0, 0, 0, 7, Integer.MAX_VALUE, 1));
    assertThat(present(all, most, new Run(0, most, all, 0, 0)).next(0))
        .isEqualTo(new PresentAddresses.Stretch(0, 0, most));
    RunShape box = RunShape.of(new AddressRange(false, 0, 0, 0, 0, 1 << 20, 1 << 10));
    Run same = new Run(5, 1 << 30, box, 0, 0);
    assertThat(present(box, 1 << 30, same).next(0))
        .isEqualTo(new PresentAddresses.Stretch(0, 5, 1 << 30));
    RunShape beside = RunShape.of(new AddressRange(false, 0, 0, 0, 1 << 10, 1 << 20, 1 << 10));
    assertThat(present(box, 1 << 30, new Run(0, 1 << 30, beside, 0, 0)).next(0)).isNull();
    RunShape last = RunShape.of(new AddressRange(false, 0, (1 << 20) - 1, 0, 1023, 1, 1));
    assertThat(present(box, 1 << 30, new Run(8, 1, last, 0, 0)).next(0))
        .isEqualTo(new PresentAddresses.Stretch((1 << 30) - 1, 8, 1));
    assertThat(present(last, 1, same).next(0))
        .isEqualTo(new PresentAddresses.Stretch(0, 5 + (1 << 30) - 1, 1));
  }

  /** The index that a run has for an address, or -1. */
  private static int index(RunShape shape, int at, Run run) {
    RunShape other = run.shape();
    long place = shape.sameNetwork(other) ? other.position(shape.node(at), shape.port(at)) : -1;
    return place < 0 || place >= run.count() ? -1 : run.first() + (int) place;
  }

  /** A shape not far from others. */
  private static RunShape near(SplittableRandom random, boolean isDense) {
    boolean oneRow = random.nextInt(3) == 0;
    boolean portsFirst = random.nextBoolean();
    int step = (random.nextBoolean() ? 1 : -1) * (1 + random.nextInt(3) % 2 * random.nextInt(4));
    int otherStep = (random.nextBoolean() ? 1 : -1) * (1 + random.nextInt(3) % 2);
    if (isDense) {
      step = 1;
      otherStep = 1;
    }
    int inner = oneRow ? RunShape.ONE_ROW : 1 + random.nextInt(8);
    boolean ipv6 = random.nextInt(8) == 0;
    RunShape shape =
        new RunShape(
            ipv6,
            ipv6 ? 5 : 0,
            1000 + random.nextInt(8) + (ipv6 ? 7L << 32 : 0),
            0,
            1000 + random.nextInt(8),
            portsFirst ? oneRow ? 0 : otherStep : step,
            portsFirst ? step : oneRow ? 0 : otherStep,
            inner,
            portsFirst,
            0);
    return random.nextBoolean() ? shape : shape.from(random.nextInt(30));
  }
}
