// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.testing.Quick.same;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
        .isEqualTo(RunShape.ONE_ROW);
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
              middle.inner() == RunShape.ONE_ROW ? middle.inner() : 1 + random.nextInt(3),
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
      boolean partOfRow = shape.inner() != RunShape.ONE_ROW && limit % shape.inner() != 0;
      same(all && !partOfRow, false, "%s behind %s, -Dofi4j.seed=%s", shape, limit, SEED);
    }
  }

  /** All small shapes, compared with one that is written down address by address. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void everySmallShape(boolean portsFirst) {
    for (int inner : new int[] {1, 2, 3, 5, RunShape.ONE_ROW}) {
      for (int nodeStep = -3; nodeStep <= 3; nodeStep++) {
        for (int portStep = -3; portStep <= 3; portStep++) {
          compare(nodeStep, portStep, inner, portsFirst);
        }
      }
    }
  }

  private static void compare(int nodeStep, int portStep, int inner, boolean portsFirst) {
    RunShape shape = small(nodeStep, portStep, inner, portsFirst);
    Map<Long, Integer> places = new HashMap<>();
    for (int i = 0; i < 12; i++) {
      int row = i / inner;
      int column = i % inner;
      long node = 1000L + (portsFirst ? row : column) * nodeStep;
      int port = 1000 + (portsFirst ? column : row) * portStep;
      assertThat(shape.node(i)).as("%s at %s", shape, i).isEqualTo(node);
      assertThat(shape.port(i)).as("%s at %s", shape, i).isEqualTo(port);
      places.putIfAbsent(node << 32 | port, i);
    }
    int columns = portsFirst ? portStep : nodeStep;
    int rows = portsFirst ? nodeStep : portStep;
    if ((columns == 0 && inner > 1) || (rows == 0 && inner < 12)) {
      return; // not one address for each position
    }
    for (long node = 960; node <= 1040; node++) {
      for (int port = 960; port <= 1040; port++) {
        Integer expected = places.get(node << 32 | port);
        long found = shape.position(node, port);
        if (expected != null) {
          assertThat(found).as("%s: %s %s", shape, node, port).isEqualTo((int) expected);
        } else if (found >= 0) {
          assertThat(found).as("%s: %s %s", shape, node, port).isGreaterThanOrEqualTo(12);
        }
      }
    }
  }

  private static RunShape small(int nodeStep, int portStep, int inner, boolean portsFirst) {
    return new RunShape(false, 0, 1000, 0, 1000, nodeStep, portStep, inner, portsFirst, 0);
  }

  @Test
  void distancesThatWrapAroundAreNoPositions() {
    for (int step : new int[] {-1, 1}) {
      RunShape row = small(step, 0, RunShape.ONE_ROW, false);
      assertThat(row.position(1000 + Long.MIN_VALUE, 1000)).isNegative();
    }
    assertThat(small(1, 0, RunShape.ONE_ROW, false).position(999 + Long.MIN_VALUE, 1000))
        .isNegative();
    RunShape rows = small(1, 1, 4, true);
    assertThat(rows.position(999 + Long.MIN_VALUE, 1002)).isNegative();
    assertThat(rows.position(1000 + (1L << 31), 1000)).isNegative();
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
    int inner = oneRow ? RunShape.ONE_ROW : 1 + random.nextInt(20);
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
