// SPDX-License-Identifier: Apache-2.0
/**
 * Who is connected, and who moves the bytes: connections are opened, accepted, agreed on, watched,
 * closed when nobody needs them, and replaced when they are lost.
 *
 * <p>Shows connections, their owner, peers and the mover of frames. To {@code matching} a peer is a
 * sender. Uses {@code matching}, {@code transfer}, {@code security}, {@code wire}, {@code endpoint}
 * and {@code progress}. Read {@link org.ofi4j.provider.net.connection.Connection} first, then
 * {@link org.ofi4j.provider.net.connection.Connections} and {@link
 * org.ofi4j.provider.net.connection.FrameMover}.
 */
package org.ofi4j.provider.net.connection;
