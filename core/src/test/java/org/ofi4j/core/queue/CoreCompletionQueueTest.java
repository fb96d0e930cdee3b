// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.OperationFailedException;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.testing.TestDomain;
import org.ofi4j.core.testing.TestInfo;
import org.ofi4j.spi.ProgressEngine;

/** What a completion queue asks of its engine, and how it treats those who wait. */
class CoreCompletionQueueTest {
  /** Counts calls; sleeps until it is woken. */
  private static final class Engine implements ProgressEngine {
    private final AtomicInteger progressed = new AtomicInteger();
    private final AtomicInteger dueChecks = new AtomicInteger();
    private final AtomicInteger sleeping = new AtomicInteger();
    private final AtomicInteger rooms = new AtomicInteger();
    private final AtomicInteger closed = new AtomicInteger();
    private final AtomicInteger skipped = new AtomicInteger();
    private final Semaphore wakes = new Semaphore(0);
    private volatile Runnable onProgress = () -> {};
    private volatile boolean skipsBeforeAwait;

    @Override
    public void progress() {
      progressed.incrementAndGet();
      onProgress.run();
    }

    @Override
    public void progressIfDue(boolean atOnce) {
      if (atOnce) {
        progress();
      }
      dueChecks.incrementAndGet();
    }

    @Override
    public void progress(boolean waits) {
      if (waits && skipsBeforeAwait) {
        skipped.incrementAndGet();
      } else {
        progress();
      }
    }

