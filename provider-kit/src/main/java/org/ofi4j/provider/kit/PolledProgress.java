// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.Progress;
import org.ofi4j.spi.ProgressEngine;

/**
 * The progress of a domain whose transports are polled: with manual progress by the threads that
 * read queues and counters, with automatic progress by one daemon thread of the domain, see {@code
 * FI_PROGRESS_MANUAL} and {@code FI_PROGRESS_AUTO} of fi_domain(3). A thread that finds nothing to
 * do parks until a transport {@linkplain Registration#changed has changed}. After a pause it polls
 * in any case, for transports that find their data by polling alone.
 *
 * <p>A {@link DomainTransport} creates one, returns {@link #openEngine} as its {@link
 * DomainTransport#openProgress} and {@link #thread} as its {@link DomainTransport#mover}, and
 * closes it. A transport registers itself when it begins, and closes the registration when it is
 * closed.
 *
 * <p>Any thread may call. Only {@link #close} waits.
 */
public final class PolledProgress implements AutoCloseable {
  /** A transport that moves its data when it is polled. */
  public interface Polled {
    /**
     * Moves the data that can be moved at once, within a bound that keeps other transports from
     * starving. Several threads may poll at a time, and one may still poll a transport whose
     * registration was just closed.
     */
    void poll();
  }

  private static final Logger LOG = System.getLogger(PolledProgress.class.getName());

  /** The time after which a read polls although it finds something without it. */
  private static final long DUE = TimeUnit.MICROSECONDS.toNanos(500);

  private final long pause;

  // Null if the threads that read queues poll.
  private final @Nullable Thread thread;
  private final Parking parking = new Parking();
  private volatile boolean closed;

  private PolledProgress(Duration pause, @Nullable String name) {
    this.pause = pause.toNanos();
    thread =
        name == null
            ? null
            : Thread.ofPlatform().daemon().name("ofi4j-progress-" + name).unstarted(this::run);
  }

  /**
   * Opens the progress of a domain, and starts its thread if progress is automatic.
   *
   * @param domain the information of the domain, which says who makes progress
   * @param pause the longest time between two polls, more than 0; a transport that reports each
   *     change can do with a long one
   * @return the progress
   */
  public static PolledProgress open(FabricInfo domain, Duration pause) {
    boolean automatic = domain.domain().progress() == Progress.AUTO;
    PolledProgress opened = new PolledProgress(pause, automatic ? domain.domain().name() : null);
    if (opened.thread != null) {
      opened.thread.start();
    }
    return opened;
  }

  /**
   * Opens the engine of a queue or counter, which closes it.
   *
   * @return the engine
   */
  public ProgressEngine openEngine() {
    return new Engine();
  }

  /**
   * Returns the thread that makes progress.
   *
   * @return the thread; null if the threads that read queues do
   */
  public @Nullable Thread thread() {
    return thread;
  }

  /**
   * Has a transport polled from now on.
   *
   * @param transport the transport
   * @param opening the opening of its endpoint, whose queues and counters have engines of this
   *     progress
   * @return the registration, which the transport closes
   */
  public Registration register(Polled transport, EndpointOpening opening) {
    Registration made =
        new Registration(
            transport, opening.engines().map(Engine.class::cast).toArray(Engine[]::new));
    for (Engine engine : made.engines) {
      engine.add(made);
    }
    if (thread != null) {
      parking.add(made);
    }
    made.changed();
    return made;
  }

  /** Ends the thread, if there is one, and waits for its end; all registrations are closed. */
  @Override
  public void close() {
    closed = true;
    parking.unpark();
    boolean interrupted = false;
    while (thread != null && thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private void run() {
    boolean reported = false;
    while (!closed) {
      // The JVM interrupts a thread in memory that is freed, and parking would not wait any more.
      Thread.interrupted();
      for (Registration each : parking.polled) {
        try {
          each.transport.poll();
        } catch (RuntimeException | Error failed) {
          // The fault of one transport must not end the progress of the others.
          if (!reported) {
            reported = true;
            LOG.log(Level.WARNING, "polling a transport failed, and is tried again", failed);
          }
        }
      }
      parking.park(pause);
    }
  }

  /** A transport that is polled. Any thread may call. */
  public final class Registration implements AutoCloseable {
    private final Polled transport;
    private final Engine[] engines;

    private Registration(Polled transport, Engine[] engines) {
      this.transport = transport;
      this.engines = engines;
    }

    /** Has the transport polled soon: there is something to do that was not there before. */
    public void changed() {
      if (thread != null) {
        parking.unpark();
      } else {
        for (Engine engine : engines) {
          engine.wake();
        }
      }
    }

    /** Has the transport not polled any more; a poll that has begun may go on. */
    @Override
    public void close() {
      for (Engine engine : engines) {
        engine.remove(this);
      }
      parking.remove(this);
    }
  }

  /** Transports, and the place where one thread at a time parks until there is work for it. */
  private static class Parking {
    private static final Registration[] NONE = {};

    // Replaced by each change, so that polling takes no lock.
    private volatile Registration[] polled = NONE;

    // A thread that unparks another one writes woken and then reads sleeper; the sleeper does it
    // the
    // other way round.
    private volatile boolean woken;
    private volatile @Nullable Thread sleeper;

    final synchronized void add(Registration more) {
      List<Registration> all = new ArrayList<>(List.of(polled));
      all.add(more);
      polled = all.toArray(NONE);
    }

    final synchronized void remove(Registration one) {
      List<Registration> all = new ArrayList<>(List.of(polled));
      all.remove(one);
      polled = all.toArray(NONE);
    }

    final void poll() {
      for (Registration each : polled) {
        each.transport.poll();
      }
    }

    final void changed() {
      for (Registration each : polled) {
        each.changed();
      }
    }

    final void park(long nanoseconds) {
      sleeper = Thread.currentThread();
      if (!woken) {
        LockSupport.parkNanos(this, nanoseconds);
      }
      sleeper = null;
      woken = false;
    }

    final void unpark() {
      woken = true;
      LockSupport.unpark(sleeper);
    }
  }

  /** The engine of one queue or counter. */
  private final class Engine extends Parking implements ProgressEngine {
    private volatile long due = System.nanoTime();

    @Override
    public void progress() {
      if (thread == null) {
        poll();
      }
    }

    @Override
    public void progressIfDue(boolean atOnce) {
      if (thread == null) {
        long now = System.nanoTime();
        if (atOnce || now - due >= 0) {
          due = now + DUE;
          poll();
        }
      }
    }

    @Override
    public void await(long nanoseconds) {
      park(thread == null ? Math.min(nanoseconds, pause) : nanoseconds);
    }

    @Override
    public void wake() {
      unpark();
    }

    @Override
    public void roomAgain() {
      // Completions that were kept may go to the queue now; another thread may park for them.
      changed();
    }

    @Override
    public void close() {
      // A queue is closed after the endpoints that are bound to it, and nothing is left to release.
    }
  }
}
