package org.ofi4j.provider.net.endpoint;

import java.util.stream.Stream;
import org.ofi4j.BindFlag;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.net.progress.NetProgress;

/**
 * What one direction of an endpoint reports to.
 *
 * @param queue a completion queue
 * @param selective whether the queue gets successes only where an operation asks for it
 * @param counters the counters of the endpoint
 */
public record Binding(CoreCompletionQueue queue, boolean selective, Counters counters) {
  public Binding(CoreCompletionQueue queue, long flags, Counters counters) {
    this(queue, (flags & BindFlag.SELECTIVE_COMPLETION.mask()) != 0, counters);
  }

  /** What moves the data behind the queue and the counters. */
  public Stream<NetProgress> engines() {
    return Stream.concat(Stream.of((NetProgress) queue.engine()), counters.engines());
  }
}