    @Override
    public void await(long nanoseconds) {
      assertThat(sleeping.incrementAndGet()).as("one sleeper at a time").isEqualTo(1);
      try {
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
    public void roomAgain() {
      rooms.incrementAndGet();
    }

    @Override
    public void close() {
      assertThat(sleeping.get()).isZero();
      closed.incrementAndGet();
    }
  }

  private final TestDomain domain = TestDomain.of(TestInfo.defaults());
  private final Engine engine = new Engine();
  private final List<CoreCompletionQueue> opened = new ArrayList<>();

  private CoreCompletionQueue open(int size) {
    CoreCompletionQueue queue =
        new CoreCompletionQueue(
            domain,
            domain.lifetime(),
            CompletionQueueOptions.defaults().withSize(size).withContext("context"),
            engine);
    opened.add(queue);
    return queue;
  }

  @AfterEach
  void close() {
    opened.forEach(CoreCompletionQueue::close);
  }

  private static void complete(CoreCompletionQueue queue, Object context) {
    assertThat(queue.reserve()).isTrue();
    if (queue.add(context, 1, 2, 3, 4, 5)) {
      queue.wakeReaders();
    }
  }

  private static void fail(CoreCompletionQueue queue, Completion.Failure failure) {
    assertThat(queue.reserve()).isTrue();
    if (queue.add(failure)) {
      queue.wakeReaders();
    }
  }

  /** Ignores successes, and throws failures. */
  private static final CompletionHandler IGNORE =
      new CompletionHandler() {
        @Override
        public void completed(
            Object context, long flags, long length, long data, long tag, long source) {}

        @Override
        public void failed(Completion.Failure failure) {
          throw new OperationFailedException(failure);
        }
      };

  @Test
  @DisplayName(
      "Reading drives progress where it finds fewer completions than asked for, else if due")
  void drivesProgress() {
    CoreCompletionQueue queue = open(0);
    complete(queue, "first");
    assertThat(queue.poll(IGNORE, 1)).isEqualTo(1);
    assertThat(engine.progressed.get()).isZero();
    assertThat(engine.dueChecks.get()).isEqualTo(1);
    complete(queue, "second");
    assertThat(queue.read()).isNotNull();
    assertThat(engine.progressed.get()).isZero();
    assertThat(engine.dueChecks.get()).isEqualTo(2);
    complete(queue, "third");
    engine.onProgress = () -> complete(queue, "moved");
    assertThat(queue.poll(IGNORE, 2)).isEqualTo(2);
    assertThat(engine.progressed.get()).isEqualTo(1);
    assertThat(queue.read()).satisfies(each -> assertThat(each.context()).isEqualTo("moved"));
  }

  @Test
  @DisplayName(
      "A read that waits if it finds nothing lets the engine skip the look before the wait")
  void skipsProgressBeforeAwait() throws Exception {
    CoreCompletionQueue queue = open(0);
    Duration patience = Duration.ofMinutes(1);
    engine.skipsBeforeAwait = true;
    engine.onProgress = () -> complete(queue, "moved");

    engine.wakes.release();
    assertThat(queue.poll(IGNORE, 1, patience)).isEqualTo(1);
    assertThat(engine.skipped.get()).isEqualTo(1);
    assertThat(engine.progressed.get()).as("looks after the wait").isEqualTo(1);

    engine.wakes.release();
    assertThat(queue.read(patience)).isNotNull();
    assertThat(engine.skipped.get()).isEqualTo(2);
    assertThat(engine.progressed.get()).isEqualTo(2);

    assertThat(queue.poll(IGNORE, 1, Duration.ZERO)).as("does not wait").isEqualTo(1);
    assertThat(queue.read(Duration.ZERO)).isNotNull();
    assertThat(queue.read()).isNotNull();
    assertThat(queue.poll(IGNORE, 0, patience)).as("delivers nothing").isZero();
    assertThat(queue.poll(IGNORE, 2, patience)).as("finds one and looks for more").isEqualTo(2);
    assertThat(engine.skipped.get()).isEqualTo(2);
    assertThat(engine.progressed.get()).isEqualTo(7);
  }

  @Test
  @DisplayName("Whoever reads failures only, as those who look for a message, drives progress too")
  void failuresDriveProgress() {
    CoreCompletionQueue queue = open(0);
    Completion.Failure failure =
        Completion.Failure.of(Errno.ENOMSG, "none").context("bad").providerErrno(42).build();
    for (int i = 1; i <= 4; i++) {
      fail(queue, failure);
      if (i % 2 == 0) {
        assertThatThrownBy(() -> queue.poll(IGNORE, 1))
            .isInstanceOf(OperationFailedException.class);
      } else {
        assertThat(queue.readError()).isSameAs(failure);
      }
      assertThat(engine.progressed.get()).isEqualTo(i);
    }
  }

  @Test
  @DisplayName("A failure with the errno of a timeout is not taken for a timeout")
  void takeTellsFailuresFromTimeouts() throws Exception {
    CoreCompletionQueue queue = open(0);
    Completion.Failure lost = Completion.Failure.of(Errno.ETIMEDOUT, "no answer").build();
    fail(queue, lost);
    assertThatThrownBy(() -> queue.take(TestDomain.PATIENCE))
        .isInstanceOfSatisfying(
            OperationFailedException.class, thrown -> assertThat(thrown.failure()).isSameAs(lost));
    assertThatThrownBy(() -> queue.take(Duration.ZERO))
        .isInstanceOf(FabricException.class)
        .isNotInstanceOf(OperationFailedException.class);
  }

  @Test
  void takeReturnsSuccessesAndThrowsFailuresAndTimeouts() throws Exception {
    CoreCompletionQueue queue = open(0);
    complete(queue, "good");
    fail(
        queue,
        Completion.Failure.of(Errno.ETRUNC, "too long").context("bad").providerErrno(42).build());
    complete(queue, "after the failure");

    assertThat(queue.take(TestDomain.PATIENCE).context()).isEqualTo("good");
    assertThatThrownBy(() -> queue.take(TestDomain.PATIENCE))
        .isInstanceOfSatisfying(
            FabricException.class, thrown -> assertThat(thrown.errno()).isEqualTo(Errno.ETRUNC))
        .hasMessageContainingAll("bad", "too long");
    assertThat(queue.take(TestDomain.PATIENCE).context()).isEqualTo("after the failure");
    assertThatThrownBy(() -> queue.take(Duration.ofMillis(1)))
        .isInstanceOfSatisfying(
            FabricException.class, thrown -> assertThat(thrown.errno()).isEqualTo(Errno.ETIMEDOUT))
        .hasMessageContaining("PT0.001S");
  }

  @Test
  @DisplayName(
      "With a limit of 0 there is progress, and nothing is delivered or waited for further")
  void progressAlone() throws Exception {
    CoreCompletionQueue queue = open(0);
    engine.onProgress = () -> complete(queue, "moved");
    assertThat(queue.poll(IGNORE, 0)).isZero();
    assertThat(engine.progressed.get()).isEqualTo(1);
    assertThat(queue.poll(IGNORE, 0, TestDomain.PATIENCE)).isZero();
    assertThat(engine.progressed.get()).isEqualTo(2);
    assertThat(engine.sleeping.get()).isZero();
    assertThat(queue.poll(IGNORE, 2)).isEqualTo(2);
    assertThatThrownBy(() -> queue.poll(IGNORE, -1))
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL));
  }

