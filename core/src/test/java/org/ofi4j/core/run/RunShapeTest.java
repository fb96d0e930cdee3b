// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.testing.Quick.same;

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
      int again = random.nextInt(50);
      for (int first : new int[] {0, again}) {
        RunShape part = shape.from(first).from(from);
        int begin = first + from;
        for (int position = 0; position < 30; position++) {
          long node = part.node(position);
          int port = part.port(position);
          boolean right =
              node == shape.node(begin + position)
                  && port == shape.port(begin + position)
                  && part.position(node, port) == position;
          same(right, true, "%s from %s at %s, -Dofi4j.seed=%s", shape, begin, position, SEED);
        }
        same(part.skip() < part.inner(), true, "%s from %s", shape, begin);
        if (begin > 0) {
          long behind = part.position(shape.node(begin - 1), shape.port(begin - 1));
          same(behind < 0, true, "%s from %s", shape, begin);
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
        same(exists(shape, position), true, "%s %s", shape, position);
      }
      int behind = limit;
      boolean all = true;
      for (int position = behind; position < behind + 3; position++) {
        all &= exists(shape, position);
      }
      boolean partOfRow = shape.inner() != Progression.ONE_ROW && limit % shape.inner() != 0;
      same(all && !partOfRow, false, "%s behind %s, -Dofi4j.seed=%s", shape, limit, SEED);
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
