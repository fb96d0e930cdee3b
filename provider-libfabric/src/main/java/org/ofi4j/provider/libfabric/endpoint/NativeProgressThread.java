// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * A domain's own thread, which has libfabric's queues read with automatic progress. It looks for a
 * while after the last completion, because the next is often near, and waits then.
 */
public final class NativeProgressThread {
  /** How long to look before waiting. */
  private static final long LOOKING = TimeUnit.MICROSECONDS.toNanos(50);

  private final Readers readers = new Readers();
  private final Waiting waiting;
  private final Thread thread;
  private volatile boolean stopped;

  // Why the thread has ended before its time.
  private volatile @Nullable Throwable failure;

  /** Starts a thread that moves nothing yet. */
  public NativeProgressThread(DomainResources domain, String name) {
    waiting = new Waiting(domain);
    thread = Thread.ofPlatform().daemon().name("ofi4j-progress-" + name).unstarted(this::run);
    thread.start();
  }

  /** The thread that accesses posted buffers. */
  public Thread mover() {
    return thread;
  }

  void add(CompletionReader reader) {
    readers.add(reader);
    wake();
  }

  void remove(CompletionReader reader) {
    readers.remove(reader);
    wake();
  }

  void wake() {
    waiting.wake();
  }

  /** Refuses what would wait for ever, because the thread has ended before its time. */
  void checkRunning() {
    Throwable cause = failure;
    if (cause != null) {
      throw new FabricException(
          Errno.EIO,
          "automatic progress has stopped, close the domain and open it again: " + cause,
          cause);
    }
  }

  private void run() {
    try {
      while (!stopped) {
        long begun = System.nanoTime();
        while (!readers.move() && System.nanoTime() - begun < LOOKING) {
          Thread.onSpinWait();
        }
        if (System.nanoTime() - begun >= LOOKING) {
          waiting.await(readers.all(), Long.MAX_VALUE);
        } else {
          waiting.moved();
        }
      }
    } catch (RuntimeException | Error failed) {
      failure = failed;
    }
  }

  /** Ends the thread; there is no endpoint left. */
  public void stop() {
    stopped = true;
    boolean interrupted = false;
    while (true) {
      wake();
      try {
        thread.join();
        break;
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    waiting.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
