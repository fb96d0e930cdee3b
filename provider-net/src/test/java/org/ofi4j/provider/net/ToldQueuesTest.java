// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.OperationFailedException;
import org.ofi4j.Progress;

/** Completion queues that tell an event loop when there is something to read. */
class ToldQueuesTest {
  private static final int MESSAGES = 20_000;

  private static Rig automatic() {
    return new Rig(Rig.udp().withProgress(Progress.AUTO));
  }

  /** Drains a queue on one thread whenever the queue is ready, and counts completions. */
  private static final class Loop implements AutoCloseable, CompletionHandler {
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Semaphore room = new Semaphore(50);
    private final CountDownLatch ended = new CountDownLatch(MESSAGES);
    private final CompletionQueue queue;

    Loop(CompletionQueue queue) {
      this.queue = queue;
      queue.whenReady(this::told);
    }

    @Override
    public void completed(
        @Nullable Object context, long flags, long length, long data, long tag, long source) {
      room.release();
      ended.countDown();
    }

    @Override
    public void failed(Completion.Failure failure) {
      throw new OperationFailedException(failure);
    }

    private void told() {
      thread.execute(() -> {
        queue.poll(this, 7); // Perhaps not all: the queue tells again.
        queue.whenReady(this::told);
      });
    }

    @Override
    public void close() {
      thread.shutdownNow();
    }
  }

  @Test
  @DisplayName("Nothing is missed, whether it comes before, while or after the loop asks")
  void nothingIsMissed() throws InterruptedException {
    try (Rig rig = automatic()) {
      DatagramEndpoint endpoint = rig.datagrams();
      long self = rig.insert(endpoint);
      try (Loop loop = new Loop(rig.queue)) {
        for (int i = 0; i < MESSAGES; i++) {
          loop.room.acquire();
          endpoint.send(Rig.message("x"), self, null);
        }
        loop.ended.await();
      }
    }
  }

  /** Sends a message, and has a callback wait for another thread that uses the endpoint too. */
  private static void useInCallback(Rig rig, MessageEndpoint endpoint) {
    long self = rig.insert(endpoint);
    CompletableFuture<Void> other = new CompletableFuture<>();
    rig.queue.whenReady(() -> {
      CompletableFuture.runAsync(() -> endpoint.send(Rig.message("second"), self, null)).join();
      other.complete(null);
    });
    endpoint.send(Rig.message("first"), self, null);
    other.join();
  }

  @Test
  void callbackRunsWithoutLocksOfTheEndpoint() {
    try (Rig rig = automatic()) {
      useInCallback(rig, rig.datagrams());
    }
    try (Rig rig = Rig.reliable(Rig.tcp("127.0.0.1", Progress.AUTO))) {
      useInCallback(rig, rig.endpoint());
    }
  }

  @Test
  @DisplayName("A callback is run once, at once if something waits, and another takes its place")
  void once() {
    try (Rig rig = automatic()) {
      DatagramEndpoint endpoint = rig.datagrams();
      long self = rig.insert(endpoint);
      AtomicInteger first = new AtomicInteger();
      AtomicInteger second = new AtomicInteger();
      rig.queue.whenReady(first::incrementAndGet);
      rig.queue.whenReady(second::incrementAndGet);
      assertThat(second).hasValue(0);
      endpoint.send(Rig.message("x"), self, null);
      endpoint.send(Rig.message("x"), self, null);
      assertThat(first).hasValue(0);
      assertThat(second).hasValue(1);
      rig.queue.whenReady(first::incrementAndGet);
      assertThat(first).hasValue(1);
    }
  }

  @Test
  @DisplayName("What a callback throws does not reach the sender")
  void throwing() {
    try (Rig rig = automatic()) {
      DatagramEndpoint endpoint = rig.datagrams();
      AtomicInteger uncaught = new AtomicInteger();
      Thread thread = Thread.currentThread();
      Thread.UncaughtExceptionHandler before = thread.getUncaughtExceptionHandler();
      thread.setUncaughtExceptionHandler((of, thrown) -> uncaught.incrementAndGet());
      try {
        rig.queue.whenReady(() -> {
          throw new IllegalStateException("planted");
        });
        endpoint.send(Rig.message("x"), rig.insert(endpoint), null);
      } finally {
        thread.setUncaughtExceptionHandler(before);
      }
      assertThat(uncaught).hasValue(1);
    }
  }

  @Test
  @DisplayName("With manual progress it is refused, in words that say what to do")
  void manual() {
    try (Rig rig = new Rig(Rig.udp().withProgress(Progress.MANUAL))) {
      assertThatThrownBy(() -> rig.queue.whenReady(() -> {}))
          .isInstanceOfSatisfying(
              FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.ENOSYS))
          .hasMessageContaining("progress AUTO");
    }
  }
}
