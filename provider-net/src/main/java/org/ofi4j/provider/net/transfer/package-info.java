// SPDX-License-Identifier: Apache-2.0
/**
 * Operations become frames here, and frames go to where their bytes belong. A writer takes what was
 * posted and gives it to a channel; a reader asks a handler where each frame goes.
 *
 * <p>Shows operations, the reader and the writer of a connection, and {@code Link}: a connection as
 * those see it who give its frames a meaning. Uses {@code wire} and {@code endpoint}. Read {@link
 * org.ofi4j.provider.net.transfer.FrameReader} first, then {@link
 * org.ofi4j.provider.net.transfer.FrameWriter} and {@link org.ofi4j.provider.net.transfer.Send}.
 */
package org.ofi4j.provider.net.transfer;
