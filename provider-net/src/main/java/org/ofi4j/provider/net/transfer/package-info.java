// SPDX-License-Identifier: Apache-2.0
/**
 * From operations to frames and back. A writer turns what was posted into frames for a channel; a
 * reader asks a handler where the payload of each frame belongs. Small frames about a connection
 * (heartbeats, room for early messages) are classes of this room too.
 *
 * <p>Shows operations, the reader and the writer of a connection, and {@code Link}, the part of a
 * connection that handlers of frames need. Uses {@code wire} and {@code endpoint}. Read {@link
 * org.ofi4j.provider.net.transfer.FrameReader} first, then {@link
 * org.ofi4j.provider.net.transfer.FrameWriter} and {@link org.ofi4j.provider.net.transfer.Send}.
 */
package org.ofi4j.provider.net.transfer;
