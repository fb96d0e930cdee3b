// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.SequencedSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressResolver;
import org.ofi4j.Errno;

/**
 * Resolves host names in parallel, each with a time-out; one that fails does not stop the others.
 * Any number of threads may use it at once.
 *
 * <p>Each name has a thread of its own, and the calling thread watches over them: they start in
 * order and have the same time, so the one that started first also runs out of time first. A name
 * out of time is given up: its thread is interrupted, and its answer dropped if it comes.
 *
 * <p>The application's resolver runs in virtual threads. The JDK's waits in native code, where it
 * would block the threads that carry them, and runs in platform threads: of those the whole process
 * has {@value #MOST_AT_ONCE} at most. Names beyond that wait for their turn, first come, first
 * served; their time begins when they get it. A name that was given up keeps its thread, and its
 * place, until the native call returns.
 *
 * @param resolver resolves a name
 * @param threads makes a thread for each name
 * @param places for threads, one of which a name takes before it begins
 * @param format the format of the vector, which says what families are of use
 * @param timeout how long a name may take
 * @param clock counts nanoseconds
 */
record NameResolution(
    AddressResolver resolver,
    ThreadFactory threads,
    Semaphore places,
    AddressFormat format,
    Duration timeout,
    LongSupplier clock) {
  static final int MOST_AT_ONCE = 64;

  private static final ThreadFactory VIRTUAL = Thread.ofVirtual().name("ofi4j-resolve").factory();
  private static final ThreadFactory PLATFORM =
      Thread.ofPlatform().daemon().name("ofi4j-resolve").factory();
  static final Semaphore PLATFORM_PLACES = new Semaphore(MOST_AT_ONCE, true);

  /**
   * Resolution for one vector.
   *
   * @param resolver the application's resolver, or null for the JDK's
   * @param format the format of the vector, which says what families are of use
   * @param timeout how long a name may take
   */
  NameResolution(@Nullable AddressResolver resolver, AddressFormat format, Duration timeout) {
    this(
        resolver != null ? resolver : host -> List.of(InetAddress.getAllByName(host)),
        resolver != null ? VIRTUAL : PLATFORM,
        resolver != null ? new Semaphore(Integer.MAX_VALUE) : PLATFORM_PLACES,
        format,
        timeout,
        System::nanoTime);
  }

  /** One name on its way. */
  private final class Attempt implements Runnable {
    final int position;
    final String host;
    final long started = clock.getAsLong();
    private final BlockingQueue<Attempt> finished;
    private final Thread thread;
    volatile HostAddress answer = new Failure(Errno.ENODATA, "was given up");

    Attempt(int position, String host, BlockingQueue<Attempt> finished) {
      this.position = position;
      this.host = host;
      this.finished = finished;
      this.thread = threads.newThread(this);
    }

    @Override
    public void run() {
      try {
        answer = choose(host, resolver.resolve(host));
      } catch (UnknownHostException unknown) {
        answer = missing(host, "is not known");
      } catch (InterruptedException givenUp) {
        answer = missing(host, "was given up");
      } catch (Throwable failure) { // whatever an application's resolver throws
        answer = missing(host, "could not be resolved: " + failure);
      } finally {
        places.release();
        finished.add(this);
      }
    }
  }

  /**
   * Resolves names.
   *
   * @param hosts the name at each position
   * @return the address at each position
   * @throws InterruptedException if the calling thread was interrupted; all names are given up then
   */
  HostAddress[] resolve(int count, IntFunction<String> hosts) throws InterruptedException {
    HostAddress[] answers = new HostAddress[count];
    long timeoutNanos = TimeUnit.NANOSECONDS.convert(timeout);
    BlockingQueue<Attempt> finished = new LinkedBlockingQueue<>();
    SequencedSet<Attempt> running = new LinkedHashSet<>();
    try {
      int next = 0;
      while (next < count || !running.isEmpty()) {
        while (next < count && running.size() < MOST_AT_ONCE && hasPlace(running.isEmpty())) {
          try {
            Attempt attempt = new Attempt(next, hosts.apply(next), finished);
            running.add(attempt);
            attempt.thread.start();
            next++;
          } catch (Throwable failed) {
            places.release();
            throw failed;
          }
        }
        Attempt oldest = running.getFirst();
        long left = timeoutNanos - (clock.getAsLong() - oldest.started);
        Attempt done = finished.poll(left, TimeUnit.NANOSECONDS);
        if (done == null) {
          running.removeFirst();
          oldest.thread.interrupt();
          answers[oldest.position] = missing(oldest.host, "did not resolve within " + timeout);
        } else if (running.remove(done)) {
          answers[done.position] = done.answer;
        }
      }
    } finally {
      running.forEach(attempt -> attempt.thread.interrupt());
    }
    return answers;
  }

  /** Takes a place, and waits for one if there is nothing else to wait for. */
  private boolean hasPlace(boolean alone) throws InterruptedException {
    if (alone) {
      places.acquire();
      return true;
    }
    // Unlike the form without time, this one does not push in front of those who wait.
    return places.tryAcquire(0, TimeUnit.NANOSECONDS);
  }

  /** The first address of a family that the vector can hold. */
  private HostAddress choose(String host, @Nullable List<InetAddress> addresses) {
    if (addresses == null || addresses.isEmpty()) {
      return missing(host, "has no address");
    }
    for (InetAddress address : addresses) {
      AddressFormat its =
          address instanceof Inet4Address ? AddressFormat.SOCKADDR_IN : AddressFormat.SOCKADDR_IN6;
      if (format == AddressFormat.STR || format.contains(its)) {
        return new HostAddress.Found(address);
      }
    }
    return missing(host, "has no address of format " + format);
  }

  private static HostAddress missing(String host, String what) {
    return new Failure(Errno.ENODATA, "host \"" + host + "\" " + what);
  }
}
