// SPDX-License-Identifier: Apache-2.0
/**
 * Datagram endpoints: one message is one UDP packet, with nothing around it.
 *
 * <p>Other rooms use the endpoint and its limits. This room uses {@code endpoint} and {@code
 * progress}. Read {@link org.ofi4j.provider.net.udp.UdpTransport} first.
 */
package org.ofi4j.provider.net.udp;
