// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Gate;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Seeds;
import org.ofi4j.conformance.harness.Setup;

/** ASY: what may and what may not come before what. */
@ConformanceTest
class AsynchronousOrderTests extends AddressTests {
  @Proves("AV-061")
  @Test
  void completionsOfDifferentCallsMayOvertake(ConformanceEnvironment environment) {
    Gate gate = environment.gate();
    AsyncVector async =
        environment.asyncVector(Setup.DEFAULT, VectorOptions.table().withResolver(gate));
    Insertion slow =
        async.vector().insertService("host3", "5000", InsertOptions.none().withContext("slow"));
    gate.awaitQuestion();
    Insertion fast = async.vector().insert(List.of(a(1)), InsertOptions.none().withContext("fast"));
    gate.open();

    // Either order will do, as long as both come.
    assertThat(async.events().next(2))
        .allSatisfy(event -> assertThat(event).isInstanceOf(Event.InsertionComplete.class))
        .extracting(Event::context)
        .containsExactlyInAnyOrder("slow", "fast");
    Expect.address(async.vector(), slow.handle(0), ipv4(0x0a09_0003, 5000));
    Expect.address(async.vector(), fast.handle(0), a(1));
    async.events().expectSilence();
  }

  @Proves({"AV-061", "AV-178"})
  @ParameterizedTest
  @EnumSource(
      value = DuplicatePolicy.class,
      names = {"SHARE", "NEW_INDEX", "REJECT"})
  void slowNameDelaysItsOwnCallAlone(DuplicatePolicy policy, ConformanceEnvironment environment)
      throws UnknownHostException {
    Gate gate = environment.gate();
    AsyncVector async =
        environment.asyncVector(
            Setup.DEFAULT, VectorOptions.table().withResolver(gate).withDuplicates(policy));
    FabricAddress same = ipv4(0x0a09_0003, 5000); // host3
    Insertion slow =
        async.vector().insertService("host3", "5000", InsertOptions.none().withContext("slow"));
    gate.awaitQuestion();
    // The gate stays shut: only calls without names can end, and they do.
    for (FabricAddress address : List.of(a(1), same, a(2))) {
      Insertion fast = async.vector().insert(List.of(address), InsertOptions.none());
      assertThat(async.events().untilCompletion()).singleElement().returns(1L, Event::data);
      Expect.address(async.vector(), fast.handle(0), address);
    }
    assertThat(slow.isDone()).isFalse();
    gate.open();
    async.events().untilCompletion();
    switch (policy) {
      case SHARE -> assertThat(slow.handle(0)).isEqualTo(2);
      case NEW_INDEX -> assertThat(slow.handle(0)).isZero();
      default -> assertThat(slow.error(0)).isEqualTo(Errno.EALREADY.number());
    }
    async.events().expectSilence();
  }

  @Proves("AV-062")
  @EachProfile
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
        list.add(good ? a(batch * 16 + i) : bad());
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
