// SPDX-License-Identifier: Apache-2.0
/**
 * Endpoints over TCP as a domain opens them: reliable, connected, passive and scalable ones. They
 * check what an application asks for, and make connections, matching and access to memory work
 * together. Classes of this room that are named after contexts belong to scalable endpoints, but
 * for that of shared receives.
 *
 * <p>Other rooms use the endpoints. This room uses all other rooms of the provider but {@code udp}.
 * Read {@link org.ofi4j.provider.net.tcp.RdmEndpoint} first, then {@link
 * org.ofi4j.provider.net.tcp.MessageTraffic} and {@link org.ofi4j.provider.net.tcp.FrameArrivals}.
 */
package org.ofi4j.provider.net.tcp;
