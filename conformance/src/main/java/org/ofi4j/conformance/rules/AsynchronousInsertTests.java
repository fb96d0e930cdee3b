// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.Event.InsertionComplete;
import org.ofi4j.EventQueue;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.Profile;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.EventReader;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Gate;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** ASY: what one asynchronous insertion returns and reports. */
@ConformanceTest
class AsynchronousInsertTests extends AddressTests {
  private static final Object CONTEXT = "context of the call";
  private static final InsertOptions WITH_CONTEXT = InsertOptions.none().withContext(CONTEXT);

  private static int started(Setup setup, int count) {
    return setup.effectiveProfile() == Profile.CANDIDATE_1_0 ? count : 0;
  }

  private static List<Event.Failure> failures(List<Event> events) {
    return events.stream()
        .filter(Event.Failure.class::isInstance)
        .map(Event.Failure.class::cast)
        .toList();
  }

  @Proves("AV-053")
  @EachProfile
  void allThreeCallsOnlyStartWork(Setup setup, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(setup);
    AddressVector vector = async.vector();
    MemorySegment fi = MemorySegment.ofArray(new long[4]);
    MemorySegment packed = pack(a(1), a(2));

    assertThat(vector.insert(packed, 2, fi, null, 0, CONTEXT)).isEqualTo(started(setup, 2));
    assertThat(vector.insert(List.of(a(3)), WITH_CONTEXT).result()).isEqualTo(started(setup, 1));
    assertThat(vector.insertService("10.1.1.4", "5000", fi, null, 0, CONTEXT))
        .isEqualTo(started(setup, 1));
    assertThat(vector.insertService("10.1.1.5", "5000", WITH_CONTEXT).result())
        .isEqualTo(started(setup, 1));
    assertThat(vector.insertSymmetric("10.1.1.6", 2, "5000", 2, fi, null, 0, CONTEXT))
        .isEqualTo(started(setup, 4));
    assertThat(vector.insertSymmetric("10.1.1.8", 1, "5000", 1, WITH_CONTEXT).result())
        .isEqualTo(started(setup, 1));

    assertThat(async.events().next(6))
        .allSatisfy(event -> assertThat(event).isInstanceOf(InsertionComplete.class))
        .extracting(Event::data)
        .containsExactlyInAnyOrder(2L, 1L, 1L, 1L, 4L, 1L);
    assertThat(vector.size()).isEqualTo(10);
    Expect.entries(vector, list(1, 5));
  }

  @Proves({"AV-054", "AV-057", "AV-059", "AV-207"})
  @Variants(forms = {InsertForm.PACKED, InsertForm.COLLECTION})
  void eachFailureIsOneErrorEvent(Variant variant, ConformanceEnvironment environment) {
    AsyncVector async = variant.openAsync(environment);

    Inserted one =
        variant
            .form()
            .insert(async.vector(), List.of(variant.a(1), variant.bad(), variant.a(2)), CONTEXT);
    List<Event> events = async.events().untilCompletion();

    assertThat(failures(events)).extracting(Event.Failure::data).containsExactly(1L);
    assertThat(failures(events)).extracting(Event.Failure::index).containsExactly(1L);
    assertThat(events).hasSize(2);
    assertThat(events.getLast().data()).as("inserted").isEqualTo(2);
    assertThat(one.fi(1)).isEqualTo(Handles.NOT_AVAILABLE);
    if (variant.hasIndexHandles()) {
      assertThat(one.fi()).containsExactly(0, -1, 2);
    }
    Expect.entries(
        async.vector(), new long[] {one.fi(0), one.fi(2)}, List.of(variant.a(1), variant.a(2)));

    variant.form().insert(async.vector(), List.of(variant.bad(), variant.bad()), CONTEXT);
    events = async.events().untilCompletion();

    assertThat(failures(events)).extracting(Event.Failure::data).containsExactlyInAnyOrder(0L, 1L);
    assertThat(events).hasSize(3);
    assertThat(events.getLast().data()).isZero();
    assertThat(async.events().next(Duration.ofMillis(10))).as("one event more").isNull();
  }

