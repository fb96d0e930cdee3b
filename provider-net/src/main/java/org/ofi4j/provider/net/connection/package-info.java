// SPDX-License-Identifier: Apache-2.0
/**
 * Who is connected, and who moves the bytes. Here connections are opened and accepted, their ends
 * say who they are (the handshake) and agree on features. Connections are watched, closed when
 * nobody needs them, and replaced when they are lost.
 *
 * <p>Other rooms may use connections, their owners, peers and the mover of frames. To {@code
 * matching} a peer is a sender. Uses {@code matching}, {@code transfer}, {@code security}, {@code
 * wire}, {@code endpoint} and {@code progress}. Read {@link
 * org.ofi4j.provider.net.connection.Connection} first, then {@link
 * org.ofi4j.provider.net.connection.Connections} and {@link
 * org.ofi4j.provider.net.connection.FrameMover}.
 */
package org.ofi4j.provider.net.connection;
