// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.ofi4j.core.address.AddressRange;

/** Overlaps of random runs, compared with a look at every address. */
class RunOverlapTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  @Test
  void everySmallPairOfProgressions() {
    for (int step = -4; step <= 4; step++) {
      for (int otherStep = -4; otherStep <= 4; otherStep++) {
        for (int other = -9; other <= 9; other++) {
          for (int otherCount = 1; otherCount <= (otherStep == 0 ? 1 : 4); otherCount++) {
            for (int from = 0; from < 3; from++) {
              long found = Progression.meet(0, step, from, 5, other, otherStep, otherCount);
              long expected = -1;
              for (int i = step == 0 && from > 0 ? 6 : from; i <= 5 && expected < 0; i++) {
                for (int j = 0; j < otherCount; j++) {
                  if (i * step == other + j * otherStep) {
                    expected = i;
                  }
                }
              }
              assertThat(found)
                  .as("%s %s from %s: %s %s %s", step, from, 5, other, otherStep, otherCount)
                  .isEqualTo(expected);
            }
          }
        }
      }
    }
  }

  @Test
  void doesWhatALookAtEveryAddressDoes() {
    SplittableRandom random = new SplittableRandom(SEED);
    int common = 0;
    for (int round = 0; round < 40_000; round++) {
      RunShape shape = near(random);
      RunShape other = near(random);
      int count = 1 + random.nextInt(60);
      int otherCount = 1 + random.nextInt(60);
      RunOverlap overlap = new RunOverlap(shape, count, other, otherCount);
      String what = shape + " " + count + "\n" + other + " " + otherCount + "\nseed " + SEED;
      int at = random.nextInt(count + 1);
      while (at < count) {
        long both = overlap.next(at);
        int next = RunOverlap.position(both);
        for (int i = at; i < next; i++) {
          assertThat(place(shape, i, other, otherCount)).as(what + " at " + i).isEqualTo(-1);
        }
        if (next == count) {
          break;
        }
        int length = overlap.length(both);
        int place = RunOverlap.place(both);
        assertThat(length).as(what).isPositive();
        for (int i = 0; i < length; i++) {
          assertThat(place(shape, next + i, other, otherCount))
              .as(what + " at " + (next + i))
              .isEqualTo(place + i);
        }
        common += length;
        at = next + length;
      }
    }
    assertThat(common).isGreaterThan(1000);
  }

  @Test
  void largeRangesAreNoMoreWork() {
    RunShape all = RunShape.of(new AddressRange(false, 0, 0, 0, 7, Integer.MAX_VALUE, 1));
    RunOverlap same = new RunOverlap(all, Integer.MAX_VALUE - 1, all, Integer.MAX_VALUE - 1);
    long both = same.next(0);
    assertThat(RunOverlap.position(both)).isZero();
    assertThat(same.length(both)).isEqualTo(Integer.MAX_VALUE - 1);
    RunShape box = RunShape.of(new AddressRange(false, 0, 0, 0, 0, 1 << 20, 1 << 10));
    RunShape beside = RunShape.of(new AddressRange(false, 0, 0, 0, 1 << 10, 1 << 20, 1 << 10));
    assertThat(position(new RunOverlap(box, 1 << 30, beside, 1 << 30))).isEqualTo(1 << 30);
    RunShape last = RunShape.of(new AddressRange(false, 0, (1 << 20) - 1, 0, 1023, 1, 1));
    assertThat(position(new RunOverlap(box, 1 << 30, last, 1))).isEqualTo((1 << 30) - 1);
  }

  private static int position(RunOverlap overlap) {
    return RunOverlap.position(overlap.next(0));
  }

  private static int place(RunShape shape, int at, RunShape other, int otherCount) {
    if (!shape.sameNetwork(other)) {
      return -1;
    }
    long place = other.position(shape.node(at), shape.port(at));
    return place < 0 || place >= otherCount ? -1 : (int) place;
  }

  /** A shape not far from others. */
  private static RunShape near(SplittableRandom random) {
    boolean oneRow = random.nextInt(3) == 0;
    boolean portsFirst = random.nextBoolean();
    int step = (random.nextBoolean() ? 1 : -1) * (1 + random.nextInt(3) % 2 * random.nextInt(4));
    int otherStep = (random.nextBoolean() ? 1 : -1) * (1 + random.nextInt(3) % 2);
    int inner = oneRow ? Progression.ONE_ROW : 1 + random.nextInt(8);
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