  @Test
  @DisplayName("One who gets room at the second try leaves the wish of another, who waits, alone")
  void keepsWishes() {
    AtomicInteger tries = new AtomicInteger();
    AtomicReference<CoreCompletionQueue> asked = new AtomicReference<>();
    CompletionRing ring =
        new CompletionRing(1) {
          @Override
          int reserve(int most) {
            int done = tries.getAndIncrement() == 1 ? 0 : super.reserve(most);
            if (tries.get() == 3) {
              // What another thread may do between the second try and its return.
              assertThat(asked.get().hasRoom()).isFalse();
            }
            return done;
          }
        };
    CoreCompletionQueue queue =
        new CoreCompletionQueue(
            domain, domain.lifetime(), CompletionQueueOptions.defaults(), engine, ring);
    opened.add(queue);
    asked.set(queue);
    complete(queue, "first");
    assertThat(queue.poll(IGNORE, 1)).isEqualTo(1);
    assertThat(queue.reserve()).as("room at the second try").isTrue();
    engine.rooms.set(0);
    assertThat(queue.add("second", 1, 2, 3, 4, 5)).isTrue();
    assertThat(queue.read()).isNotNull();
    assertThat(engine.rooms.get()).isEqualTo(1);
  }

  /** Notes contexts, and calls something for each. */
  private static final class Noting implements CompletionHandler {
    private final List<Object> contexts = new ArrayList<>();
    private Runnable then = () -> {};

    @Override
    public void completed(
        Object context, long flags, long length, long data, long tag, long source) {
      contexts.add(context);
      then.run();
    }

    @Override
    public void failed(Completion.Failure failure) {
      contexts.add(failure.errno());
    }
  }

  /** Has the next progress report a success, a failure and another success. */
  private void reportThree(CoreCompletionQueue queue) {
    engine.onProgress =
        () -> {
          complete(queue, "one");
          fail(queue, Completion.Failure.of(Errno.EIO, "broken").build());
          complete(queue, "three");
          engine.onProgress = () -> {};
        };
  }

  @Test
  @DisplayName("Completions that a poll brings itself are delivered in order, and counted")
  void deliversWhatItBrings() {
    CoreCompletionQueue queue = open(4);
    Noting handler = new Noting();
    complete(queue, "before");
    reportThree(queue);

    assertThat(queue.poll(handler, 4)).isEqualTo(4);

    assertThat(handler.contexts).containsExactly("before", "one", Errno.EIO, "three");
    assertThat(queue.statistics().reported()).isEqualTo(4);
    assertThat(queue.statistics().waiting()).isZero();
    for (int i = 0; i < 4; i++) {
      complete(queue, i);
    }
    assertThat(queue.hasRoom()).isFalse();
  }

  @Test
  @DisplayName("A poll delivers no more than it was asked for, and the next one goes on")
  void keepsToTheLimit() {
    CoreCompletionQueue queue = open(4);
    Noting handler = new Noting();
    reportThree(queue);

    assertThat(queue.poll(handler, 2)).isEqualTo(2);
    assertThat(handler.contexts).containsExactly("one", Errno.EIO);
    assertThat(queue.poll(handler, 2)).isEqualTo(1);
    assertThat(handler.contexts).endsWith("three");
    assertThat(queue.statistics().reported()).isEqualTo(3);
  }

