package org.ofi4j.provider.net.endpoint;

import org.ofi4j.BindFlag;
import org.ofi4j.core.queue.CoreCompletionQueue;
import org.ofi4j.provider.net.progress.NetProgress;

/**
 * A completion queue bound to one direction of an endpoint.
 *
 * @param queue the queue
 * @param selective whether successes are reported only where an operation asks for it
 */
public record Binding(CoreCompletionQueue queue, boolean selective) {
  public Binding(CoreCompletionQueue queue, long flags) {
    this(queue, (flags & BindFlag.SELECTIVE_COMPLETION.mask()) != 0);
  }

  /** What moves the data behind the queue. */
  public NetProgress progress() {
    return (NetProgress) queue.engine();
  }
}
