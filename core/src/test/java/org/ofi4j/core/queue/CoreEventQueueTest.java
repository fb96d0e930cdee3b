// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestFabric;
import org.ofi4j.spi.ProgressEngine;

@Tag("AV-219")
class CoreEventQueueTest {
  private final TestFabric fabric = new TestFabric();
  private final CoreEventQueue queue = open(4);

  private CoreEventQueue open(int size) {
    return new CoreEventQueue(
        fabric,
        fabric.lifetime(),
        EventQueueOptions.defaults().withSize(size).withContext("context"));
  }

  private Event complete(long data) {
    return Event.InsertionComplete.of(fabric, null, data);
  }

  private Event failure(long data) {
    return Event.Failure.of(fabric, Errno.EINVAL, "reason").data(data).build();
  }

  private static void fails(Errno errno, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(FabricException.class, e -> assertThat(e.errno()).isEqualTo(errno));
  }

  @Test
  void readsInOrderOnePerCall() {
    queue.post(complete(1));
    queue.post(complete(2));
    assertThat(queue.read()).isEqualTo(complete(1));
    assertThat(queue.read()).isEqualTo(complete(2));
    assertThat(queue.read()).isNull();
    assertThat(queue.context()).isEqualTo("context");
  }

  @Test
  void peekLeavesTheEvent() {
    queue.post(complete(1));
    assertThat(queue.peek()).isEqualTo(complete(1));
    assertThat(queue.peek()).isEqualTo(complete(1));
    assertThat(queue.read()).isEqualTo(complete(1));
    assertThat(queue.peek()).isNull();
  }

  @Test
  @Tag("AV-058")
  void failureIsReadAsError() throws InterruptedException {
    queue.post(complete(1));
    queue.post(failure(7));
    queue.post(complete(2));
    assertThat(queue.readError()).isNull(); // not its turn
    assertThat(queue.read()).isEqualTo(complete(1));
    fails(Errno.EAVAIL, queue::read);
    fails(Errno.EAVAIL, queue::peek);
    fails(Errno.EAVAIL, () -> queue.read(Duration.ofMillis(-1)));
    assertThat(queue.readError()).isEqualTo(failure(7));
    assertThat(queue.readError()).isNull();
    assertThat(queue.read(Duration.ZERO)).isEqualTo(complete(2));
  }

  @Test
  void pollDeliversFailuresInTheirPlaceUpToTheLimit() {
    queue.post(complete(1));
    queue.post(failure(2));
    queue.post(complete(3));
    List<Long> data = new ArrayList<>();
    assertThat(queue.poll(event -> data.add(event.data()), 2)).isEqualTo(2);
    assertThat(data).containsExactly(1L, 2L);
    assertThat(queue.poll(event -> data.add(event.data()), 9)).isEqualTo(1);
    assertThat(queue.poll(event -> data.add(event.data()), 9)).isZero();
    fails(Errno.EINVAL, () -> queue.poll(event -> {}, 0));
  }

  @Test
  void handlerMayUseTheQueue() {
    queue.post(complete(1));
    assertThat(
            queue.poll(
                event -> {
                  if (event.data() < 3) {
                    queue.post(complete(event.data() + 1));
                  }
                },
                10))
        .isEqualTo(3);
  }

