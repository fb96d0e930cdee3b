// SPDX-License-Identifier: Apache-2.0
/**
 * From operations to frames and back. A writer turns what was posted into frames for a channel; a
 * reader asks a handler where the payload of each frame belongs. {@code Signal} is the frames that
 * nobody posts, such as heartbeats and notices of how much may come early; when they are sent is
 * decided in {@code connection} and {@code matching}.
 *
 * <p>Other rooms use operations, the reader and the writer of a connection, and {@code Link}, the
 * part of a connection that handlers of frames need. This room uses {@code wire} and {@code
 * endpoint}. Read {@link org.ofi4j.provider.net.transfer.FrameReader} first, then {@link
 * org.ofi4j.provider.net.transfer.FrameWriter} and {@link org.ofi4j.provider.net.transfer.Send}.
 */
package org.ofi4j.provider.net.transfer;
