// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Faults at random: of members, which are processes of their own, and of three servers. Once more
 * with {@code -Dofi4j.seed}, and as many as {@code -Dofi4j.faults} says.
 */
@Order(1)
class RefereeTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int FAULTS = Integer.getInteger("ofi4j.faults", 60);

  @Test
  @Tag("long")
  @Timeout(value = 120, unit = TimeUnit.MINUTES)
  @DisplayName("After each round of faults all vectors are the truth, and no handle was wrong")
  void faults() {
    long begin = System.nanoTime();
    Addresses addresses = new Addresses();
    try (Referee referee = new Referee(addresses)) {
      Faults faults = new Faults(referee, addresses, SEED);
      referee.judge();
      int said = 0;
      while (faults.count() < FAULTS && referee.findings().isEmpty()) {
        faults.round();
        referee.judge();
        if (faults.count() >= said + 50) {
          said = faults.count();
          System.out.println(text(begin, faults, referee));
        }
      }
      System.out.println(text(begin, faults, referee));
      assertThat(referee.findings()).as("-Dofi4j.seed=%s, %s", SEED, faults.summary()).isEmpty();
    }
  }

  private static String text(long begin, Faults faults, Referee referee) {
    return "%d s, -Dofi4j.seed=%d: %s, %s"
        .formatted(
            TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin),
            SEED,
            faults.summary(),
            referee.summary());
  }
}
