// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.historic.HistoricVector;

/** OBJ: the event queue that asynchronous insertion reports to. */
@ConformanceTest
class EventQueueTests extends AddressTests {
  private void insert(AddressVector vector, int... contexts) {
    for (int context : contexts) {
      vector.insert(List.of(a(context)), InsertOptions.none().withContext(context));
    }
  }

  @Proves("AV-219")
  @Test
  void readTakesOneEventAtTime(ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(Setup.DEFAULT);
    EventQueue queue = async.events().queue();
    assertThat(queue.read()).as("empty queue").isNull();
    assertThat(queue.peek()).as("empty queue").isNull();
    assertThat(queue.readError()).as("empty queue").isNull();

    insert(async.vector(), 1, 2);
    environment.awaitThat("both inserts", () -> async.vector().size() == 2);
    List<Object> contexts = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Event event = environment.await("an event", queue::read);
      contexts.add(event.context());
    }

    assertThat(contexts).containsExactlyInAnyOrder(1, 2);
    assertThat(queue.read()).as("queue after both were read").isNull();
  }

  @Proves("AV-219")
  @Test
  void peekLeavesTheEventThere(ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(Setup.DEFAULT);
    EventQueue queue = async.events().queue();
    insert(async.vector(), 1);

    Event seen = environment.await("an event", queue::peek);
    assertThat(queue.peek()).isEqualTo(seen);
    assertThat(queue.readError()).as("the next event is no failure").isNull();
    assertThat(queue.read()).isEqualTo(seen);
    assertThat(queue.peek()).isNull();

    async.vector().insert(List.of(bad()), InsertOptions.none().withContext("bad"));
    environment.awaitThat("the failure", async.events()::isFailureNext);
    Expect.failure(Errno.EAVAIL, queue::peek);
    assertThat(queue.readError()).isNotNull();
  }

  @Proves("AV-219")
  @Test
  void failuresBarTheWay(ConformanceEnvironment environment) throws InterruptedException {
    AsyncVector async = environment.asyncVector(Setup.DEFAULT);
    EventQueue queue = async.events().queue();
    async.vector().insert(List.of(bad()), InsertOptions.none().withContext("bad"));
    environment.awaitThat("the failure", async.events()::isFailureNext);

    Expect.failure(Errno.EAVAIL, queue::read);
    Expect.failure(Errno.EAVAIL, () -> queue.read(Duration.ofSeconds(1)));
    Event.Failure failure = Expect.present(queue.readError());
    assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
    assertThat(queue.read(environment.patience())).isInstanceOf(Event.InsertionComplete.class);
  }

  @Proves("AV-219")
  @Test
  void timeOutsAreKept(ConformanceEnvironment environment) throws InterruptedException {
    EventQueue queue = environment.eventQueue(environment.vector());
    long start = System.nanoTime();

    assertThat(queue.read(Duration.ZERO)).isNull();
    assertThat(queue.read(Duration.ofMillis(60))).isNull();

    assertThat(Duration.ofNanos(System.nanoTime() - start))
        .isGreaterThanOrEqualTo(Duration.ofMillis(59));
  }

  @Proves("AV-219")
  @Test
  void negativeTimeOutWaitsWithoutEnd(ConformanceEnvironment environment) throws Exception {
    AsyncVector async = environment.asyncVector(Setup.DEFAULT);
    EventQueue queue = async.events().queue();
    ReaderForEver waiting = new ReaderForEver(queue);
    environment.awaitThat("the reader", waiting::isReading);

    insert(async.vector(), 1);

    assertThat(waiting.outcome.get(environment.patience().toMillis(), TimeUnit.MILLISECONDS))
        .isInstanceOf(Event.InsertionComplete.class);
  }

  @Proves("AV-219")
  @Test
  void closeWakesThoseWhoWait(ConformanceEnvironment environment) throws Exception {
    EventQueue queue = environment.eventQueue(environment.vector());
    List<ReaderForEver> waiting = Stream.generate(() -> new ReaderForEver(queue)).limit(3).toList();
    environment.awaitThat("the readers", () -> waiting.stream().allMatch(ReaderForEver::isReading));

    queue.close();

    for (ReaderForEver reader : waiting) {
      assertThat(reader.outcome.get(environment.patience().toMillis(), TimeUnit.MILLISECONDS))
          .isNull();
    }
  }

  /** A thread that waits without end for an event. */
  private static final class ReaderForEver {
    private final EventQueue queue;
    private final CompletableFuture<@Nullable Event> outcome = new CompletableFuture<>();
    private final Thread thread;

    ReaderForEver(EventQueue queue) {
      this.queue = queue;
      this.thread = Thread.ofVirtual().start(this::run);
    }

    private void run() {
      try {
        outcome.complete(queue.read(Duration.ofMillis(-1)));
      } catch (InterruptedException | RuntimeException failure) {
        outcome.completeExceptionally(failure);
      }
    }

    /** Whether the call was made; it may have returned since, which is what tests look for. */
    boolean isReading() {
      return outcome.isDone()
          || Arrays.stream(thread.getStackTrace())
              .anyMatch(frame -> frame.getMethodName().equals("read"));
    }
  }

  @Proves("AV-219")
  @Test
  void pollDeliversFailuresInTheirPlace(ConformanceEnvironment environment) {
    AsyncVector async = environment.asyncVector(Setup.DEFAULT);
    EventQueue queue = async.events().queue();
    Insertion last =
        async.vector().insert(List.of(bad(), a(1), bad()), InsertOptions.none().withContext("c"));
    List<Event> events = new ArrayList<>();
    environment.awaitThat(
        "all events", () -> queue.poll(events::add, 1) <= 1 && events.size() == 3);

    assertThat(last.isDone()).isTrue();
    assertThat(events.subList(0, 2)).allMatch(Event.Failure.class::isInstance);
    assertThat(events.get(2)).isInstanceOf(Event.InsertionComplete.class);
    assertThat(queue.poll(events::add, 10)).isZero();
  }

  @Proves({"AV-055", "AV-062", "AV-219"})
  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4})
  @SuppressWarnings("deprecation")
  void overrunLosesFailuresAndNothingElse(int size, ConformanceEnvironment environment) {
    AddressVector vector = environment.unboundVector(environment.domain(Setup.DEFAULT));
    EventQueue queue =
        environment.keep(
            vector.domain().fabric().openEventQueue(EventQueueOptions.defaults().withSize(size)));
    HistoricVector.of(vector).bind(queue, 0);
    List<FabricAddress> addresses = new ArrayList<>(Collections.nCopies(200, bad()));
    addresses.add(a(1));
    List<Insertion> insertions = new ArrayList<>();
    for (int call = 0; call < 5; call++) {
      addresses.set(200, a(1 + call));
      insertions.add(vector.insert(addresses, InsertOptions.none().withContext(call)));
    }
    environment.awaitThat("all insertions", () -> insertions.stream().allMatch(Insertion::isDone));

    boolean overrun = false;
    List<Event> events = new ArrayList<>();
    while (events.stream().filter(Event.InsertionComplete.class::isInstance).count() < 5) {
      try {
        environment.awaitThat("an event", () -> queue.poll(events::add, 1) == 1);
      } catch (FabricException lost) {
        assertThat(lost.errno()).isEqualTo(Errno.EOVERRUN);
        overrun = true;
      }
    }

    assertThat(overrun).as("EOVERRUN among %d events", events.size()).isTrue();
    assertThat(queue.read()).as("event behind the last completion").isNull();
    assertThat(events.stream().filter(Event.InsertionComplete.class::isInstance))
        .allSatisfy(event -> assertThat(event.data()).isEqualTo(1))
        .extracting(Event::context)
        .containsExactlyInAnyOrder(0, 1, 2, 3, 4);
    for (int call = 0; call < 5; call++) {
      Expect.address(vector, insertions.get(call).handle(200), a(1 + call));
    }
  }
}
