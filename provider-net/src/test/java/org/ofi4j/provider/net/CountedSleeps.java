// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.ofi4j.CompletionQueue;
import org.ofi4j.provider.kit.Completions;
import org.ofi4j.provider.net.progress.NetProgress;

/**
 * How often whoever moves the data of a queue was about to sleep. It asks each endpoint that waits
 * for a time how long it may, and this one always answers with an hour.
 */
public final class CountedSleeps extends IdleTarget {
  private final AtomicInteger count = new AtomicInteger();

  /** Counts those of the queue's readers, or of the domain's thread, until the domain is closed. */
  public CountedSleeps(CompletionQueue queue) {
    progressOf(queue).add(this);
  }

  static NetProgress progressOf(CompletionQueue queue) {
    return (NetProgress) Completions.to(queue, false).queueEngine();
  }

  @Override
  public long patience() {
    count.getAndIncrement();
    return TimeUnit.HOURS.toNanos(1);
  }

  /** How many there were so far. */
  public int count() {
    return count.get();
  }
}
