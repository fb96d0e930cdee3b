// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.core.queue.ProgressEngine;

/**
 * The queue and the counters that one direction of an endpoint reports to.
 *
 * @param queue the completion queue; null if the direction reports to counters alone
 * @param selective whether the queue gets a success only if the operation asks for it, as with
 *     {@code FI_SELECTIVE_COMPLETION} of fi_endpoint(3)
 * @param counters the counters of the endpoint, which both directions share
 */
public record Binding(@Nullable CoreCompletionQueue queue, boolean selective, Counters counters) {
  /**
   * Returns the completion queue of a direction that cannot do without.
   *
   * @return the queue
   * @throws NullPointerException if there is none
   */
  public CoreCompletionQueue requiredQueue() {
    return Objects.requireNonNull(queue);
  }

  /**
   * Returns the engines behind the queues and counters of an endpoint.
   *
   * @param transmit the binding of sends; null if the endpoint only receives
   * @param receive the binding of receives; null if the endpoint only sends
   * @return the engines; an engine may be among them several times
   */
  public static Stream<ProgressEngine> engines(
      @Nullable Binding transmit, @Nullable Binding receive) {
    return Stream.of(transmit, receive).filter(Objects::nonNull).flatMap(Binding::engines);
  }

  /**
   * Returns the counters of an endpoint.
   *
   * @param transmit the binding of sends; null if the endpoint only receives
   * @param receive the binding of receives; null if the endpoint only sends
   * @return the counters; new ones if both bindings are null
   */
  public static Counters counters(@Nullable Binding transmit, @Nullable Binding receive) {
    Binding bound = transmit == null ? receive : transmit;
    return bound == null ? new Counters() : bound.counters;
  }

  /**
   * Returns the engines behind the queue and the counters.
   *
   * @return the engines; an engine may be among them several times
   */
  public Stream<ProgressEngine> engines() {
    return Stream.concat(
        Stream.ofNullable(queue).map(CoreCompletionQueue::engine), counters.engines());
  }
}
