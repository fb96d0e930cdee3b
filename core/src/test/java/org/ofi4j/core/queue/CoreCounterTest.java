// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.spi.ProgressEngine;

/** What a counter counts, and how it treats those who wait. */
class CoreCounterTest {
  /** Sleeps until it is woken. */
  private static final class Engine implements ProgressEngine {
    private final AtomicInteger progressed = new AtomicInteger();
    private final AtomicInteger sleeping = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final Semaphore wakes = new Semaphore(0);
    private volatile Runnable onProgress = () -> {};
    private volatile Runnable onAwait = () -> {};

    @Override
    public void progress() {
      progressed.incrementAndGet();
      onProgress.run();
    }

    @Override
    public void progressIfDue(boolean atOnce) {}

    @Override
    public void await(long nanoseconds) {
      assertThat(closed.get()).isZero();
      assertThat(sleeping.incrementAndGet()).as("one sleeper at a time").isEqualTo(1);
      try {
        onAwait.run();
        wakes.tryAcquire(nanoseconds, TimeUnit.NANOSECONDS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      } finally {
        sleeping.decrementAndGet();
      }
    }

    @Override
    public void wake() {
      wakes.release();
    }

    @Override
    public void roomAgain() {}

    @Override
    public void close() {
      assertThat(sleeping.get()).isZero();
      closed.incrementAndGet();
    }
  }

  private final TestDomain domain = TestDomain.of(TestInfo.defaults());
  private final Engine engine = new Engine();
  private final CoreCounter counter = new CoreCounter(domain, domain.lifetime(), "context", engine);
  private final ExecutorService threads = Executors.newCachedThreadPool();

  @AfterEach
  void end() {
    counter.close();
    threads.shutdownNow();
  }

  @Test
  @DisplayName("Successes and failures are two numbers, and can be set and added to")
  void numbers() {
    assertThat(counter.read()).isZero();
    counter.count(false);
    counter.count(false);
    counter.count(true);
    assertThat(counter.read()).isEqualTo(2);
    assertThat(counter.readErrors()).isEqualTo(1);
    counter.add(5);
    counter.addErrors(6);
    assertThat(counter.read()).isEqualTo(7);
    assertThat(counter.readErrors()).isEqualTo(7);
    counter.set(-1);
    counter.setErrors(3);
    assertThat(Long.toUnsignedString(counter.read())).isEqualTo("18446744073709551615");
    assertThat(counter.readErrors()).isEqualTo(3);
    counter.count(false);
    assertThat(counter.read()).isZero();
    assertThat(counter.context()).isEqualTo("context");
    assertThat(counter.domain()).isSameAs(domain);
  }

  @Test
  @DisplayName("A threshold that is reached is told also if the counter closes at that moment")
  void reachedAndClosed() throws InterruptedException {
    engine.onAwait =
        () -> {
          counter.count(false);
          threads.execute(counter::close);
          while (counter.lifetime().isOpen()) {
            Thread.onSpinWait();
          }
        };
    assertThat(counter.await(1, Duration.ofMinutes(1))).isTrue();
  }

  @Test
  @DisplayName("Reading drives progress, and sees what that counted")
  void progress() {
    engine.onProgress = () -> counter.count(false);
    assertThat(counter.read()).isEqualTo(1);
    assertThat(counter.readErrors()).isZero();
    assertThat(engine.progressed.get()).isEqualTo(2);
  }

  @Test
  @DisplayName("Waiting for a number that is there is no waiting; numbers are unsigned")
  void reachedAlready() throws Exception {
    counter.set(10);
    assertThat(counter.await(10, Duration.ZERO)).isTrue();
    assertThat(counter.await(11, Duration.ZERO)).isFalse();
    assertThat(counter.await(-1, Duration.ofMillis(1))).isFalse();
    assertThatThrownBy(() -> counter.await(1, null))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("timeout");
  }

  @Test
  @DisplayName("One that waits drives progress until the number is reached")
  void waitingDrivesProgress() throws Exception {
    engine.onProgress = () -> counter.count(false);
    engine.wakes.release(100);
    assertThat(counter.await(50, TestDomain.PATIENCE)).isTrue();
    assertThat(counter.read()).isBetween(50L, 52L);
  }

  @Test
  @DisplayName("The time that a wait takes is what was asked for")
  void timeout() throws Exception {
    long begun = System.nanoTime();
    assertThat(counter.await(1, Duration.ofMillis(50))).isFalse();
    assertThat(System.nanoTime() - begun).isGreaterThanOrEqualTo(50_000_000);
  }

  @Test
  @DisplayName("A failure ends waiting, but one from before does not")
  void failures() throws Exception {
    counter.count(true);
    Future<Boolean> waiting = start(() -> counter.await(1, TestDomain.PATIENCE));
    awaitWaiting(1);
    counter.count(true);
    assertThatThrownBy(() -> waiting.get())
        .isInstanceOf(ExecutionException.class)
        .cause()
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EAVAIL));
    counter.count(false);
    assertThat(counter.await(1, TestDomain.PATIENCE)).isTrue();
  }

  @RepeatedTest(20)
  @DisplayName("Threads that wait for different numbers leave each at its own")
  void differentNumbers() throws Exception {
    List<Future<Boolean>> waiting = new ArrayList<>();
    for (int i = 1; i <= 8; i++) {
      long threshold = i;
      waiting.add(start(() -> counter.await(threshold, TestDomain.PATIENCE)));
    }
    for (int i = 0; i < 8; i++) {
      assertThat(waiting.get(i)).isNotDone();
      counter.count(false);
      assertThat(waiting.get(i).get()).isTrue();
    }
  }

  @RepeatedTest(20)
  @DisplayName("Closing wakes all who wait, and the engine outlives them")
  void close() throws Exception {
    List<Future<Boolean>> waiting = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      waiting.add(start(() -> counter.await(1, Duration.ofSeconds(-1))));
    }
    awaitWaiting(4);
    counter.close();
    for (Future<Boolean> each : waiting) {
      assertThat(each.get()).isFalse();
    }
    assertThat(engine.closed.get()).isEqualTo(1);
    assertThatThrownBy(counter::read).hasMessageContaining("is closed");
    assertThatThrownBy(() -> counter.await(0, TestDomain.PATIENCE))
        .hasMessageContaining("is closed");
  }

  @Test
  @DisplayName("An interrupted thread stops waiting, and the next takes its place")
  void interrupted() throws Exception {
    Future<Boolean> first = start(() -> counter.await(1, TestDomain.PATIENCE));
    awaitWaiting(1);
    Future<Boolean> second = start(() -> counter.await(1, TestDomain.PATIENCE));
    awaitWaiting(2);
    first.cancel(true);
    counter.count(false);
    assertThat(second.get()).isTrue();
  }

  @Test
  @DisplayName("What holds a counter keeps it open, and it keeps its domain open")
  void busy() {
    assertThatThrownBy(domain::close).hasMessageContaining("counter (0 succeeded, 0 failed)");
    Lifetime holder = new Lifetime(domain, () -> {});
    holder.hold(counter.lifetime());
    assertThatThrownBy(counter::close)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EBUSY));
    assertThat(counter.isOpen()).isTrue();
    holder.close();
  }

  private <T> Future<T> start(Callable<T> work) {
    return threads.submit(work);
  }

  /** Waits until so many threads have looked at the numbers, and one of them sleeps. */
  private void awaitWaiting(int count) throws InterruptedException {
    while (engine.progressed.get() < count || engine.sleeping.get() == 0) {
      Thread.sleep(1);
    }
  }
}
