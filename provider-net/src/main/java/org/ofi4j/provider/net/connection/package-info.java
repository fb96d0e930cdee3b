// SPDX-License-Identifier: Apache-2.0
/**
 * Connections over TCP: opening and accepting them, the handshake in which both ends say who they
 * are and agree on features, and the threads that move their bytes. Connections are watched with
 * heartbeats, closed when nobody needs them, and replaced when they are lost; one place has the
 * rules for which connections may be. A peer is the endpoint at the other end of a connection; as
 * the source of messages, the same endpoint is a sender in {@code matching}.
 *
 * <p>Other rooms use connections, their owners, peers and the mover of frames. This room uses
 * {@code matching}, {@code transfer}, {@code security}, {@code wire}, {@code endpoint} and {@code
 * progress}. Read {@link org.ofi4j.provider.net.connection.Connection} first, then {@link
 * org.ofi4j.provider.net.connection.Connections} and {@link
 * org.ofi4j.provider.net.connection.FrameMover}.
 */
package org.ofi4j.provider.net.connection;
