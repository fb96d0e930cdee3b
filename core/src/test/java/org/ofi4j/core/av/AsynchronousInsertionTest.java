// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.fail;
import static org.awaitility.Awaitility.await;
import static org.ofi4j.core.av.VectorFixture.BAD;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.reported;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestFabric;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.historic.HistoricVector;

@SuppressWarnings("deprecation") // FI_EVENT is discouraged, and works
class AsynchronousInsertionTest {
  private static final VectorOptions EVENT = VectorOptions.table().withFlags(VectorFlag.EVENT);

  private final TestFabric fabric = new TestFabric();
  private final EventQueue queue = fabric.openEventQueue(EventQueueOptions.defaults());

  /** Hosts that resolve only when told. */
  private final Map<String, CountDownLatch> gates = new ConcurrentHashMap<>();

  @AfterEach
  void openGates() {
    gates.values().forEach(CountDownLatch::countDown);
  }

  private CoreAddressVector open(TestInfo info, VectorOptions options) {
    return new TestDomain(fabric, info.build())
        .openAddressVector(options.withResolver(this::resolve));
  }

  private CoreAddressVector bound(TestInfo info, VectorOptions options) {
    CoreAddressVector vector = open(info, options);
    HistoricVector.of(vector).bind(queue, 0);
    return vector;
  }

  private CoreAddressVector bound() {
    return bound(TestInfo.defaults(), EVENT);
  }

  private List<InetAddress> resolve(String host) throws UnknownHostException, InterruptedException {
    CountDownLatch gate = gates.get(host);
    if (gate != null) {
      gate.await();
    }
    if (host.startsWith("missing")) {
      throw new UnknownHostException(host);
    }
    return List.of(InetAddress.ofLiteral("10.1.1." + host.replaceAll("\\D", "")));
  }

  /** Events until a number of completions has been seen. */
  private List<Event> events(int completions) throws InterruptedException {
    List<Event> events = new ArrayList<>();
    int seen = 0;
    while (seen < completions) {
      if (queue.poll(events::add, 1) == 0) {
        Thread.sleep(1);
      } else if (events.getLast() instanceof Event.InsertionComplete) {
        seen++;
      }
    }
    return events;
  }

  @Test
  @Tag("AV-053")
  @Tag("AV-054")
  @Tag("AV-055")
  @Tag("AV-056")
  @Tag("AV-057")
  @Tag("AV-059")
  @Tag("AV-064")
  void eventsOfOneCall() throws InterruptedException {
    CoreAddressVector vector = bound();
    MemorySegment handles = longs(5, 5, 5);
    assertThat(vector.insert(packed(a(1), BAD, a(2)), 3, handles, null, 0, "ctx")).isZero();
    List<Event> events = events(1);
    assertThat(events).hasSize(2).allMatch(e -> e.source() == vector && "ctx".equals(e.context()));
    assertThat(events.getFirst())
        .isInstanceOfSatisfying(
            Event.Failure.class,
            failure -> {
              assertThat(failure.data()).isEqualTo(1);
              assertThat(failure.errno()).isEqualTo(Errno.EADDRNOTAVAIL);
              assertThat(failure.reason()).contains("address 1", "fi_sockaddr_in://0.0.0.0:0");
            });
    assertThat(events.getLast().data()).isEqualTo(2);
    assertThat(longs(handles)).as("a hole, D-19").containsExactly(0, NA, 2);
    assertThat(vector.insert(packed(a(3)), 1, handles, null, 0, null)).isZero();
    events(1);
    assertThat(longs(handles)[0]).as("the hole is refilled").isEqualTo(1);

    assertThat(vector.insert(packed(BAD, BAD), 2, null, null, 0, null)).isZero();
    assertThat(events(1)).hasSize(3).last().extracting(Event::data).isEqualTo(0L);
    assertThat(vector.insert(null, 0, null, null, 0, "none")).isZero();
    assertThat(events(1)).singleElement().extracting(Event::context).isEqualTo("none");
    assertThat(vector.insertSymmetric("10.2.2.2", 2, "5000", 2).result()).isZero();
    assertThat(events(1)).singleElement().extracting(Event::data).isEqualTo(4L);
    assertThat(queue.read()).isNull();
  }

