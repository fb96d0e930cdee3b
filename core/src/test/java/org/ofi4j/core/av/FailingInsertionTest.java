// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;
import static org.ofi4j.core.av.VectorFixture.openOn;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.AsynchronousInsertions.Request;
import org.ofi4j.core.mapped.NamedStore;
import org.ofi4j.core.mapped.NamedStores;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.source.AddressSource;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestFabric;
import org.ofi4j.core.testing.TestInfo;

/** Asynchronous insertions that something goes wrong in that is no address's fault. */
@Tag("AV-054")
@Tag("AV-065")
class FailingInsertionTest {
  private static final AddressCodec CODEC = AddressCodec.of(AddressFormat.SOCKADDR_IN);
  private static final Object CONTEXT = "ctx";

  private final TestFabric fabric = new TestFabric();
  private final TestDomain domain = new TestDomain(fabric, TestInfo.defaults().build());
  private final CoreEventQueue queue =
      (CoreEventQueue) fabric.openEventQueue(EventQueueOptions.defaults().withSize(10_000));
  private final EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE);
  private final CoreAddressVector vector = openOn(domain, store);

  private AsynchronousInsertions insertions(ThreadFactory threads) {
    return insertions(vector, queue, threads);
  }

  private static AsynchronousInsertions insertions(
      CoreAddressVector vector, CoreEventQueue queue, ThreadFactory threads) {
    EntryWriter writer = new EntryWriter(vector.store, vector.keys());
    AsynchronousInsertions insertions = new AsynchronousInsertions(vector, writer, threads);
    insertions.bind(queue);
    return insertions;
  }

  private AsynchronousInsertions insertions() {
    return insertions(Thread.ofVirtual().factory());
  }

  /** Addresses of which one cannot be read, or all not be prepared, or none be put in words. */
  private record Source(
      int count, Runnable preparation, int unreadable, Throwable failure, boolean wordless)
      implements AddressSource {
    static Source good(int count, Runnable prepare) {
      return new Source(count, prepare, -1, new AssertionError(), false);
    }

    @Override
    public void prepare() {
      preparation.run();
    }

    @Override
    public int read(int position, AddressKey into) {
      if (position == unreadable) {
        FailingInsertionTest.<RuntimeException>raise(failure);
      }
      return CODEC.read(a(position + 1), into);
    }

    @Override
    public String text(int position) {
      if (wordless) {
        throw new OutOfMemoryError("no words");
      }
      return "address " + position;
    }

    @Override
    public String reason(int position) {
      return "of no matter";
    }
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <T extends Throwable> void raise(Throwable failure) throws T {
    throw (T) failure;
  }

  private List<Event> events() throws InterruptedException {
    List<Event> events = new ArrayList<>();
    while (events.isEmpty() || !(events.getLast() instanceof Event.InsertionComplete)) {
      if (queue.poll(events::add, 1) == 0) {
        Thread.sleep(1);
      }
    }
    return events;
  }

  private static List<Integer> errnos(List<Event> events) {
    return events.stream()
        .filter(Event.Failure.class::isInstance)
        .map(event -> ((Event.Failure) event).errno().number())
        .toList();
  }

  /** Starts an insertion and waits for its end. */
  private CoreInsertion run(AsynchronousInsertions insertions, AddressSource source) {
    CoreInsertion insertion = CoreInsertion.ofEach(source, vector.layout);
    insertions.start(new Request(source, null, null, insertion, 0, CONTEXT));
    return insertion;
  }

  @Test
  void addressesThatAnInsertionLeftWithoutOutcomeWereNotTried() {
    CoreInsertion insertion = CoreInsertion.ofEach(Source.good(4, () -> {}), vector.layout);
    insertion.add(7);
    insertion.add(-Errno.EINVAL.number());
    insertion.complete("nothing");
    assertThat(insertion.inserted()).isOne();
    assertThat(insertion.handle(0)).isEqualTo(vector.layout.handle(7));
    for (int position = 2; position < 4; position++) {
      assertThat(insertion.error(position)).isEqualTo(Errno.ECANCELED.number());
      assertThat(insertion.handle(position)).isEqualTo(Handles.NOT_AVAILABLE);
    }
    assertThat(insertion.failures()).hasSize(3);
  }

  private void nothingIsLeft(AsynchronousInsertions insertions) throws InterruptedException {
    long live = store.size();
    run(insertions, Source.good(20, () -> {}));
    assertThat(events()).singleElement().extracting(Event::data).isEqualTo(20L);
    assertThat(store.find(key(20)))
        .as("no reservation is left behind")
        .isEqualTo((int) (19 + live));
    insertions.abort();
  }

  private static AddressKey key(int i) {
    AddressKey key = new AddressKey();
    CODEC.read(a(i), key);
    return key;
  }

  @Test
  @DisplayName("No memory to resolve names: the first fails with 12, the others with 125")
  void prepareFails() throws InterruptedException {
    AsynchronousInsertions insertions = insertions();
    CoreInsertion insertion =
        run(
            insertions,
            Source.good(
                5,
                () -> {
                  throw new OutOfMemoryError("unable to create native thread");
                }));
    List<Event> events = events();
    assertThat(errnos(events)).containsExactly(12, 125, 125, 125, 125);
    assertThat(events).extracting(Event::context).containsOnly(CONTEXT);
    assertThat(events.getLast().data()).isZero();
    assertThat(insertion.isDone()).isTrue();
    assertThat(insertion.handles()).containsOnly(NA);
    assertThat(insertion.error(0)).isEqualTo(12);
    assertThat(insertion.error(4)).isEqualTo(125);
    assertThat(insertion.failures()).hasSize(5);
    assertThat(store.size()).isZero();
    nothingIsLeft(insertions);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("An address that cannot be looked at ends the call there, whatever it throws")
  void readFails(boolean wordless) throws InterruptedException {
    AsynchronousInsertions insertions = insertions();
    MemorySegment handles = longs(9, 9, 9, 9, 9);
    Throwable heap = new OutOfMemoryError("Java heap space");
    insertions.start(
        new Request(new Source(5, () -> {}, 2, heap, wordless), null, handles, null, 0, CONTEXT));
    List<Event> events = events();
    assertThat(errnos(events)).containsExactly(12, 125, 125);
    assertThat(events).extracting(Event::data).containsExactly(2L, 3L, 4L, 2L);
    assertThat(longs(handles)).containsExactly(0, 1, NA, NA, NA);
    nothingIsLeft(insertions);

    FabricException refused = new FabricException(Errno.EOTHER, "of a codec");
    run(insertions, new Source(3, () -> {}, 1, refused, wordless));
    assertThat(errnos(events())).containsExactly(256, 125);
  }

  @Test
  @Tag("AV-041")
  @DisplayName("What breaks a named vector is reported, and so is what was inserted before")
  void storeBreaks(@TempDir Path directory) throws InterruptedException {
    StoreOptions options = StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(3);
    NamedVector file = NamedStores.vector(directory, options, false);
    try (NamedStore named = NamedStore.of(file, options)) {
      AsynchronousInsertions insertions =
          insertions(openOn(domain, named), queue, Thread.ofVirtual().factory());
      MemorySegment handles = longs(9, 9, 9, 9, 9);
      insertions.start(new Request(new Breaking(named, 5, 2), null, handles, null, 0, CONTEXT));
      List<Event> events = events();
      assertThat(longs(handles)).containsExactly(0, 1, NA, NA, NA);
      assertThat(errnos(events)).containsExactly(Errno.EIO.number(), 125, 125);
      assertThat(events).extracting(Event::data).containsExactly(2L, 3L, 4L, 2L);
      assertThat(named.size()).isEqualTo(2);
      // It was repaired, and the reservations were given back.
      assertThat(file.repairs()).isOne();
      run(insertions, Source.good(4, () -> {}));
      assertThat(errnos(events())).isEmpty();
      assertThat(named.find(key(4))).as("two before it are shared").isEqualTo(5);
      insertions.abort();
    }
  }

  /** Addresses of which one is read from what makes a change fail half-way. */
  private record Breaking(NamedStore store, int count, int breaking) implements AddressSource {
    @Override
    public void prepare() {}

    @Override
    public int read(int position, AddressKey into) {
      if (position == breaking) {
        assertThatThrownBy(() -> store.insert(null)).hasMessageContaining("damaged");
      }
      return CODEC.read(a(position + 1), into);
    }

    @Override
    public String text(int position) {
      return "address " + position;
    }

    @Override
    public String reason(int position) {
      return "of no matter";
    }
  }

  @Test
  @DisplayName(
      "A thread that does not start: the call fails as a whole, and close waits for nothing")
  void threadDoesNotStart() throws InterruptedException {
    boolean[] refuse = {true};
    ThreadFactory threads =
        task ->
            refuse[0]
                ? new Thread(task) {
                  @Override
                  public void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                }
                : Thread.ofVirtual().unstarted(task);
    AsynchronousInsertions insertions = insertions(threads);
    fails(Errno.ENOMEM, "nothing was begun", () -> run(insertions, Source.good(3, () -> {})));
    assertThat(queue.read()).isNull();
    insertions.abort();
    refuse[0] = false;
    nothingIsLeft(insertions);
  }

  @Test
  @Tag("AV-178")
  @DisplayName("One that waits or fails early holds nobody up, and what is settled first is kept")
  void eachEndsWhenItCan() throws InterruptedException {
    AsynchronousInsertions insertions = insertions();
    CountDownLatch gate = new CountDownLatch(1);
    CoreInsertion first =
        run(
            insertions,
            Source.good(
                1,
                () -> {
                  try {
                    gate.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                }));
    CoreInsertion failing =
        run(
            insertions,
            Source.good(
                1,
                () -> {
                  throw new OutOfMemoryError("of no memory");
                }));
    CoreInsertion third = run(insertions, Source.good(1, () -> {}));
    events();
    events();
    assertThat(first.isDone()).isFalse();
    assertThat(failing.error(0)).isEqualTo(12);
    // The reservation of the failed one may have been free already.
    assertThat(third.handle(0)).isBetween(1L, 2L);
    gate.countDown();
    events();
    assertThat(first.handle(0)).as("the third one's entry").isEqualTo(third.handle(0));
  }

  @Test
  @Tag("AV-063")
  @DisplayName("Without room in the queue failures are counted, not made")
  void fullQueue() throws InterruptedException {
    CoreEventQueue tiny =
        (CoreEventQueue) fabric.openEventQueue(EventQueueOptions.defaults().withSize(2));
    AsynchronousInsertions insertions = insertions(vector, tiny, Thread.ofVirtual().factory());
    CoreInsertion insertion =
        run(
            insertions,
            Source.good(
                5000,
                () -> {
                  throw new OutOfMemoryError("of no memory");
                }));
    insertions.abort();
    assertThat(insertion.isDone()).isTrue();
    assertThat(tiny.readError()).isNotNull();
    assertThat(tiny.readError()).isNotNull();
    fails(Errno.EOVERRUN, "4998 events were lost", () -> tiny.read(Duration.ofSeconds(1)));
    assertThat(tiny.read()).isInstanceOf(Event.InsertionComplete.class);
  }
}
