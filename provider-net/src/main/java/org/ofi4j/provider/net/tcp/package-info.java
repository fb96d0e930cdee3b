// SPDX-License-Identifier: Apache-2.0
/**
 * Reliable endpoints over TCP: connections, messages and their receives, and the memory of peers.
 *
 * <p>Uses {@code wire}, {@code security}, {@code endpoint} and {@code progress}. Read {@link
 * org.ofi4j.provider.net.tcp.RdmEndpoint} first, then {@link
 * org.ofi4j.provider.net.tcp.MessageTraffic} and {@link org.ofi4j.provider.net.tcp.Connection}.
 */
package org.ofi4j.provider.net.tcp;
