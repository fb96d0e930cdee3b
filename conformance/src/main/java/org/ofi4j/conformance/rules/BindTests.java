// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorFlag;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.EventReader;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.historic.HistoricVector;

/** BND: binding a vector to an event queue. */
@ConformanceTest
@SuppressWarnings("deprecation") // Deprecated by the man page, yet to be kept working (AV-074).
class BindTests extends AddressTests {
  private static final InsertOptions CONTEXT = InsertOptions.none().withContext("context");

  private static AddressVector open(Setup setup, ConformanceEnvironment environment) {
    return environment.unboundVector(environment.domain(setup));
  }

  private void expectUse(
      AddressVector vector, EventQueue queue, ConformanceEnvironment environment) {
    vector.insert(List.of(a(1)), CONTEXT);
    assertThat(new EventReader(queue, environment.patience()).untilCompletion())
        .singleElement()
        .returns(1L, Event::data);
  }

  @Proves("AV-071")
  @EachProfile
  void boundQueueStaysOpen(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = open(setup, environment);
    EventQueue queue = environment.eventQueue(vector);
    EventQueue second = environment.eventQueue(vector);

    HistoricVector.of(vector).bind(queue, 0);

    Expect.busy(queue::close, vector);
    assertThat(queue.isOpen()).isTrue();
    Expect.invalid(() -> HistoricVector.of(vector).bind(second, 0));
    Expect.invalid(() -> HistoricVector.of(vector).bind(queue, 0));
    second.close();
    expectUse(vector, queue, environment);

    vector.close();
    queue.close();
    assertThat(queue.isOpen()).isFalse();
  }

  @Proves("AV-071")
  @EachProfile
  void synchronousVectorTakesNoQueue(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    EventQueue queue = environment.eventQueue(vector);

    Expect.invalid(() -> HistoricVector.of(vector).bind(queue, 0));

    queue.close();
    assertThat(queue.isOpen()).as("a refused bind holds nothing").isFalse();
    assertThat(vector.insert(a(1))).isZero();
  }

  @Proves("AV-071")
  @EachProfile
  void severalVectorsMayShareQueue(Setup setup, ConformanceEnvironment environment) {
    AddressVector one = open(setup, environment);
    AddressVector two = environment.unboundVector(one.domain());
    EventQueue queue = environment.eventQueue(one);
    HistoricVector.of(one).bind(queue, 0);
    HistoricVector.of(two).bind(queue, 0);

    one.insert(List.of(a(1)), CONTEXT);
    two.insert(List.of(a(1)), CONTEXT);

    assertThat(new EventReader(queue, environment.patience()).next(2))
        .extracting(Event::source)
        .containsExactlyInAnyOrder(one, two);
    one.close();
    Expect.failure(Errno.EBUSY, queue::close);
  }

  @Proves("AV-072")
  @EachProfile
  void bindComesBeforeTheFirstInsert(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = open(setup, environment);
    EventQueue queue = environment.eventQueue(vector);

    Expect.failure(Errno.ENOEQ, () -> vector.insert(List.of(a(1)), CONTEXT));
    Expect.failure(Errno.ENOEQ, () -> vector.insertService("10.1.1.1", "5000", CONTEXT));
    Expect.failure(Errno.ENOEQ, () -> vector.insertSymmetric("10.1.1.1", 1, "5000", 1, CONTEXT));

    HistoricVector.of(vector).bind(queue, 0);
    expectUse(vector, queue, environment);
    Expect.address(vector, 0, a(1));
  }

  @Proves("AV-073")
  @EachProfile
  void bindTakesNoFlags(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = open(setup, environment);
    EventQueue queue = environment.eventQueue(vector);

    for (long flags : new long[] {1, VectorFlag.EVENT.mask(), 1L << 11, -1}) {
      Expect.invalid(() -> HistoricVector.of(vector).bind(queue, flags));
    }

    queue.close();
    EventQueue another = environment.eventQueue(vector);
    HistoricVector.of(vector).bind(another, 0);
    expectUse(vector, another, environment);
  }

  @Proves("AV-074")
  @EachProfile
  void bindIsDeprecatedAndWorks(Setup setup, ConformanceEnvironment environment)
      throws ReflectiveOperationException {
    assertThat(
            HistoricVector.class
                .getMethod("bind", EventQueue.class, long.class)
                .isAnnotationPresent(Deprecated.class))
        .isTrue();
    AddressVector vector = open(setup, environment);
    EventQueue queue = environment.eventQueue(vector);
    HistoricVector.of(vector).bind(queue, 0);
    expectUse(vector, queue, environment);
  }
}
