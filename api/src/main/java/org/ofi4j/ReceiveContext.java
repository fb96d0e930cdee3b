// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** {@code fi_rx_context}: the context of a {@link ScalableEndpoint} that receives. */
public interface ReceiveContext extends Endpoint, MessageReceiver, TaggedReceiver {}
