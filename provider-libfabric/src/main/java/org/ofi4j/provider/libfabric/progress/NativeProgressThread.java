// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.progress;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.spi.ProgressEngine;

/**
 * A domain's own thread, which has libfabric's queues read with automatic progress. It looks for a
 * while after the last completion, because the next is often near, and waits then.
 */
public final class NativeProgressThread {
  private static final Logger LOG = System.getLogger(NativeProgressThread.class.getName());

  /** How long to look before queues. */
  private static final long LOOKING = TimeUnit.MICROSECONDS.toNanos(50);

  private final PolledQueues queues;
  private final Thread thread;
  private volatile boolean stopped;

  private final Set<ProgressEngine> told = ConcurrentHashMap.newKeySet();

  // Why the thread has ended before its time, written before those who wait are woken.
  private volatile @Nullable Throwable failure;

  /** Starts a thread that moves nothing yet. */
  public NativeProgressThread(Libfabric library, String name) {
    queues = new PolledQueues(library, false);
    thread = Thread.ofPlatform().daemon().name("ofi4j-progress-" + name).unstarted(this::run);
    thread.start();
  }

  /** The thread that accesses posted buffers. */
  public Thread mover() {
    return thread;
  }

  /** Has an engine woken if the thread ends before its time. */
  void tell(ProgressEngine engine) {
    told.add(engine);
  }

  void tellNoMore(ProgressEngine engine) {
    told.remove(engine);
  }

  /** Returns the queues that the thread has read. */
  PolledQueues queues() {
    return queues;
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
        if (!look()) {
          queues.await(Long.MAX_VALUE);
        }
      }
    } catch (RuntimeException | Error failed) {
      failure = failed;
      LOG.log(Level.ERROR, "automatic progress of " + thread.getName() + " has stopped", failed);
      told.forEach(ProgressEngine::wake);
    }
  }

  /** Looks for a while; whether something had ended. */
  private boolean look() {
    long begun = System.nanoTime();
    do {
      if (queues.move()) {
        return true;
      }
      Thread.onSpinWait();
    } while (System.nanoTime() - begun < LOOKING);
    return false;
  }

  /** Ends the thread; there is no endpoint left. */
  public void stop() {
    stopped = true;
    boolean interrupted = false;
    while (true) {
      queues.wake();
      try {
        thread.join();
        break;
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    queues.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
