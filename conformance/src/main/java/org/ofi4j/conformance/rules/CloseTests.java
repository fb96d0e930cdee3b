// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.FabricException;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** CLS: closing a vector. */
@ConformanceTest
class CloseTests extends AddressTests {

  @Proves("AV-067")
  @Variants
  void closeFreesEntriesThatWereNeverRemoved(Variant variant, ConformanceEnvironment environment) {
    Domain domain = environment.domain(variant.setup());
    AddressVector vector =
        environment.vector(domain, VectorOptions.defaults().withType(variant.type()));
    long[] fi = variant.insert(vector, variant.list(1, 100)).fi();
    MemorySegment packed = Addresses.pack(variant.format(), List.of(variant.a(1)));

    vector.close();

    assertThat(vector.isOpen()).isFalse();
    List<ThrowingCallable> calls =
        List.of(
            () -> vector.lookup(fi[0]),
            () -> vector.lookup(fi[0], MemorySegment.ofArray(new byte[64])),
            () -> vector.insert(variant.a(1)),
            () -> vector.insert(List.of(variant.a(1))),
            () -> vector.insert(packed, 1, MemorySegment.ofArray(new long[1]), null, 0, null),
            () -> vector.insertService("10.1.1.1", "80"),
            () -> vector.insertSymmetric("10.1.1.1", 1, "80", 1),
            () -> vector.remove(fi[0]),
            () -> vector.find(variant.a(1)),
            () -> vector.find(packed));
    for (ThrowingCallable call : calls) {
      Expect.invalid(call);
    }
    vector.close(); // A second close does nothing.
    domain.close();
    assertThat(domain.isOpen()).as("nobody holds the domain any more").isFalse();
  }

  @Proves("AV-067")
  @Test
  void callsUnderWayEndOrFail(ConformanceEnvironment environment) throws Exception {
    Domain domain = environment.domain(Setup.DEFAULT);
    MemorySegment packed = pack(a(3));
    for (int round = 0; round < 30; round++) {
      AddressVector vector = environment.vector(domain);
      vector.insert(List.of(a(1), a(2), a(3)));
      AtomicInteger next = new AtomicInteger(10);
      List<Callable<Object>> calls =
          List.of(
              () -> vector.lookup(1),
              () -> vector.lookup(2, MemorySegment.ofArray(new byte[16])),
              () -> vector.find(packed),
              () -> vector.insert(a(next.getAndIncrement())));
      CountDownLatch running = new CountDownLatch(calls.size());
      List<FutureTask<FabricException>> callers = new ArrayList<>();
      for (Callable<Object> call : calls) {
        FutureTask<FabricException> caller =
            new FutureTask<>(() -> callUntilRefused(call, running));
        callers.add(caller);
        Thread.ofPlatform().daemon().start(caller);
      }
      running.await();

      vector.close();

      for (FutureTask<FabricException> caller : callers) {
        assertThat(caller.get(environment.patience().toMillis(), TimeUnit.MILLISECONDS).errno())
            .isEqualTo(Errno.EINVAL);
      }
    }
  }

  private static FabricException callUntilRefused(Callable<Object> call, CountDownLatch running)
      throws Exception {
    while (true) {
      try {
        call.call();
        running.countDown();
      } catch (FabricException refused) {
        running.countDown();
        return refused;
      }
    }
  }

  @Proves("AV-068")
  @EachProfile
  void queuedEventsOutliveTheirVector(Setup setup, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(setup);
    AddressVector vector = async.vector();
    Insertion insertion =
        vector.insert(List.of(a(1), bad()), InsertOptions.none().withContext("context"));
    environment.awaitThat("the events", insertion::isDone);

    vector.close();

    List<Event> events = async.events().untilCompletion();
    assertThat(events).hasSize(2);
    assertThat(events)
        .allSatisfy(event -> assertThat(event.source()).isSameAs(vector).isEqualTo(vector));
    assertThat(events.getLast().data()).isEqualTo(1);
    async.events().queue().close();
  }

  @Proves("AV-070")
  @EachProfile
  void endpointsKeepVectorOpen(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    vector.insert(a(1));
    Peer first = environment.peer(vector);
    Peer second = environment.peer(vector);

    Expect.busy(vector::close, first.endpoint(), second.endpoint());

    assertThat(vector.isOpen()).isTrue();
    Expect.address(vector, 0, a(1));
    assertThat(vector.insert(a(2))).isEqualTo(1);
    second.exchange(second.insert(second), second);

    first.endpoint().close();
    Expect.failure(Errno.EBUSY, vector::close);
    second.endpoint().close();
    vector.close();
    assertThat(vector.isOpen()).isFalse();
  }
}
