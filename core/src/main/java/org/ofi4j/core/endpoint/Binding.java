// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.core.queue.ProgressEngine;

/**
 * What one direction of an endpoint reports to.
 *
 * @param queue a completion queue; null if counters are all that it reports to
 * @param selective whether the queue gets successes only where an operation asks for it
 */
public record Binding(@Nullable CoreCompletionQueue queue, boolean selective, Counters counters) {
  /** The completion queue, for those that cannot do without. */
  public CoreCompletionQueue requiredQueue() {
    return Objects.requireNonNull(queue);
  }

  /** What moves the data behind the queues and counters of an endpoint. */
  public static Stream<ProgressEngine> engines(
      @Nullable Binding transmit, @Nullable Binding receive) {
    return Stream.of(transmit, receive).filter(Objects::nonNull).flatMap(Binding::engines);
  }

  public static Counters counters(@Nullable Binding transmit, @Nullable Binding receive) {
    Binding bound = transmit == null ? receive : transmit;
    return bound == null ? new Counters() : bound.counters;
  }

  public Stream<ProgressEngine> engines() {
    return Stream.concat(
        Stream.ofNullable(queue).map(CoreCompletionQueue::engine), counters.engines());
  }
}
