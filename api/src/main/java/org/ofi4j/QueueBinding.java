// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import org.ofi4j.internal.Arguments;

/**
 * {@code fi_ep_bind} of a completion queue to one direction of an endpoint.
 *
 * @param queue takes the completions, of the same domain
 * @param selective {@code FI_SELECTIVE_COMPLETION}: whether operations that succeed are silent
 *     unless they ask to be {@linkplain TransferRequest#reported reported}
 */
public record QueueBinding(CompletionQueue queue, boolean selective) {
  /** Refuses no queue. */
  public QueueBinding {
    Arguments.required(queue, "queue");
  }
}