  @Proves("AV-055")
  @Variants(forms = {InsertForm.PACKED, InsertForm.COLLECTION})
  void eachCallIsOneCompletion(Variant variant, ConformanceEnvironment environment) {
    AsyncVector async = variant.openAsync(environment);
    EventReader events = async.events();

    variant.form().insert(async.vector(), List.of(), CONTEXT);
    assertThat(events.untilCompletion()).singleElement().returns(0L, Event::data);
    variant.form().insert(async.vector(), List.of(variant.bad(), variant.bad()), CONTEXT);
    assertThat(events.untilCompletion()).hasSize(3).last().returns(0L, Event::data);
    variant.form().insert(async.vector(), variant.list(1, 40), CONTEXT);
    assertThat(events.untilCompletion()).singleElement().returns(40L, Event::data);

    assertThat(events.next(Duration.ofMillis(10))).as("a second completion").isNull();
  }

  @Proves({"AV-055", "AV-059"})
  @EachProfile
  void rangeIsOneCallWithPositions(Setup setup, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(setup);

    async.vector().insertSymmetric("10.1.1.1", 2, "5000", 2, WITH_CONTEXT);
    assertThat(async.events().untilCompletion()).singleElement().returns(4L, Event::data);

    async.vector().insertSymmetric("10.2.1.1", 2, "65534", 3, WITH_CONTEXT);
    List<Event> events = async.events().untilCompletion();
    assertThat(events.getLast().data()).isEqualTo(4);
    assertThat(failures(events))
        .as("ports past the last one, by position in the expanded list")
        .extracting(Event.Failure::data)
        .containsExactlyInAnyOrder(2L, 5L);
    async.events().expectSilence();
  }

  @Proves("AV-056")
  @Variants(forms = {InsertForm.PACKED, InsertForm.COLLECTION})
  void allEventsCarryTheContextOfTheirCall(Variant variant, ConformanceEnvironment environment) {
    AsyncVector async = variant.openAsync(environment);
    for (Object context : new Object[] {new Object(), "another", 17}) {
      variant.form().insert(async.vector(), List.of(variant.bad(), variant.bad()), context);

      assertThat(async.events().untilCompletion())
          .hasSize(3)
          .allSatisfy(event -> assertThat(event.context()).isSameAs(context));
    }
    async.vector().insertService("10.1.1.9", "no-such-service", WITH_CONTEXT);
    assertThat(async.events().untilCompletion())
        .hasSize(2)
        .allSatisfy(event -> assertThat(event.context()).isSameAs(CONTEXT));
  }

  @Proves("AV-057")
  @EachProfile
  void completionCountsWhatWentIn(Setup setup, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(setup);

    Insertion insertion = async.vector().insert(List.of(a(1), bad(), a(2)), WITH_CONTEXT);
    Event completion = async.events().untilCompletion().getLast();

    assertThat(completion.data()).isEqualTo(2);
    assertThat(insertion.isDone()).isTrue();
    assertThat(insertion.inserted()).isEqualTo(2);
    assertThat(insertion.failures()).singleElement().returns(1, failure -> failure.position());
  }

  @Proves({"AV-058", "AV-064"})
  @EachProfile
  void failuresComeOutOfTheErrorSide(Setup setup, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(setup);
    EventQueue queue = async.events().queue();
    async.vector().insert(List.of(bad()), WITH_CONTEXT);

    // Reading stops at the failure, again and again, until it is taken from the error side.
    environment.awaitThat("a failure", async.events()::isFailureNext);
    Expect.failure(Errno.EAVAIL, queue::read);
    Expect.failure(Errno.EAVAIL, queue::read);
    Event.Failure failure = Expect.present(queue.readError());

    assertThat(failure.source()).isSameAs(async.vector());
    assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
    assertThat(failure.context()).isSameAs(CONTEXT);
    assertThat(failure.data()).isZero();
    assertThat(failure.reason()).isNotBlank();
    Event completion = async.events().next();
    assertThat(completion).isInstanceOf(InsertionComplete.class);
    assertThat(completion.source()).isSameAs(async.vector());
    assertThat(InsertionComplete.CODE).isEqualTo(5);
    assertThat(queue.readError()).isNull();
  }

