// SPDX-License-Identifier: Apache-2.0
/**
 * What endpoints over UDP and TCP share: addresses of sockets, the local socket, staging, memory
 * that is registered, and traffic that engines move. What endpoints of all providers share is in
 * core's room of this name; the endpoints themselves are in {@code udp} and {@code tcp}.
 *
 * <p>Other rooms use most of its classes. This room uses {@code progress}. Read {@link
 * org.ofi4j.provider.net.endpoint.SocketEndpoint} first.
 */
package org.ofi4j.provider.net.endpoint;
