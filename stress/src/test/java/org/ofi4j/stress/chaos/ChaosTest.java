// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.AddressVector;

/** What survives kill -9, and that the referee would see if something did not. */
class ChaosTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  @Test
  @Timeout(300)
  void nothingConfirmedIsLost() throws Exception {
    ChaosReport report = Chaos.run(new ChaosOptions(4, 4, SEED), (what, done, steps) -> {});

    assertThat(report.violations()).as("-Dofi4j.seed=%s", SEED).isEmpty();
    assertThat(report.kills()).isEqualTo(4);
    assertThat(report.verifications()).isEqualTo(5);
    assertThat(report.looks() + report.changes()).isPositive();
  }

  private static WatchedProcess saying(int number, String... lines) throws Exception {
    String script = "for line in \"$@\"; do echo \"$line\"; done; exec sleep 600";
    List<String> command = new ArrayList<>(List.of("sh", "-c", script, "sh"));
    command.addAll(List.of(lines));
    WatchedProcess process = new WatchedProcess(number, command);
    long deadline = System.nanoTime() + 60_000_000_000L;
    while (process.looks() == 0 && process.complaint() == null) {
      assertThat(System.nanoTime()).as("patience").isLessThan(deadline);
      Thread.sleep(1);
    }
    process.kill();
    return process;
  }

  @Test
  void theRefereeSeesWhatIsMissingMovedOrNew() throws Exception {
    String name = "referee " + UUID.randomUUID();
    long first = ChaosAddresses.scattered(7, 0);
    long second = ChaosAddresses.scattered(7, 1);
    long third = ChaosAddresses.ranged(7, 0, 1);
    try (ChaosVector writing = new ChaosVector(name, false);
        ChaosVector reading = new ChaosVector(name, true)) {
      AddressVector vector = writing.vector();
      vector.insert(ChaosAddresses.of(first));
      vector.insert(ChaosAddresses.of(second));
      Referee referee = new Referee(name, writing, reading);
      referee.change();
      referee.verify("now");
      referee.judge(saying(7, "+" + first + ";", "=0;", "+" + second + ";", "?1;", "=1"), true);
      assertThat(referee.judgeAll()).as("the last line was cut off").isEqualTo(2);
      assertThat(referee.violations()).isEmpty();

      referee.judge(saying(7, "+" + third + ";", "=2;", "?1;"), false);
      assertThat(referee.violations()).singleElement().asString().contains("there is nothing");
      referee.judge(saying(7, "+" + second + ";", "=0;", "?1;"), false);
      assertThat(referee.violations()).hasSize(2).last().asString().contains("found at 1");
      vector.insert(ChaosAddresses.of(ChaosAddresses.scattered(8, 9)));
      referee.judgeAll();
      assertThat(referee.violations()).last().asString().contains("announced by nobody");
    }
  }

  @Test
  void aProcessThatEndsByItselfOrComplainsIsReported() throws Exception {
    assertThat(saying(3, "!half an address;").complaint()).isEqualTo("process 3: half an address");
    assertThat(saying(3, "nonsense;").complaint()).contains("it said nonsense");
    assertThat(saying(3, "+1 2;", "=1;").complaint()).contains("1 outcomes of 2");
    WatchedProcess ended = new WatchedProcess(4, List.of("sh", "-c", "exit 5"));
    while (ended.isAlive()) {
      Thread.sleep(1);
    }
    assertThat(ended.complaint()).contains("status 5");
  }

  @Test
  void addressesAreOfOneProcessAndTellWhetherTheyAreWhole() {
    Set<Long> seen = new HashSet<>();
    for (int process : new int[] {1, 2, 4095}) {
      for (int number : new int[] {0, 1, 4095, 4096, ChaosAddresses.NUMBERS - 1}) {
        long word = ChaosAddresses.scattered(process, number);
        assertThat(seen.add(word)).isTrue();
        assertThat(ChaosAddresses.isWhole(word)).isTrue();
        assertThat(ChaosAddresses.word(ChaosAddresses.of(word))).isEqualTo(word);
        assertThat(ChaosAddresses.isWhole(word ^ 1 << 3)).as("port").isFalse();
      }
      for (int node : new int[] {0, 1, 4095, 4096, ChaosAddresses.NODES - 1}) {
        long word = ChaosAddresses.ranged(process, node, 3);
        assertThat(seen.add(word)).isTrue();
        assertThat(ChaosAddresses.isWhole(word)).isTrue();
      }
    }
    assertThat(ChaosAddresses.isWhole(0)).isFalse();
    assertThat(ChaosAddresses.text(ChaosAddresses.ranged(1, 2, 3))).isEqualTo("12.0.16.2:5003");
  }

  @Test
  void whatCannotBeIsRefused() {
    assertThatThrownBy(() -> new ChaosOptions(1, 5, 0)).hasMessageContaining("processes 1");
    assertThatThrownBy(() -> new ChaosOptions(4, 0, 0)).hasMessageContaining("kills 0");
    assertThatThrownBy(() -> new ChaosOptions(4, 5000, 0)).hasMessageContaining("kills 5000");
  }
}
