// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.rma;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.rma.RemoteAccess.RemoteWrite;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Has what peers have written to the memory of files brought to the files, one write after the
 * other, by a thread that there is only as long as there is something to do: a disk takes its time,
 * and nobody else is to wait for it. {@link #begin} and {@link #pollEnded} are called with the lock
 * of the endpoint held, {@link #await} without.
 */
public final class Commits {
  private final Executor executor;
  private final Runnable news;
  private final ConcurrentLinkedQueue<RemoteWrite> ended = new ConcurrentLinkedQueue<>();

  // The commit that was begun last, and ends last.
  private volatile CompletableFuture<?> last = CompletableFuture.completedFuture(null);

  /**
   * Nothing is brought to a file yet.
   *
   * @param executor does one after the other, in their order
   * @param news hears of each that has ended, in the executor's thread
   */
  public Commits(Executor executor, Runnable news) {
    this.executor = executor;
    this.news = news;
  }

  /** A thread that ends when it has had nothing to do for a while. */
  public static Executor thread() {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            TcpLimits.COMMITTER_IDLE,
            TimeUnit.NANOSECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofPlatform().daemon().name("ofi4j commits").factory());
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /** Begins to bring a write to its file that has come as a whole. */
  void begin(RemoteWrite write) {
    last = CompletableFuture.runAsync(() -> commit(write), executor);
  }

  private void commit(RemoteWrite write) {
    try {
      write.memory.force();
    } catch (RuntimeException | Error failed) {
      write.uncommitted = failed;
    } finally {
      ended.add(write);
    }
    news.run();
  }

  /** A write that has ended, well or not; null if there is none. */
  @Nullable RemoteWrite pollEnded() {
    return ended.poll();
  }

  /** Returns when none touches memory any more that had begun before this call. */
  public void await() {
    last.join();
  }
}