  @Test
  @Tag("AV-060")
  @Tag("AV-066")
  @Tag("AV-071")
  @Tag("AV-073")
  void refusedCallsStartNothing() throws InterruptedException {
    CoreAddressVector vector = open(TestInfo.defaults(), EVENT);
    fails(Errno.ENOEQ, () -> vector.insert(a(1)));
    fails(Errno.ENOEQ, () -> vector.insert(packed(a(1)), 1, longs(0), null, 0, null));
    fails(Errno.ENOEQ, () -> vector.insertService("host1", "80"));
    fails(Errno.EINVAL, () -> HistoricVector.of(vector).bind(queue, 1));
    EventQueue elsewhere = new TestFabric().openEventQueue(EventQueueOptions.defaults());
    fails(Errno.EINVAL, () -> HistoricVector.of(vector).bind(elsewhere, 0));
    fails(Errno.EINVAL, () -> HistoricVector.of(vector).bind(null, 0));
    HistoricVector.of(vector).bind(queue, 0);
    fails(Errno.EINVAL, "binds one only", () -> HistoricVector.of(vector).bind(queue, 0));
    fails(Errno.EINVAL, () -> HistoricVector.of(VectorFixture.table()).bind(queue, 0));
    fails(Errno.EBADFLAGS, () -> vector.insert(packed(a(1)), 1, null, null, 1 << 3, null));
    fails(
        Errno.EBADFLAGS,
        () -> vector.insert(packed(a(1)), 1, null, longs(0), InsertFlag.SYNC_ERR.mask(), null));
    fails(Errno.EINVAL, () -> vector.insertSymmetric("host", 2, "80", 1));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment confined = arena.allocate(8);
      fails(
          Errno.EINVAL, "confined", () -> vector.insert(packed(a(1)), 1, confined, null, 0, null));
    }
    // Events come in the order of calls: one of a refused call would come before this one's.
    assertThat(vector.insert(a(1))).isEqualTo(NA);
    assertThat(events(1)).singleElement().extracting(Event::data).isEqualTo(1L);
    assertThat(queue.read()).isNull();
    assertThat(vector.lookup(0)).isEqualTo(a(1));
  }

  @Test
  @Tag("AV-178")
  @DisplayName("D-15: what a call answers before the outcome is known never names another peer")
  void duplicateIsNeverNamedByItsReservation() throws InterruptedException {
    CoreAddressVector vector = bound();
    List<Long> returned = new ArrayList<>();
    for (FabricAddress address : List.of(a(1), a(1), BAD, a(2))) {
      returned.add(vector.insert(address));
      events(1);
    }
    returned.add(vector.insertService("host2", "5000"));
    events(1);
    assertThat(returned).containsOnly(NA);
    assertThat(vector.find(a(1))).isZero();
    assertThat(vector.find(a(2))).isEqualTo(1);
    // The forms that tell of the outcome tell the handle that the address has.
    Insertion again = vector.insert(List.of(a(2), a(3)), InsertOptions.none());
    MemorySegment handles = longs(7, 7);
    vector.insert(packed(a(2), a(1)), 2, handles, null, 0, null);
    events(2);
    assertThat(again.handles()).containsExactly(1, 3);
    assertThat(longs(handles)).containsExactly(1, 0);
  }

  @Test
  @Tag("AV-204")
  void candidateReturnsHowManyWereStarted() throws InterruptedException {
    CoreAddressVector vector = bound(TestInfo.defaults().version(1, 0), EVENT);
    assertThat(vector.insert(packed(a(1), BAD), 2, null, null, 0, null)).isEqualTo(2);
    assertThat(vector.insert(List.of(a(3), a(4), a(5))).result()).isEqualTo(3);
    assertThat(events(2)).hasSize(3);
  }

  @Test
  @Tag("AV-086")
  @DisplayName("Indices follow calls although the later call completes first")
  void indicesFollowCalls() throws InterruptedException {
    gates.put("host1", new CountDownLatch(1));
    CoreAddressVector vector =
        bound(TestInfo.defaults(), EVENT.withDuplicates(DuplicatePolicy.NEW_INDEX));
    Insertion slow =
        vector.insertSymmetric("host1", 2, "5000", 1, InsertOptions.none().withContext("slow"));
    Insertion fast = vector.insert(List.of(a(9)), InsertOptions.none().withContext("fast"));
    assertThat(events(1)).singleElement().extracting(Event::context).isEqualTo("fast");
    assertThat(fast.isDone()).isTrue();
    assertThat(fast.handles()).containsExactly(2);
    assertThat(slow.isDone()).isFalse();
    assertThat(slow.handles()).containsExactly(NA, NA);
    assertThat(slow.inserted()).isZero();
    fails(Errno.EINVAL, () -> vector.lookup(0));
    fails(Errno.EINVAL, () -> vector.remove(0));
    gates.get("host1").countDown();
    assertThat(events(1)).singleElement().extracting(Event::context).isEqualTo("slow");
    assertThat(slow.handles()).containsExactly(0, 1);
    assertThat(slow.inserted()).isEqualTo(2);
  }

  @ParameterizedTest
  @EnumSource(
      value = DuplicatePolicy.class,
      names = {"SHARE", "NEW_INDEX", "REJECT"})
  @Tag("AV-061")
  @Tag("AV-178")
  @DisplayName("D-66: a name that does not resolve delays its own call and no other")
  void slowNamesDelayTheirOwnCallAlone(DuplicatePolicy policy) throws InterruptedException {
    gates.put("host7", new CountDownLatch(1));
    CoreAddressVector vector = bound(TestInfo.defaults(), EVENT.withDuplicates(policy));
    InsertOptions slow = InsertOptions.none().withContext("slow");
    Insertion first = vector.insertService("host7", "5000", slow);
    // Of other calls those with names end too, and the address that is settled first is kept.
    Insertion second = vector.insert(List.of(a(7), a(8)), InsertOptions.none().withContext("2nd"));
    Insertion third =
        vector.insertService("host9", "5000", InsertOptions.none().withContext("third"));
    assertThat(events(2)).extracting(Event::context).containsExactlyInAnyOrder("2nd", "third");
    assertThat(second.handles()).containsExactly(1, 2);
    assertThat(third.handles()).containsExactly(3);
    assertThat(first.isDone()).isFalse();

    gates.get("host7").countDown();
    assertThat(events(1)).extracting(Event::context).contains("slow");
    switch (policy) {
      case SHARE -> {
        assertThat(first.handles()).containsExactly(1);
        vector.remove(1);
        assertThat(vector.find(a(7))).as("one share is left").isEqualTo(1);
      }
      case NEW_INDEX -> assertThat(first.handles()).containsExactly(0);
      default -> assertThat(first.error(0)).isEqualTo(Errno.EALREADY.number());
    }
    if (policy != DuplicatePolicy.NEW_INDEX) {
      vector.insert(a(10));
      events(1);
      assertThat(vector.find(a(10))).as("the reservation is unused again").isZero();
    }
  }

  @Test
  @Tag("AV-110")
  @DisplayName("A14: a name that fails does not stop the others")
  void missingNamesFailAlone() throws InterruptedException {
    CoreAddressVector vector = bound();
    Insertion insertion = vector.insertSymmetric("missing1", 2, "80", 2);
    Insertion other = vector.insertService("host3", "80", InsertOptions.none());
    List<Event> events = events(2);
    assertThat(events).hasSize(6);
    List<Event> failures = events.stream().filter(Event.Failure.class::isInstance).toList();
    assertThat(failures).hasSize(4);
    for (int i = 0; i < 4; i++) {
      assertThat(failures.get(i))
          .isInstanceOfSatisfying(
              Event.Failure.class,
              failure -> {
                assertThat(failure.errno()).isEqualTo(Errno.ENODATA);
                assertThat(failure.reason()).contains("missing", "not known");
              })
          .extracting(Event::data)
          .isEqualTo((long) i);
    }
    assertThat(insertion.failures()).hasSize(4);
    // Its index is 4, or 0 if the others had failed before it was reserved.
    assertThat(vector.lookup(other.handle(0)).toString()).isEqualTo("fi_sockaddr_in://10.1.1.3:80");
  }

  @RepeatedTest(3)
  @Tag("AV-062")
  @Tag("AV-081")
  @DisplayName("100 random batches: errors before their completion, numbers and handles right")
  void randomBatches() throws InterruptedException {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    Random random = new Random(seed);
    CoreAddressVector vector = bound();
    List<MemorySegment> handles = new ArrayList<>();
    List<FabricAddress[]> batches = new ArrayList<>();
    int next = 1;
    for (int batch = 0; batch < 100; batch++) {
      FabricAddress[] addresses = new FabricAddress[random.nextInt(12)];
      for (int i = 0; i < addresses.length; i++) {
        addresses[i] = random.nextInt(4) == 0 ? BAD : a(next++);
      }
      MemorySegment results = MemorySegment.ofArray(new long[addresses.length]);
      batches.add(addresses);
      handles.add(results);
      assertThat(vector.insert(packed(addresses), addresses.length, results, null, 0, batch))
          .isZero();
    }
    Map<Object, Integer> failed = new HashMap<>();
    for (Event event : events(100)) {
      int batch = (Integer) event.context();
      FabricAddress[] addresses = batches.get(batch);
      String where = "-Dofi4j.seed=" + seed + ", batch " + batch;
      switch (event) {
        case Event.Failure failure -> {
          failed.merge(batch, 1, Integer::sum);
          assertThat(addresses[(int) failure.index()]).as(where).isEqualTo(BAD);
        }
        case Event.InsertionComplete complete -> {
          int bad = (int) List.of(addresses).stream().filter(BAD::equals).count();
          assertThat(failed.getOrDefault(batch, 0)).as(where).isEqualTo(bad);
          assertThat(complete.data()).as(where).isEqualTo(addresses.length - bad);
          long[] results = longs(handles.get(batch));
          for (int i = 0; i < addresses.length; i++) {
            if (addresses[i].equals(BAD)) {
              assertThat(results[i]).as(where).isEqualTo(NA);
            } else {
              assertThat(vector.lookup(results[i])).as(where).isEqualTo(addresses[i]);
            }
          }
        }
        default -> fail("%s: %s is no event of a vector", where, event);
      }
    }
    assertThat(vector.size()).isEqualTo(next - 1L);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "1, 3", "1, 4", "1, 15", "1, 20", "2, 1"})
  @Tag("AV-065")
  @Tag("AV-068")
  @DisplayName("Close ends what is under way: names fail with 125, other addresses go in")
  void closeFinishesWhatNeedsNoResolution(int major, int minor) {
    gates.put("host1", new CountDownLatch(1));
    CoreAddressVector vector = bound(TestInfo.defaults().version(major, minor), EVENT);
    Insertion slow = vector.insertSymmetric("host1", 1, "5000", 2);
    MemorySegment handles = longs(5, 5, 5);
    vector.insert(packed(a(1), BAD, a(2)), 3, handles, null, 0, "second");
    Insertion range = vector.insertSymmetric("10.1.2.1", 100, "5000", 20);
    vector.close();
    // No waiting: everything is there.
    List<Event> events = new ArrayList<>();
    queue.poll(events::add, 100);
    assertThat(events).hasSize(6).allMatch(event -> event.source() == vector);
    assertThat(events.stream().filter(Event.Failure.class::isInstance))
        .extracting(event -> ((Event.Failure) event).errno())
        .containsExactlyInAnyOrder(Errno.ECANCELED, Errno.ECANCELED, Errno.EADDRNOTAVAIL);
    assertThat(slow.isDone()).isTrue();
    assertThat(slow.error(1)).isEqualTo(125);
    assertThat(slow.failures().getFirst().reason()).contains("not tried");
    assertThat(longs(handles)).containsExactly(2, NA, 4);
    assertThat(range.inserted()).isEqualTo(2000);
    queue.close(); // no longer bound
  }

  @RepeatedTest(30)
  @DisplayName("However close races with insertions, each that started has all of its events")
  void closeRaces() throws InterruptedException {
    CoreAddressVector vector = bound();
    CountDownLatch go = new CountDownLatch(1);
    List<Integer> started = new ArrayList<>();
    Thread inserter =
        Thread.startVirtualThread(() -> {
          go.countDown();
          try {
            for (int i = 0; ; i++) {
              vector.insert(packed(a(2 * i), BAD, a(2 * i + 1)), 3, null, null, 0, i);
              started.add(i);
            }
          } catch (FabricException closed) {
            assertThat(closed.errno()).isEqualTo(Errno.EINVAL);
          }
        });
    go.await();
    Thread.sleep(2);
    vector.close();
    inserter.join();
    Map<Object, Integer> failures = new HashMap<>();
    Map<Object, Long> complete = new HashMap<>();
    List<Event> events = new ArrayList<>();
    queue.poll(events::add, Integer.MAX_VALUE);
    for (Event event : events) {
      if (event instanceof Event.Failure) {
        assertThat(complete).doesNotContainKey(event.context());
        failures.merge(event.context(), 1, Integer::sum);
      } else {
        assertThat(complete.put(event.context(), event.data())).isNull();
      }
    }
    assertThat(complete.keySet()).containsExactlyInAnyOrderElementsOf(started);
    complete.forEach((call, inserted) -> assertThat(failures.get(call) + inserted).isEqualTo(3));
  }

  @Test
  @Tag("AV-065")
  void memoryRunsOut() throws InterruptedException {
    LimitedVector limited =
        LimitedVector.open(new TestDomain(fabric, TestInfo.defaults().build()), EVENT);
    HistoricVector.of(limited.vector()).bind(queue, 0);
    limited.vector().insert(a(0));
    events(1);
    limited.memory().limit(limited.memory().held());
    int count = 100_000;
    FabricAddress[] many = new FabricAddress[count];
    for (int i = 0; i < count; i++) {
      many[i] = a(i + 1);
    }
    Insertion insertion = limited.vector().insert(List.of(many));
    await().forever().until(insertion::isDone);
    int inserted = insertion.inserted();
    assertThat(inserted).isLessThan(count);
    assertThat(insertion.error(inserted)).isEqualTo(12);
    for (int i = inserted + 1; i < count; i++) {
      assertThat(insertion.error(i)).isEqualTo(125);
      assertThat(insertion.handle(i)).isEqualTo(NA);
    }
    assertThat(limited.vector().size()).isEqualTo(inserted + 1L);
    limited.memory().limit(Long.MAX_VALUE);
    // Nothing of the reservations is left behind.
    Insertion next = limited.vector().insert(List.of(many[inserted]));
    await().forever().until(next::isDone);
    assertThat(next.handle(0)).isEqualTo(inserted + 1L);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4, 7})
  @Tag("AV-055")
  @Tag("AV-062")
  @DisplayName("D-67: a queue that overflows loses failures, never a completion or a handle")
  void overrunKeepsCompletionsAndHandles(int size) throws InterruptedException {
    EventQueue tiny = fabric.openEventQueue(EventQueueOptions.defaults().withSize(size));
    CoreAddressVector vector = open(TestInfo.defaults(), EVENT);
    HistoricVector.of(vector).bind(tiny, 0);
    FabricAddress[] addresses = {BAD, BAD, BAD, a(1), BAD, BAD, BAD, BAD};
    Insertion first = vector.insert(List.of(addresses), InsertOptions.none().withContext(0));
    await().forever().until(first::isDone);
    for (int call = 1; call <= 3; call++) {
      InsertOptions options = InsertOptions.none().withContext(call);
      await().forever().until(vector.insert(List.of(BAD, a(10 + call)), options)::isDone);
    }
    vector.close(); // returns when all events are there
    assertThat(first.handles()).containsExactly(NA, NA, NA, 3, NA, NA, NA, NA);
    assertThat(first.failures()).hasSize(7);

    List<Event> events = new ArrayList<>();
    long lost = 0;
    while (events.stream().filter(Event.InsertionComplete.class::isInstance).count() < 4) {
      try {
        assertThat(tiny.poll(events::add, 1)).as("events so far: " + events).isOne();
      } catch (FabricException overrun) {
        assertThat(overrun.errno()).isEqualTo(Errno.EOVERRUN);
        lost += Long.parseLong(overrun.getMessage().replaceAll(".*: (\\d+) events? w.*", "$1"));
      }
    }
    assertThat(tiny.read()).isNull();
    assertThat(events.stream().filter(Event.InsertionComplete.class::isInstance))
        .extracting(Event::context)
        .containsExactly(0, 1, 2, 3);
    assertThat(lost).isEqualTo(10 - (events.size() - 4));
    assertThat(events.size() - 4).as("failures that fit").isEqualTo(size);
  }

  @Test
  @Tag("AV-081")
  void addressesAndIdsAreTakenWhenTheCallIsMade() throws InterruptedException {
    gates.put("host1", new CountDownLatch(1));
    CoreAddressVector vector =
        bound(TestInfo.defaults().capabilities(Capability.AV_USER_ID), EVENT);
    MemorySegment id = longs(79);
    vector.insertService("host1", "1", id, null, InsertFlag.USER_ID.mask(), null);
    id.fill((byte) 0);
    MemorySegment addresses;
    MemorySegment handles = longs(77, 78);
    try (Arena arena = Arena.ofConfined()) {
      addresses = arena.allocate(32).copyFrom(packed(a(5), a(6)));
      vector.insert(addresses, 2, handles, null, InsertFlag.USER_ID.mask(), null);
    }
    gates.get("host1").countDown();
    events(2);
    assertThat(longs(id)).containsExactly(0);
    assertThat(reported(vector, 0)).isEqualTo(79);
    assertThat(longs(handles)).containsExactly(1, 2);
    assertThat(reported(vector, 1)).isEqualTo(77);
    assertThat(reported(vector, 2)).isEqualTo(78);
    assertThat(vector.lookup(2)).isEqualTo(a(6));
  }

  @Test
  @DisplayName("An array that is freed too early costs its handles and nothing else")
  void handlesFreedTooEarly() throws InterruptedException {
    gates.put("host1", new CountDownLatch(1));
    CoreAddressVector vector = bound();
    try (Arena arena = Arena.ofShared()) {
      vector.insertService("host1", "80", arena.allocate(8), null, 0, "freed");
    }
    gates.get("host1").countDown();
    assertThat(events(1)).singleElement().extracting(Event::data).isEqualTo(1L);
    assertThat(vector.size()).isEqualTo(1);
  }

  @Test
  @Tag("AV-071")
  void boundQueueIsBusy() {
    CoreAddressVector vector = bound();
    assertThatThrownBy(queue::close)
        .isInstanceOf(FabricBusyException.class)
        .hasMessageContaining("address vector (TABLE, 0 entries)");
    vector.close();
    queue.close();
  }

  @Test
  @Tag("AV-063")
  @DisplayName("A large call goes in slices, and a lookup or another vector never waits for it")
  void largeCall() throws InterruptedException {
    CoreAddressVector vector = bound();
    int count = 200_000;
    MemorySegment addresses = MemorySegment.ofArray(new byte[16 * count]);
    for (int i = 0; i < count; i++) {
      MemorySegment.copy(packed(a(i + 1)), 0, addresses, 16L * i, 16);
    }
    MemorySegment handles = MemorySegment.ofArray(new long[count]);
    vector.insert(addresses, count, handles, null, 0, null);
    vector.insert(a(count + 1));
    List<Event> events = events(2);
    assertThat(events).extracting(Event::data).containsExactlyInAnyOrder((long) count, 1L);
    assertThat(longs(handles)[count - 1]).isEqualTo(count - 1);
    assertThat(vector.lookup(count)).isEqualTo(a(count + 1));
  }

  @Test
  @Tag("AV-091")
  @Tag("AV-133")
  void keysStayUntilTheirInsertionsHaveEnded() throws InterruptedException {
    CoreAddressVector vector = bound(TestInfo.defaults().keysInVector(2), EVENT);
    long one = vector.insertAuthKey(new byte[32]);
    long two = vector.insertAuthKey("another key, of 32 bytes as well".getBytes(UTF_8));
    Insertion wrong =
        vector.insert(List.of(a(1), a(2), a(3)), InsertOptions.none().withAuthKeys(one, 7, two));
    assertThat(events(1)).hasSize(2).last().extracting(Event::data).isEqualTo(2L);
    assertThat(wrong.handles()).containsExactly(0, NA, 2);
    assertThat(wrong.error(1)).isEqualTo(Errno.EINVAL.number());
    vector.remove(longs(0, 2), 2, 0);
    gates.put("gate9", new CountDownLatch(1));
    long authKey = InsertFlag.AUTH_KEY.mask();
    try (Arena arena = Arena.ofShared()) {
      MemorySegment handles = arena.allocate(16).copyFrom(longs(one, two));
      vector.insertService("gate9", "80", handles.asSlice(0, 8), null, authKey, "late");
      Insertion failing = vector.insert(List.of(BAD), InsertOptions.none().withAuthKeys(two));
      fails(Errno.EBUSY, "under way", () -> vector.removeAuthKey(one));
      gates.get("gate9").countDown();
      events(2);
      assertThat(failing.error(0)).isEqualTo(Errno.EADDRNOTAVAIL.number());
      long entry = longs(handles)[0];
      assertThat(vector.lookupAuthKey(entry)).isEqualTo(new byte[32]);
      vector.removeAuthKey(two);
      vector.removeAuthKey(one);
      fails(Errno.ENOKEY, () -> vector.lookupAuthKey(entry));
    }
  }
}
