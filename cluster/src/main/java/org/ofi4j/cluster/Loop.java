// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * The one thread that changes something, and so needs no lock: what others have to say to it is a
 * task. After {@link #close} tasks are dropped.
 */
final class Loop implements AutoCloseable {
  private static final Logger LOG = System.getLogger(Loop.class.getName());

  /** How long closing waits for a task, such as a listener that does not come back. */
  private static final Duration PATIENCE = Duration.ofSeconds(15);

  private final ScheduledThreadPoolExecutor thread;
  private volatile @Nullable Thread own;

  Loop(String name) {
    thread =
        new ScheduledThreadPoolExecutor(
            1,
            task -> {
              own = Thread.ofPlatform().daemon().name("ofi4j-cluster-" + name).unstarted(task);
              return own;
            });
    thread.setRemoveOnCancelPolicy(true);
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  void execute(Runnable task) {
    after(Duration.ZERO, task);
  }

  /** Runs a task later, unless this is closed before. */
  void after(Duration delay, Runnable task) {
    long nanos = Deadline.in(delay).left().toNanos();
    try {
      var _ = thread.schedule(() -> run(task), nanos, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException closed) {
      // Nobody waits for it any more.
    }
  }

  private void run(Runnable task) {
    // What is due already, but waited for a task that took its time, is not dropped by itself.
    if (thread.isShutdown()) {
      return;
    }
    try {
      task.run();
    } catch (Throwable failure) { // who waits for the next task is not to wait in vain
      LOG.log(Level.ERROR, "A change in a cluster was not worked through", failure);
    }
  }

  /** What a task answers. */
  <T extends @Nullable Object> CompletableFuture<T> ask(Supplier<T> task) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    try {
      thread.execute(() -> {
        try {
          answer.complete(task.get());
        } catch (Throwable failure) { // whoever asks is told
          answer.completeExceptionally(failure);
        }
      });
    } catch (RejectedExecutionException closed) {
      answer.completeExceptionally(Failures.closedMeanwhile());
    }
    return answer;
  }

  /** Waits for an answer; throws what the task threw. */
  static <T extends @Nullable Object> T await(
      CompletableFuture<T> answer, Deadline deadline, Supplier<String> otherwise) {
    try {
      return answer.get(deadline.left().toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      throw new FabricException(Errno.ETIMEDOUT, otherwise.get());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new FabricException(Errno.ECANCELED, "interrupted while waiting", interrupted);
    } catch (ExecutionException failure) {
      if (failure.getCause() instanceof FabricException refused) {
        throw refused;
      }
      throw new IllegalStateException(failure.getCause());
    }
  }

  /**
   * Does something before the end, and waits for it unless this thread calls.
   *
   * @param otherwise what is so if it is not done in time, for the log
   */
  void finish(Runnable task, Duration patience, String otherwise) {
    if (isCurrent()) {
      task.run();
      return;
    }
    try {
      await(
          ask(() -> {
            task.run();
            return true;
          }),
          Deadline.in(patience),
          () -> "a listener does not come back");
    } catch (FabricException late) {
      LOG.log(Level.WARNING, "{0}: {1}", otherwise, late.getMessage());
    }
  }

  /** Whether the calling thread is this one, which must not wait for itself. */
  boolean isCurrent() {
    return Thread.currentThread().equals(own);
  }

  /** Begins no task any more, and waits for the one that runs unless it is the one that calls. */
  @Override
  public void close() {
    thread.shutdown();
    if (!isCurrent()) {
      try {
        var _ = thread.awaitTermination(PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
