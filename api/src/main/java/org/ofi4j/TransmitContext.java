// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** {@code fi_tx_context}: the context of a {@link ScalableEndpoint} that sends. */
public interface TransmitContext extends Endpoint, MessageSender, TaggedSender, RemoteMemory {}
