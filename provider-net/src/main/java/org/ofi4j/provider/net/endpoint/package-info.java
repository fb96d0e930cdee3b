// SPDX-License-Identifier: Apache-2.0
/**
 * The parts that endpoints over UDP and TCP share: addresses of sockets, the local socket, staging,
 * and the ends of receives. The parts that endpoints of all providers share are in the kit; the
 * endpoints themselves are in {@code udp} and {@code tcp}.
 *
 * <p>Other rooms use most of its classes. This room uses {@code progress}. Read {@link
 * org.ofi4j.provider.net.endpoint.LocalSocket} first.
 */
package org.ofi4j.provider.net.endpoint;
