// SPDX-License-Identifier: Apache-2.0
/**
 * Connections over TCP: opening and accepting them, the handshake in which both ends say who they
 * are and agree on features, and the threads that move their bytes. Connections are watched, closed
 * when nobody needs them, and replaced when they are lost. A peer here is whom a connection leads
 * to; {@code matching} knows it as a sender.
 *
 * <p>Shows connections, their owners, peers and the mover of frames. Uses {@code matching}, {@code
 * transfer}, {@code security}, {@code wire}, {@code endpoint} and {@code progress}. Read {@link
 * org.ofi4j.provider.net.connection.Connection} first, then {@link
 * org.ofi4j.provider.net.connection.Connections} and {@link
 * org.ofi4j.provider.net.connection.FrameMover}.
 */
package org.ofi4j.provider.net.connection;