  @Test
  @DisplayName("A handler that throws, or reads the queue, leaves the completions in order")
  void handlersThrowAndRead() {
    CoreCompletionQueue queue = open(3);
    Noting handler = new Noting();
    handler.then =
        () -> {
          throw new IllegalStateException("stop");
        };
    reportThree(queue);
    assertThatThrownBy(() -> queue.poll(handler, 3)).hasMessage("stop");
    assertThat(queue.readError()).isNotNull();
    assertThat(queue.read()).satisfies(each -> assertThat(each.context()).isEqualTo("three"));

    handler.then =
        () -> {
          handler.then = () -> {};
          assertThat(queue.poll(handler, 1)).isEqualTo(1);
        };
    reportThree(queue);
    assertThat(queue.poll(handler, 3)).isEqualTo(2);
    assertThat(handler.contexts).containsExactly("one", "one", Errno.EIO, "three");
    assertThat(queue.statistics().waiting()).isZero();
    assertThat(queue.hasRoom()).isTrue();
  }

  @Test
  void pollDeliversCompletionsOfOtherThreadsBeforeLaterOnesOfItsOwn() {
    CoreCompletionQueue queue = open(8);
    Noting handler = new Noting();
    engine.onProgress =
        () -> {
          engine.onProgress = () -> {};
          complete(queue, "own");
          CompletableFuture.runAsync(() -> complete(queue, "other")).join();
          complete(queue, "own, later");
          fail(queue, Completion.Failure.of(Errno.EIO, "own, last").build());
        };

    assertThat(queue.poll(handler, 4)).isEqualTo(4);
    assertThat(handler.contexts).containsExactly("own", "other", "own, later", Errno.EIO);
    for (int i = 0; i < 8; i++) {
      complete(queue, i);
    }
    assertThat(queue.hasRoom()).isFalse();
  }