  @Test
  void lossIsReportedOnceWhereItHappened() {
    for (int i = 0; i < 6; i++) {
      assertThat(queue.post(complete(i))).isEqualTo(i < 4);
    }
    assertThat(queue.read()).isEqualTo(complete(0));
    assertThat(queue.post(complete(9))).isTrue();
    List<Long> data = new ArrayList<>();
    assertThat(queue.poll(event -> data.add(event.data()), 9)).isEqualTo(3);
    assertThatThrownBy(queue::read)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EOVERRUN))
        .hasMessageContaining("2 events");
    assertThat(queue.read()).isEqualTo(complete(9));
    assertThat(queue.read()).isNull();
  }

  @Test
  @Tag("AV-219")
  void peekLeavesTheLoss() {
    for (int i = 0; i < 5; i++) {
      queue.post(complete(i));
    }
    queue.poll(event -> {}, 4);
    for (int i = 0; i < 2; i++) {
      fails(Errno.EOVERRUN, queue::peek);
    }
    fails(Errno.EOVERRUN, queue::read);
    assertThat(queue.peek()).isNull();
  }

  @Test
  void waitingReaderGetsTheEvent() throws InterruptedException {
    Thread reader = Thread.currentThread();
    Thread poster =
        Thread.startVirtualThread(() -> {
          until(() -> isAsleep(reader));
          queue.post(complete(5));
        });
    assertThat(queue.read(Duration.ofSeconds(-1))).isEqualTo(complete(5));
    poster.join();
    assertThat(queue.read(Duration.ofMillis(5))).isNull();
    assertThat(queue.read(Duration.ZERO)).isNull();
  }

  @Test
  void farAwayTimeoutsAreNoOverflow() throws InterruptedException {
    queue.post(complete(1));
    assertThat(queue.read(Duration.ofSeconds(Long.MAX_VALUE))).isEqualTo(complete(1));
  }

  @Test
  void closeWakesWaitingReaders() throws InterruptedException {
    CountDownLatch woken = new CountDownLatch(2);
    AtomicReference<Object> seen = new AtomicReference<>("nothing");
    for (int i = 0; i < 2; i++) {
      Thread reader =
          Thread.startVirtualThread(() -> {
            try {
              seen.set(String.valueOf(queue.read(Duration.ofSeconds(-1))));
            } catch (Exception e) {
              seen.set(e);
            }
            woken.countDown();
          });
      until(() -> isAsleep(reader));
    }
    queue.close();
    woken.await();
    assertThat(seen).hasValue("null");
    fails(Errno.EINVAL, queue::read);
    fails(Errno.EINVAL, queue::readError);
    assertThat(queue.post(complete(1))).isFalse();
  }

  @Test
  void everyWaitingReaderLearnsOfAFailure() throws InterruptedException {
    CountDownLatch told = new CountDownLatch(2);
    for (int i = 0; i < 2; i++) {
      Thread reader =
          Thread.startVirtualThread(() -> {
            try {
              queue.read(Duration.ofSeconds(-1));
            } catch (FabricException | InterruptedException failurePending) {
              told.countDown();
            }
          });
      until(() -> isAsleep(reader));
    }
    queue.post(failure(1));
    told.await();
  }

  // What is offered, and who moves what is bound to the queue.

  @Test
  void whatIsOfferedToAFullQueueStaysWithTheCaller() {
    for (int i = 0; i < 4; i++) {
      assertThat(queue.offer(complete(i))).isTrue();
    }
    assertThat(queue.offer(complete(4))).isFalse();
    // Nothing is lost, so that nothing is reported as lost.
    assertThat(queue.read()).isEqualTo(complete(0));
    assertThat(queue.offer(complete(4))).isTrue();
    assertThat(queue.offer(complete(5))).isFalse();
    for (int i = 1; i < 5; i++) {
      assertThat(queue.read()).isEqualTo(complete(i));
    }
    assertThat(queue.read()).isNull();
  }

  @Test
  void whatIsOfferedToAClosedQueueIsDone() {
    queue.close();
    // To offer it again would be in vain.
    assertThat(queue.offer(complete(1))).isTrue();
  }

  @Test
  void anOfferWakesAWaitingReader() throws InterruptedException {
    Thread reader = Thread.currentThread();
    Thread offering =
        Thread.startVirtualThread(() -> {
          until(() -> isAsleep(reader));
          queue.offer(complete(5));
        });
    assertThat(queue.read(TestDomain.PATIENCE)).isEqualTo(complete(5));
    offering.join();
  }

  /** Sleeps until it is woken; each turn may bring something. */
  private static final class Engine implements ProgressEngine {
    final AtomicInteger turns = new AtomicInteger();
    final AtomicInteger sleepers = new AtomicInteger();
    final AtomicInteger mostSleepers = new AtomicInteger();
    final Semaphore woken = new Semaphore(0);
    volatile Runnable turn = () -> {};
    volatile boolean closed;

    @Override
    public void progress() {
      turns.incrementAndGet();
      turn.run();
    }

    @Override
    public void progressIfDue(boolean atOnce) {}

    @Override
    public void await(long nanoseconds) {
      mostSleepers.accumulateAndGet(sleepers.incrementAndGet(), Math::max);
      try {
        if (woken.tryAcquire(nanoseconds, TimeUnit.NANOSECONDS)) {
          woken.drainPermits();
        }
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      } finally {
        sleepers.decrementAndGet();
      }
    }

    @Override
    public void wake() {
      woken.release();
    }

    @Override
    public void roomAgain() {}

    @Override
    public void close() {
      closed = true;
    }
  }

  private static void until(BooleanSupplier condition) {
    while (!condition.getAsBoolean()) {
      sleep(1);
    }
  }

  @Test
  void aCallbackIsToldOnceAndAtOnceIfSomethingWaits() {
    List<String> told = new ArrayList<>();
    queue.whenReady(() -> told.add("first"));
    queue.whenReady(() -> told.add("second"));
    assertThat(told).isEmpty();
    queue.post(complete(1));
    queue.post(complete(2));
    assertThat(told).containsExactly("second");
    queue.whenReady(() -> told.add("third"));
    assertThat(told).containsExactly("second", "third");
    queue.read();
    queue.read();
    queue.whenReady(() -> told.add("offered"));
    queue.offer(failure(3));
    queue.readError();
    queue.whenReady(() -> told.add("in any case"));
    queue.postInAnyCase(complete(4));
    assertThat(told).containsExactly("second", "third", "offered", "in any case");
    queue.whenReady(queue::read);
    assertThat(queue.read()).as("the callback read it").isNull();
  }

  @Test
  void aLossIsSomethingToRead() {
    CoreEventQueue small = open(1);
    small.post(complete(1));
    small.post(complete(2));
    assertThat(small.read()).isEqualTo(complete(1));
    AtomicInteger told = new AtomicInteger();
    small.whenReady(told::incrementAndGet);
    assertThat(told).hasValue(1);
    fails(Errno.EOVERRUN, small::read);
    small.close();
  }

  @Test
  void aCallbackIsNotForManualProgressAndGoesWithTheQueue() {
    AtomicInteger told = new AtomicInteger();
    queue.whenReady(told::incrementAndGet);
    queue.drive(Engine::new);
    assertThat(told).as("told, so that it asks again").hasValue(1);
    fails(Errno.ENOSYS, () -> queue.whenReady(told::incrementAndGet));
    queue.close();
    fails(Errno.EINVAL, () -> queue.whenReady(told::incrementAndGet));
    assertThat(told).hasValue(1);
  }

  @Test
  void thereIsOneEngineWhichReadersRunWhenThereIsNothingToRead() {
    Engine engine = new Engine();
    assertThat(queue.drive(() -> engine)).isSameAs(engine);
    assertThat(queue.drive(Engine::new)).isSameAs(engine);
    assertThat(queue.read()).isNull();
    assertThat(queue.peek()).isNull();
    assertThat(queue.poll(event -> {}, 1)).isZero();
    assertThat(engine.turns).hasValue(3);
    engine.turn = () -> queue.post(complete(7));
    assertThat(queue.read()).isEqualTo(complete(7));
    assertThat(engine.turns).hasValue(4);
    engine.turn = () -> {};
    queue.post(complete(8));
    assertThat(queue.read()).isEqualTo(complete(8));
    assertThat(engine.turns).as("there was something to read first").hasValue(4);
    queue.close();
    assertThat(engine.closed).isTrue();
    fails(Errno.EINVAL, () -> queue.drive(Engine::new));
  }

  @Test
  void aReaderThatWaitsAlreadySleepsInTheEngineFromThenOn() throws InterruptedException {
    AtomicReference<Object> seen = new AtomicReference<>();
    Thread reader = Thread.startVirtualThread(() -> seen.set(read()));
    until(() -> isAsleep(reader));
    Engine engine = new Engine();
    queue.drive(() -> engine);
    until(() -> engine.sleepers.get() == 1);
    queue.post(complete(3));
    reader.join();
    assertThat(seen).hasValue(complete(3));
  }

  private @Nullable Object read() {
    try {
      return queue.read(TestDomain.PATIENCE);
    } catch (InterruptedException e) {
      return e;
    }
  }

  @Test
  void oneReaderSleepsInTheEngineAndEachEventFindsAnother() throws InterruptedException {
    Engine engine = new Engine();
    queue.drive(() -> engine);
    List<Thread> readers = new ArrayList<>();
    AtomicInteger read = new AtomicInteger();
    for (int i = 0; i < 3; i++) {
      readers.add(
          Thread.startVirtualThread(() -> {
            if (read() instanceof Event) {
              read.incrementAndGet();
            }
          }));
    }
    for (int i = 1; i <= 3; i++) {
      until(() -> engine.sleepers.get() == 1);
      queue.post(complete(i));
      int wanted = i;
      until(() -> read.get() == wanted);
    }
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(engine.mostSleepers).hasValue(1);
  }

  @Test
  void closeWakesTheOneThatSleepsInTheEngineAndThoseBehindIt() throws InterruptedException {
    Engine engine = new Engine();
    queue.drive(() -> engine);
    List<Thread> readers = new ArrayList<>();
    AtomicInteger ended = new AtomicInteger();
    for (int i = 0; i < 2; i++) {
      readers.add(
          Thread.startVirtualThread(() -> {
            if (read() == null) {
              ended.incrementAndGet();
            }
          }));
    }
    until(() ->
        engine.sleepers.get() == 1 && readers.stream().allMatch(CoreEventQueueTest::isAsleep));
    queue.close();
    assertThat(engine.sleepers).as("nobody sleeps in an engine that is closed").hasValue(0);
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(ended.get()).isEqualTo(2);
    assertThat(engine.closed).isTrue();
  }

  @Test
  void fabricStaysOpenAsLongAsTheQueue() {
    assertThatThrownBy(fabric::close)
        .isInstanceOf(FabricBusyException.class)
        .hasMessageContaining("event queue");
    queue.close();
    fabric.close();
    fails(Errno.EINVAL, () -> open(1));
  }

  private static boolean isAsleep(Thread thread) {
    return switch (thread.getState()) {
      case WAITING, TIMED_WAITING -> true;
      case NEW, RUNNABLE, BLOCKED, TERMINATED -> false;
    };
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
