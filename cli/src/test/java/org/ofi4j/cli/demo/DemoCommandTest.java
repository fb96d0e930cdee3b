// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.cli.CommandRun;
import org.ofi4j.cli.output.JsonReader.Value;

class DemoCommandTest {
  @Test
  void jsonHasEachStepAndItsChecksAndNothingIsLeftBehind() {
    CommandRun run = CommandRun.of("demo", "--json");
    assertThat(run.code()).as(run.out()).isZero();
    Value json = run.json();
    List<Value> steps = json.get("steps").list();
    assertThat(steps).hasSize(11);
    long checks =
        steps.stream()
            .flatMap(step -> step.get("lines").list().stream())
            .filter(line -> line.has("holds"))
            .peek(line -> assertThat(line.get("holds").isTrue()).isTrue())
            .count();
    assertThat(json.get("passed").number()).isEqualTo((double) checks);
    assertThat(json.get("failed").number()).isZero();
    // Where the machine is held up, a step that takes long says how far it is.
    assertThat(run.err().lines().filter(line -> !line.matches("ofi4j: inserting, .* after \\d+ s")))
        .isEmpty();
    assertThat(ProcessHandle.current().children().filter(ProcessHandle::isAlive)).isEmpty();
  }

  /** The second JVM ends with its input, however the first one ended. */
  @Test
  void thePeerEndsWithItsInput() {
    CommandRun run = CommandRun.withInput("frobnicate\nsend to nobody\nlook", "demo-peer");
    assertThat(run.code()).isZero();
    List<String> answers = run.out().lines().toList();
    assertThat(answers.get(0)).startsWith("address fi_sockaddr_in://127.0.0.1:");
    assertThat(answers.get(1)).isEqualTo("error unknown command frobnicate");
    assertThat(answers.get(2)).startsWith("error EINVAL");
    assertThat(answers.get(3)).isEqualTo("error no message came");
  }
}