  @Proves("AV-060")
  @EachProfile
  void withoutQueueNothingHappens(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.unboundVector(environment.domain(setup));
    MemorySegment packed = pack(a(1));
    MemorySegment fi = MemorySegment.ofArray(new long[] {0x55});

    Expect.failure(Errno.ENOEQ, () -> vector.insert(packed, 1, fi, null, 0, CONTEXT));
    Expect.failure(Errno.ENOEQ, () -> vector.insert(a(1)));
    Expect.failure(Errno.ENOEQ, () -> vector.insert(List.of(a(1)), WITH_CONTEXT));
    assertThat(vector.size()).isZero();

    EventReader events = environment.bind(vector);
    Insertion inserted = vector.insert(List.of(a(2)), WITH_CONTEXT);
    assertThat(events.untilCompletion()).singleElement().returns(1L, Event::data);
    assertThat(inserted.handle(0)).as("no index was used up").isZero();
    assertThat(vector.size()).isEqualTo(1);
    events.expectSilence();
  }

  @Proves({"AV-063", "AV-182"})
  @Variants(forms = {InsertForm.PACKED, InsertForm.COLLECTION})
  void workMayEndBeforeTheCallReturns(Variant variant, ConformanceEnvironment environment) {
    AsyncVector async = variant.openAsync(environment);
    for (int i = 1; i <= 50; i++) {
      Object context = "call " + i;
      Inserted inserted = variant.form().insert(async.vector(), variant.list(i, i), context);

      // Readable at once or a little later: the same either way.
      assertThat(async.events().untilCompletion())
          .singleElement()
          .returns(1L, Event::data)
          .satisfies(event -> assertThat(event.context()).isSameAs(context));
      Expect.address(async.vector(), inserted.fi(0), variant.a(i));
    }
  }

  @Proves("AV-065")
  @Test
  void addressesGivenUpAreCancelled(ConformanceEnvironment environment) {
    Gate gate = environment.gate();
    AsyncVector async =
        environment.asyncVector(Setup.DEFAULT, VectorOptions.table().withResolver(gate));
    Insertion pending = async.vector().insertSymmetric("host1", 3, "5000", 1, WITH_CONTEXT);
    gate.awaitQuestion();
    async.vector().close(); // The gate stays shut: nothing can have been resolved.

    List<Event> events = async.events().untilCompletion();
    assertThat(failures(events))
        .extracting(Event.Failure::errno)
        .containsExactly(Errno.ECANCELED, Errno.ECANCELED, Errno.ECANCELED);
    assertThat(failures(events))
        .extracting(Event.Failure::data)
        .containsExactlyInAnyOrder(0L, 1L, 2L);
    assertThat(events.getLast().data()).isZero();
    assertThat(events).allSatisfy(event -> assertThat(event.context()).isSameAs(CONTEXT));
    assertThat(pending.isDone()).isTrue();
    assertThat(pending.handles()).containsOnly(Handles.NOT_AVAILABLE);
  }

  @Proves({"AV-065", "AV-068"})
  @EachProfile
  void closeFinishesWhatNeedsNoResolution(Setup setup, ConformanceEnvironment environment) {
    Gate gate = environment.gate();
    AsyncVector async = environment.asyncVector(setup, VectorOptions.table().withResolver(gate));
    Insertion slow = async.vector().insertService("host1", "5000", WITH_CONTEXT);
    gate.awaitQuestion();
    Insertion list = async.vector().insert(List.of(a(1), bad(), a(2)), WITH_CONTEXT);
    Insertion range = async.vector().insertSymmetric("10.2.1.1", 5, "5000", 4, WITH_CONTEXT);
    async.vector().close();

    assertThat(slow.error(0)).isEqualTo(Errno.ECANCELED.number());
    assertThat(list.inserted()).isEqualTo(2);
    assertThat(list.error(1)).isEqualTo(Errno.EADDRNOTAVAIL.number());
    assertThat(range.inserted()).isEqualTo(20);
    assertThat(failures(async.events().next(5)))
        .extracting(Event.Failure::errno)
        .containsExactlyInAnyOrder(Errno.ECANCELED, Errno.EADDRNOTAVAIL);
  }

