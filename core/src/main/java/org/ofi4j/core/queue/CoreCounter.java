// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.queue;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Counter;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Lifetime;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.spi.ProgressEngine;

/**
 * The counter of every provider. Counting and reading take no lock.
 *
 * <p>Threads wait for different numbers, so each change wakes all of them.
 */
public final class CoreCounter extends DrivenObject implements Counter {
  private final AtomicLong successes = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();

  /**
   * Opens a counter.
   *
   * @param domainLifetime keeps the domain open as long as the counter is
   * @param context returned by {@link #context}
   * @param engine what moves the data of endpoints that the counter is bound to; closed with it
   */
  public CoreCounter(
      Domain domain, Lifetime domainLifetime, @Nullable Object context, ProgressEngine engine) {
    super(domain, domainLifetime, context, engine);
  }

  public void count(boolean failed) {
    (failed ? errors : successes).getAndIncrement();
    wake();
  }

  /** Counts several operations, of which some may have failed. */
  public void count(long succeeded, long failed) {
    successes.getAndAdd(succeeded);
    errors.getAndAdd(failed);
    wake();
  }

  @Override
  public long read() {
    lifetime.checkOpen();
    engine.progress();
    return successes.get();
  }

  @Override
  public long readErrors() {
    lifetime.checkOpen();
    engine.progress();
    return errors.get();
  }

  @Override
  public void add(long value) {
    lifetime.checkOpen();
    count(value, 0);
  }

  @Override
  public void addErrors(long value) {
    lifetime.checkOpen();
    count(0, value);
  }

  @Override
  public void set(long value) {
    lifetime.checkOpen();
    successes.set(value);
    wake();
  }

  @Override
  public void setErrors(long value) {
    lifetime.checkOpen();
    errors.set(value);
    wake();
  }

  @Override
  public boolean await(long threshold, Duration timeout) throws InterruptedException {
    lifetime.checkOpen();
    long deadline = Waiting.deadlineIfAny(timeout);
    long errorsBefore = errors.get();
    while (mustWait(threshold, errorsBefore)) {
      engine.progress();
      if (mustWait(threshold, errorsBefore)
          && !waitUntil(deadline, () -> mustWait(threshold, errorsBefore))
          && mustWait(threshold, errorsBefore)) {
        return false;
      }
    }
    if (isBelow(threshold)) {
      throw new FabricException(
          Errno.EAVAIL,
          ("an operation failed while %s was waited for to reach %s: the completion queue says"
                  + " which")
              .formatted(this, Long.toUnsignedString(threshold)));
    }
    return true;
  }

  private boolean mustWait(long threshold, long errorsBefore) {
    return isBelow(threshold) && errors.get() == errorsBefore;
  }

  private boolean isBelow(long threshold) {
    return Long.compareUnsigned(successes.get(), threshold) < 0;
  }

  @Override
  void passOn() {
    // Threads wait for different numbers.
    line.notifyAll();
  }

  @Override
  public String toString() {
    return "counter (%s succeeded, %s failed)"
        .formatted(Long.toUnsignedString(successes.get()), Long.toUnsignedString(errors.get()));
  }
}
