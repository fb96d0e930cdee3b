// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;
import org.ofi4j.cli.CommandRun;
import org.ofi4j.cli.output.JsonReader;
import org.ofi4j.cli.output.JsonReader.Value;
import org.ofi4j.conformance.Verdict;

class ConformanceCommandTest {
  @Test
  void aSectionRuleByRule() {
    CommandRun run = CommandRun.of("conformance", "-p", "udp", "-s", "lkp,cnt");
    assertThat(run.out())
        .contains("LKP", "CNT", "AV-136", "AV-035", "provider udp: 6 rules")
        .doesNotContain("AV-083");
    assertThat(run.code()).as(run.out()).isZero();
  }

  @Test
  void rulesAsJson() {
    CommandRun run = CommandRun.of("conformance", "-r", "AV-136,AV-037", "--json");
    assertThat(run.code()).as(run.out()).isZero();
    List<Value> rules = run.json().get("rules").list();
    assertThat(rules.stream().map(rule -> rule.get("id").text()))
        .containsExactlyInAnyOrder("AV-136", "AV-037");
    JsonReader.Value counts = run.json().get("counts");
    double counted = 0;
    for (Verdict verdict : Verdict.values()) {
      counted += counts.get(verdict.name().toLowerCase(Locale.ROOT).replace('_', ' ')).number();
    }
    assertThat(counted).isEqualTo(2);
  }

  /** Random sequences of calls prove nothing alone and take long. */
  @Test
  void oneRuleRunsItsOwnTestsOnly() {
    CommandRun run = CommandRun.of("conformance", "-r", "AV-083", "--json");
    assertThat(run.code()).as(run.out()).isZero();
    assertThat(run.json().get("counts").get("proven").number()).isEqualTo(1);
    CommandRun random = CommandRun.of("conformance", "-r", "AV-103", "--random", "--json");
    CommandRun without = CommandRun.of("conformance", "-r", "AV-103", "--json");
    assertThat(without.code()).isZero();
    assertThat(without.json().get("tests").number()).isPositive();
    assertThat(without.json().get("tests").number())
        .isLessThan(random.json().get("tests").number());
  }

  /** Datagrams have no groups: nothing is proven then, and the exit status says so. */
  @Test
  void whatIsNotOfferedIsNoSuccess() {
    CommandRun run = CommandRun.of("conformance", "-p", "udp", "-r", "AV-195");
    assertThat(run.out()).contains("not offered", "AV-195", "0 failed");
    assertThat(run.code()).as(run.out()).isEqualTo(1);
  }

  @Test
  void nothingToTest() {
    assertThat(CommandRun.of("conformance", "-r", "AV-999").err())
        .contains("there is no rule AV-999");
    assertThat(CommandRun.of("conformance", "-r", "AV-083", "-s", "lkp").err())
        .contains("there is no rule AV-083 in section LKP");
    CommandRun section = CommandRun.of("conformance", "-s", "nonsense");
    assertThat(section.code()).isEqualTo(2);
    assertThat(section.err()).contains("NONSENSE");
    CommandRun provider = CommandRun.of("conformance", "-p", "no-such-provider");
    assertThat(provider.code()).isEqualTo(61);
  }
}
