// SPDX-License-Identifier: Apache-2.0
/**
 * Operations become frames here, and frames go to where their bytes belong. A writer takes what was
 * posted and gives it to a channel; a reader asks a handler where each frame goes.
 *
 * <p>Other rooms may use operations, the reader and the writer of a connection, and {@code Link},
 * the part of a connection that handlers of frames need. Uses {@code wire} and {@code endpoint}.
 * Read {@link org.ofi4j.provider.net.transfer.FrameReader} first, then {@link
 * org.ofi4j.provider.net.transfer.FrameWriter} and {@link org.ofi4j.provider.net.transfer.Send}.
 */
package org.ofi4j.provider.net.transfer;
