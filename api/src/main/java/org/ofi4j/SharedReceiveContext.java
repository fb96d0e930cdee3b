// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code fi_srx_context}, fi_endpoint(3): receives that several endpoints of a domain share.
 *
 * <p>Open it, open endpoints {@linkplain EndpointOptions#withSharedReceives with it}, and post
 * buffers here. A message to any of these endpoints takes one of them, and its completion goes to
 * the queue that this endpoint has for receives: a shared receive context has no queues and
 * counters of its own. What ends without a message (a receive that was cancelled, a peek that found
 * nothing) is reported by the endpoint that was opened first of those that are open; while there is
 * none, it is dropped without a completion.
 *
 * <p>Endpoints of type {@link EndpointType#RDM} that share one must have the same address vector
 * (AV-213); it is also what the sources of receives refer to. Closing is refused as long as such an
 * endpoint is open. An endpoint that is closed gives back what its messages had taken and leaves
 * the other receives to the others.
 *
 * <p>Safe to call from any thread. Endpoints that share one take turns, because they share its
 * lock.
 */
public interface SharedReceiveContext extends FabricObject, MessageReceiver, TaggedReceiver {
  /** {@return the domain that the context belongs to} */
  Domain domain();

  /** {@return what the context was opened with} */
  FabricInfo info();
}