  @Test
  void handlerThatThrowsLeavesCompletionsToReadersThatWait() throws Exception {
    CoreCompletionQueue queue = open(4);
    Noting handler = new Noting();
    handler.then =
        () -> {
          throw new IllegalStateException("stop");
        };
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Completion> waiting = threads.submit(() -> queue.read(TestDomain.PATIENCE));
      while (engine.sleeping.get() == 0) {
        Thread.onSpinWait();
      }
      reportThree(queue);
      assertThatThrownBy(() -> queue.poll(handler, 3)).hasMessage("stop");
      assertThat(waiting.get()).isInstanceOf(Completion.Failure.class);
    }
  }

  @Test
  @DisplayName("Progress that fails leaves the completions that it has brought")
  void progressFails() {
    CoreCompletionQueue queue = open(2);
    engine.onProgress =
        () -> {
          complete(queue, "brought");
          engine.onProgress = () -> {};
          throw new IllegalStateException("broken");
        };
    assertThatThrownBy(() -> queue.poll(IGNORE, 2)).hasMessage("broken");
    assertThat(queue.read()).satisfies(each -> assertThat(each.context()).isEqualTo("brought"));
    assertThat(queue.poll(IGNORE, 2)).isZero();
  }

  @Test
  @DisplayName("A size beyond the limit is refused, naming the limit")
  void limit() {
    assertThatThrownBy(() -> open(CoreCompletionQueue.MAX_SIZE + 1))
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContainingAll("1048577", "1048576");
    assertThatThrownBy(() -> open(Integer.MAX_VALUE)).isInstanceOf(FabricException.class);
    assertThat(open(CoreCompletionQueue.MAX_SIZE).isOpen()).isTrue();
  }

  @Test
  @DisplayName("The engine hears of room once it was missing, and not otherwise")
  void tellsOfRoom() {
    CoreCompletionQueue queue = open(1);
    complete(queue, "first");
    assertThat(queue.poll(IGNORE, 1)).isEqualTo(1);
    assertThat(engine.rooms.get()).isZero();
    complete(queue, "second");
    assertThat(queue.reserve()).isFalse();
    assertThat(queue.hasRoom()).isFalse();
    assertThat(queue.poll(IGNORE, 1)).isEqualTo(1);
    assertThat(engine.rooms.get()).isEqualTo(1);
    assertThat(queue.hasRoom()).isTrue();
    assertThat(queue.reserve()).isTrue();
    assertThat(queue.reserve()).isFalse();
    assertThat(queue.add("second", 1, 2, 3, 4, 5)).isTrue();
    assertThat(queue.read()).isNotNull();
    assertThat(engine.rooms.get()).isEqualTo(2);
  }

  @Test
  @DisplayName("A completion wakes whoever waits, however many wait and whatever each takes")
  void wakesOneAfterTheOther() throws Exception {
    CoreCompletionQueue queue = open(0);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int round = 0; round < 50; round++) {
        List<Future<Completion>> readers = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          readers.add(threads.submit(() -> queue.read(TestDomain.PATIENCE)));
        }
        for (int i = 0; i < 10; i++) {
          complete(queue, i);
        }
        List<Object> contexts = new ArrayList<>();
        for (Future<Completion> reader : readers) {
          contexts.add(reader.get().context());
        }
        assertThat(contexts).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
      }
    }
  }

  @Test
  @DisplayName("Nobody is woken while nobody waits")
  void noNeedlessWake() {
    CoreCompletionQueue queue = open(0);
    complete(queue, "first");
    assertThat(engine.wakes.availablePermits()).isZero();
  }

  @Test
  @DisplayName("A wait ends when its time is up, for those in line too")
  void timesOut() throws Exception {
    CoreCompletionQueue queue = open(0);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Integer> reader = () -> queue.poll(IGNORE, 1, Duration.ofMillis(30));
      for (Future<Integer> each : threads.invokeAll(List.of(reader, reader, reader))) {
        assertThat(each.get()).isZero();
      }
    }
    assertThat(queue.poll(IGNORE, 1, Duration.ZERO)).isZero();
  }

  @Test
  @DisplayName("A failure ends the wait of read, which takes it in its place; read() leaves it")
  void failureEndsWait() throws Exception {
    CoreCompletionQueue queue = open(0);
    for (int i = 0; i < 2; i++) {
      fail(
          queue,
          Completion.Failure.of(Errno.EIO, "planted").context("bad").providerErrno(5).build());
    }
    complete(queue, "good");
    assertThatThrownBy(queue::read)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(Errno.EAVAIL));
    assertThat(queue.read(TestDomain.PATIENCE)).isInstanceOf(Completion.Failure.class);
    assertThatThrownBy(() -> queue.poll(IGNORE, 1))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("planted");
    assertThat(queue.readError()).isNull();
    assertThat(queue.read(TestDomain.PATIENCE)).isInstanceOf(Completion.Success.class);
  }

  @Test
  @DisplayName("Closing is refused while something is bound, then closes the engine once")
  void closing() {
    CoreCompletionQueue queue = open(0);
    Lifetime bound = new Lifetime(queue, () -> {});
    bound.hold(queue.lifetime());
    assertThatThrownBy(queue::close).isInstanceOf(FabricBusyException.class);
    complete(queue, "still open");
    assertThat(queue.read()).isNotNull();
    bound.close();
    queue.close();
    queue.close();
    assertThat(engine.closed.get()).isEqualTo(1);
    assertThat(queue.context()).isEqualTo("context");
    assertThatThrownBy(() -> queue.poll(IGNORE, 1)).hasMessageContaining("closed");
    assertThatThrownBy(queue::readError).hasMessageContaining("closed");
  }

  @Test
  @DisplayName("Closing ends all waits")
  void closingWakes() throws Exception {
    CoreCompletionQueue queue = open(0);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Completion>> readers = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        readers.add(threads.submit(() -> queue.read(Duration.ofSeconds(-1))));
      }
      while (engine.sleeping.get() == 0) {
        Thread.sleep(1);
      }
      queue.close();
      for (Future<Completion> reader : readers) {
        assertThat(resultOrClosed(reader)).isNull();
      }
    }
  }

  @Test
  @DisplayName("Closing ends a take with EINVAL, not with a timeout")
  void closingEndsTake() throws Exception {
    CoreCompletionQueue queue = open(0);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<Completion> reader = threads.submit(() -> queue.take(Duration.ofSeconds(-1)));
      while (engine.sleeping.get() == 0) {
        Thread.onSpinWait();
      }
      queue.close();
      assertThatThrownBy(reader::get)
          .cause()
          .isInstanceOfSatisfying(
              FabricException.class, thrown -> assertThat(thrown.errno()).isEqualTo(Errno.EINVAL))
          .hasMessageContaining("closed");
    }
  }

  /** A reader that came after the close is refused, which is as good. */
  private static Completion resultOrClosed(Future<Completion> reader) throws Exception {
    try {
      return reader.get();
    } catch (ExecutionException refused) {
      assertThat(refused).hasMessageContaining("closed");
      return null;
    }
  }
}
