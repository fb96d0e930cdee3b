// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.conformance.harness.Addresses.a;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AvAttributes;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Gate;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Seeds;
import org.ofi4j.conformance.harness.Setup;

/** ASY: what may and what may not come before what. */
@ConformanceTest
class AsynchronousOrderTests {
  static List<Setup> profiles() {
    return Setup.profiles();
  }

  @Proves("AV-061")
  @Test
  void completionsOfDifferentCallsMayOvertake(ConformanceEnvironment environment) {
    Gate gate = new Gate();
    AsyncVector async = environment.asyncVector(Setup.DEFAULT, AvAttributes.table().resolver(gate));
    Insertion slow;
    Insertion fast;
    try {
      slow = async.vector().insertService("host3", "5000", InsertOptions.none().context("slow"));
      gate.awaitQuestion();
      fast = async.vector().insert(List.of(a(1)), InsertOptions.none().context("fast"));
    } finally {
      gate.open();
    }

    // Either order will do, as long as both come.
    assertThat(async.events().next(2))
        .allSatisfy(event -> assertThat(event).isInstanceOf(Event.InsertionComplete.class))
        .extracting(Event::context)
        .containsExactlyInAnyOrder("slow", "fast");
    Expect.address(async.vector(), slow.handle(0), Addresses.ipv4(0x0a09_0003, 5000));
    Expect.address(async.vector(), fast.handle(0), a(1));
    async.events().expectSilence();
  }

  @Proves("AV-062")
  @ParameterizedTest
  @MethodSource("profiles")
  void errorsOfCallPrecedeItsCompletion(Setup setup, ConformanceEnvironment environment) {
    long seed = Seeds.pick();
    Random random = new Random(seed);
    AsyncVector async = environment.asyncVector(setup);
    List<Integer> failing = new ArrayList<>();
    List<Inserted> insertions = new ArrayList<>();
    for (int batch = 0; batch < 100; batch++) {
      List<FabricAddress> list = new ArrayList<>();
      int bad = 0;
      for (int i = random.nextInt(12); i > 0; i--) {
        boolean good = random.nextBoolean();
        list.add(good ? a(batch * 16 + i) : Addresses.BAD);
        bad += good ? 0 : 1;
      }
      failing.add(bad);
      InsertForm form = random.nextBoolean() ? InsertForm.PACKED : InsertForm.COLLECTION;
      insertions.add(form.insert(async.vector(), list, batch));
    }

    Map<Object, Integer> errors = new HashMap<>();
    int completions = 0;
    while (completions < 100) {
      Event event = async.events().next();
      int batch = (Integer) Expect.present(event.context());
      if (event instanceof Event.Failure failure) {
        errors.merge(batch, 1, Integer::sum);
        assertThat(insertions.get(batch).fi((int) failure.data()))
            .as("handle of the address that failed; %s", Seeds.repeat(seed))
            .isEqualTo(-1);
      } else {
        completions++;
        assertThat(errors.getOrDefault(batch, 0))
            .as("errors read before completion %d; %s", batch, Seeds.repeat(seed))
            .isEqualTo(failing.get(batch));
        assertThat(event.data())
            .as("inserted by call %d; %s", batch, Seeds.repeat(seed))
            .isEqualTo(insertions.get(batch).fi().length - failing.get(batch));
      }
    }
    async.events().expectSilence();
  }
}
