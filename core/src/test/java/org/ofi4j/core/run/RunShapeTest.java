// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;

class RunShapeTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final AddressKey one = new AddressKey();
  private final AddressKey other = new AddressKey();

  @Test
  void isTheRange() {
    AddressRange range = new AddressRange(true, 7, 0xFFFF_FF00L, 3, 65_000, 50, 5);
    RunShape shape = RunShape.of(range);
    for (int i = 0; i < range.count(); i++) {
      int port = range.port() + i % range.services();
      one.setIpv6(range.high(), range.low() + i / range.services(), port, 0, range.scope());
      shape.at(i, other);
      assertThat(one.sameAddress(other)).isTrue();
      assertThat(shape.position(other.word(1), (int) other.word(2))).isEqualTo(i);
    }
    assertThat(RunShape.of(new AddressRange(false, 0, 9, 0, 1, 8, 1)).inner())
        .isEqualTo(Progression.ONE_ROW);
    assertThat(RunShape.of(new AddressRange(false, 0, 9, 0, 1, 1, 8)).portsFirst()).isTrue();
  }

  @Test
  void partsHaveTheSameAddresses() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 20_000; i++) {
      RunShape shape = random(random);
      int from = random.nextInt(100);
      RunShape part = shape.from(from);
      int again = random.nextInt(50);
      for (RunShape same : new RunShape[] {part, shape.from(again).from(from)}) {
        int begin = from + (same == part ? 0 : again);
        for (int position = 0; position < 30; position++) {
          String what = shape + " from " + begin + " at " + position + ", -Dofi4j.seed=" + SEED;
          assertThat(same.node(position)).as(what).isEqualTo(shape.node(begin + position));
          assertThat(same.port(position)).as(what).isEqualTo(shape.port(begin + position));
          assertThat(same.position(same.node(position), same.port(position)))
              .as(what)
              .isEqualTo(position);
          if (position > 0) {
            assertThat(same.position(same.node(0), same.port(0)) == position).as(what).isFalse();
          }
        }
        assertThat(same.skip()).isLessThan(same.inner());
        if (begin > 0) {
          assertThat(same.position(shape.node(begin - 1), shape.port(begin - 1))).isNegative();
        }
      }
    }
  }

  @Test
  void theLimitIsTheLastAddressThatExists() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < 20_000; i++) {
      RunShape middle = random(random);
      RunShape shape =
          new RunShape(
              middle.ipv6(),
              middle.high(),
              random.nextInt(20) + (middle.nodeStep() < 0 ? 0 : 0xFFFF_FFE0L),
              middle.scope(),
              middle.portStep() < 0 ? random.nextInt(20) : 65_535 - random.nextInt(20),
              middle.nodeStep(),
              middle.portStep(),
              middle.inner() == Progression.ONE_ROW ? middle.inner() : 1 + random.nextInt(3),
              middle.portsFirst(),
              0);
      int limit = shape.limit();
      if (limit > 10_000) {
        continue;
      }
      for (int position = 0; position < limit; position++) {
        assertThat(exists(shape, position)).as(shape + " " + position).isTrue();
      }
      int behind = limit;
      boolean all = true;
      for (int position = behind; position < behind + 3; position++) {
        all &= exists(shape, position);
      }
      boolean partOfRow = shape.inner() != Progression.ONE_ROW && limit % shape.inner() != 0;
      assertThat(all && !partOfRow)
          .as(shape + " behind " + limit + ", -Dofi4j.seed=" + SEED)
          .isFalse();
    }
  }

  private static boolean exists(RunShape shape, int position) {
    long node = shape.node(position);
    int port = shape.port(position);
    return node >= 0 && node >>> 32 == 0 && port >= 0 && port <= RunShape.MAX_PORT;
  }

  /** A shape with 200 addresses at least. */
  static RunShape random(SplittableRandom random) {
    boolean portsFirst = random.nextBoolean();
    boolean oneRow = random.nextInt(3) == 0;
    int sign = random.nextBoolean() ? 1 : -1;
    int otherSign = random.nextBoolean() ? 1 : -1;
    int step = sign * (1 + random.nextInt(3));
    int otherStep = oneRow ? 0 : otherSign * (1 + random.nextInt(3));
    int inner = oneRow ? Progression.ONE_ROW : 1 + random.nextInt(20);
    boolean ipv6 = random.nextInt(3) == 0;
    return new RunShape(
        ipv6,
        ipv6 ? random.nextInt(3) : 0,
        0x0A00_0000L + random.nextInt(3000) + (ipv6 ? (long) random.nextInt(2) << 32 : 0),
        ipv6 ? random.nextInt(2) : 0,
        3000 + random.nextInt(600),
        portsFirst ? otherStep : step,
        portsFirst ? step : otherStep,
        inner,
        portsFirst,
        0);
  }
}
