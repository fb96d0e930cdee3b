// SPDX-License-Identifier: Apache-2.0
/**
 * The transports of endpoints over TCP: reliable, connected, passive and scalable ones. The kit
 * checks what an application asks for; the transports make connections, matching and access to
 * memory work together, each over one event loop with one lock.
 *
 * <p>A domain opens them by {@code TcpEndpoints}. This room uses all other rooms of the provider
 * but {@code udp}. Read {@link org.ofi4j.provider.net.tcp.TcpEndpoint} first, then {@link
 * org.ofi4j.provider.net.tcp.MessageTransport} and {@link
 * org.ofi4j.provider.net.tcp.FrameArrivals}.
 */
package org.ofi4j.provider.net.tcp;