  @Proves({"AV-055", "AV-065"})
  @Test
  void everyCallUnderWayIsCompletedByClose(ConformanceEnvironment environment) {
    Gate gate = environment.gate();
    AsyncVector async =
        environment.asyncVector(Setup.DEFAULT, VectorOptions.table().withResolver(gate));
    List<Insertion> calls = new ArrayList<>();
    for (int call = 0; call < 20; call++) {
      InsertOptions options = InsertOptions.none().withContext(call);
      calls.add(
          call % 2 == 0
              ? async.vector().insertSymmetric("host" + call, 2, "5000", 2, options)
              : async.vector().insert(List.of(a(call), bad(), a(100 + call)), options));
    }
    gate.awaitQuestion();
    async.vector().close();
    gate.open();

    int[] failed = new int[calls.size()];
    for (int completed = 0; completed < calls.size(); ) {
      Event event = async.events().next();
      int call = (Integer) Expect.present(event.context());
      if (event instanceof Event.Failure) {
        failed[call]++;
      } else {
        completed++;
        assertThat(event.data() + failed[call])
            .as("successes and failures of call %d", call)
            .isEqualTo(calls.get(call).requested());
        assertThat(calls.get(call).isDone()).isTrue();
      }
    }
    async.events().expectSilence();
  }

  @Proves({"AV-054", "AV-055"})
  @Test
  void resolverThatBreaksCostsItsAddressAlone(ConformanceEnvironment environment) {
    AsyncVector async =
        environment.asyncVector(
            Setup.DEFAULT,
            VectorOptions.table()
                .withResolver(host -> {
                  throw new IllegalStateException("broken");
                }));

    Insertion broken = async.vector().insertService("host1", "5000", WITH_CONTEXT);
    List<Event> events = async.events().untilCompletion();

    assertThat(failures(events)).singleElement().returns(0L, Event::data);
    assertThat(events.getLast().data()).isZero();
    assertThat(broken.handle(0)).isEqualTo(Handles.NOT_AVAILABLE);
    Insertion next = async.vector().insert(List.of(a(1)), WITH_CONTEXT);
    async.events().untilCompletion();
    assertThat(next.handle(0)).as("the index that was reserved is free again").isZero();
  }

  @Proves("AV-066")
  @EachProfile
  void refusedCallsLeaveNoEvents(Setup setup, ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(setup);
    AddressVector vector = async.vector();
    MemorySegment packed = pack(a(1));
    MemorySegment fi = MemorySegment.ofArray(new long[] {0x55});
    MemorySegment st = MemorySegment.ofArray(new int[] {0x55});
    long unknown = 1L << 3;

    Expect.failure(Errno.EBADFLAGS, () -> vector.insert(packed, 1, fi, null, unknown, CONTEXT));
    Expect.failure(
        Errno.EBADFLAGS,
        () -> vector.insert(packed, 1, fi, st, InsertFlag.SYNC_ERR.mask(), CONTEXT));
    Expect.failure(
        Errno.EBADFLAGS,
        () -> vector.insert(List.of(a(1)), InsertOptions.of(unknown, null).withContext(CONTEXT)));
    Expect.invalid(() -> vector.insert(packed, 2, fi, null, 0, CONTEXT));
    Expect.invalid(() -> vector.insertService("10.1.1.1", null, WITH_CONTEXT));
    if (setup.isAtLeast(ApiVersion.V1_5)) {
      Expect.invalid(() -> vector.insertService("fi_sockaddr_in://10.1.1.1:1", "1", WITH_CONTEXT));
    }

    async.events().expectSilence();
    assertThat(vector.size()).isZero();
  }
}
