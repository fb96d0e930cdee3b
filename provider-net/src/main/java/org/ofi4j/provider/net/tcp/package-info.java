// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints over TCP as a domain opens them: reliable, connected, passive and scalable ones. They
 * check what an application asks for, and make connections, matching and access to memory work
 * together. Classes named after contexts belong to scalable endpoints.
 *
 * <p>Shows the endpoints. Uses all other rooms of the provider but {@code udp}. Read {@link
 * org.ofi4j.provider.net.tcp.RdmEndpoint} first, then {@link
 * org.ofi4j.provider.net.tcp.MessageTraffic} and {@link org.ofi4j.provider.net.tcp.FrameArrivals}.
 */
package org.ofi4j.provider.net.tcp;
