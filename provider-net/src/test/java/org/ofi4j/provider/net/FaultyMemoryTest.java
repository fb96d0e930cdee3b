// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Selector;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Hints;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.progress.AutomaticProgress;
import org.ofi4j.provider.net.progress.ProgressThread;

/** Posted memory that faults: that operation fails, and nothing else does. */
class FaultyMemoryTest {
  private static final CompletionQueueOptions ONE = CompletionQueueOptions.defaults().withSize(1);

  @TempDir private Path directory;

  /** Each access to it is an error. */
  private MemorySegment faulty() throws IOException {
    return CutFile.map(directory.resolve("mapped"), 4096, 0, Arena.ofAuto());
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("A receive into memory that faults fails; its queue of size 1 and others go on")
  void receive(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind, VectorOptions.table(), ONE);
        CompletionQueue other = rig.domain.openCompletionQueue();
        DatagramEndpoint sender = rig.domain.openDatagramEndpoint(rig.vector, other)) {
      DatagramEndpoint endpoint = rig.datagrams();
      long peer = rig.insert(endpoint);
      MemorySegment memory = faulty();
      for (int i = 0; i < 3; i++) {
        endpoint.receive(memory, "faulty");
        endpoint.receive(Rig.buffer(8), "good");
        sender.inject(Rig.message("lost"), peer);
        assertThat(rig.next())
            .isInstanceOfSatisfying(
                Completion.Failure.class,
                failure -> {
                  assertThat(failure.context()).isEqualTo("faulty");
                  assertThat(failure.errno()).isEqualTo(Errno.EFAULT);
                });
        sender.inject(Rig.message("found"), peer);
        assertThat(rig.next()).isInstanceOf(Completion.Success.class);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#udpKinds")
  @DisplayName("A send from memory that faults fails, and keeps no room in the queue")
  void send(Hints kind) throws Exception {
    try (Rig rig = new Rig(kind, VectorOptions.table(), ONE)) {
      DatagramEndpoint endpoint = rig.datagrams();
      long peer = rig.insert(endpoint);
      MemorySegment memory = faulty().asSlice(0, 8);
      for (int i = 0; i < 3; i++) {
        endpoint.send(memory, peer, "faulty");
        assertThat(rig.next())
            .isInstanceOfSatisfying(
                Completion.Failure.class,
                failure -> {
                  assertThat(failure.context()).isEqualTo("faulty");
                  assertThat(failure.errno()).isEqualTo(Errno.EFAULT);
                });
      }
      endpoint.send(Rig.message("good"), peer, "good");
      assertThat(rig.next().context()).isEqualTo("good");
      endpoint.send(Rig.message("in the queue"), peer, "first");
      assertThatThrownBy(() -> endpoint.inject(memory, peer))
          .as("an injected message that has to wait is copied")
          .isInstanceOfSatisfying(
              FabricException.class,
              refused -> assertThat(refused.errno()).isEqualTo(Errno.EFAULT));
      assertThat(rig.next().context()).isEqualTo("first");
    }
  }

  /** Fails in different ways as often as told, then counts. */
  private static final class Failing extends IdleTarget {
    private final List<Throwable> failures;
    private final AtomicInteger calls = new AtomicInteger();
    private final CountDownLatch recovered = new CountDownLatch(1);

    Failing(Throwable... failures) {
      this.failures = List.of(failures);
    }

    @Override
    public void progress() {
      int call = calls.getAndIncrement();
      if (call >= failures.size()) {
        recovered.countDown();
      } else if (failures.get(call) instanceof Error error) {
        throw error;
      } else if (failures.get(call) instanceof RuntimeException exception) {
        throw exception;
      }
    }
  }

  @Test
  @DisplayName("The thread outlives whatever an endpoint throws, and tries it again")
  void threadLives() throws Exception {
    ProgressThread thread = new ProgressThread("test");
    Failing failing =
        new Failing(
            new InternalError("a fault"),
            new OutOfMemoryError("none left"),
            new IllegalStateException("odd"),
            new StackOverflowError());
    thread.look(failing);
    failing.recovered.await();
    thread.checkRunning();
    thread.stop();
    assertThat(thread.thread().isAlive()).isFalse();
    thread.checkRunning();
  }

  @Test
  @DisplayName("The JVM interrupts a thread whose memory is freed; the thread waits as before")
  void threadInterrupted() throws Exception {
    ProgressThread thread = new ProgressThread("test");
    thread.thread().interrupt();
    await().forever().until(() -> !thread.thread().isInterrupted());
    thread.checkRunning();
    thread.stop();
  }

  @Test
  @DisplayName("If the thread ends before its time, readers are told instead of waiting for ever")
  void threadEnds() throws Exception {
    Selector selector = Selector.open();
    ProgressThread thread = new ProgressThread("test", selector);
    AutomaticProgress engine = new AutomaticProgress(thread);
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Future<?> reader = threads.submit(() -> engine.await(Long.MAX_VALUE));
      Thread.sleep(50);
      assertThat(reader.isDone()).isFalse();
      selector.close();
      assertThatThrownBy(() -> reader.get())
          .hasCauseInstanceOf(FabricException.class)
          .hasMessageContaining("automatic progress has stopped");
    }
    assertThatThrownBy(engine::progress).isInstanceOf(FabricException.class);
    assertThatThrownBy(thread::checkRunning)
        .isInstanceOfSatisfying(
            FabricException.class, told -> assertThat(told.errno()).isEqualTo(Errno.EIO));
    // Neither waits for a thread that is no more.
    thread.forget();
    thread.stop();
    engine.close();
  }
}
