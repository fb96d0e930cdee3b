// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * Gives the frames of one connection a meaning. A {@link FrameReader} asks with each header where
 * the payload goes. All calls are made with the lock of the endpoint held.
 */
public interface FrameHandler {
  /**
   * The header of a frame has come.
   *
   * @return where its payload goes; null if it can go nowhere yet, and the connection is not to be
   *     read until it is told so
   * @throws ProtocolException if the frame is not one that the peer may send
   */
  @Nullable Arrival begin(FrameHeader header) throws ProtocolException;

  /**
   * Returns how many messages would find a receive now, whatever they are.
   *
   * @return the number of receives; {@link Integer#MAX_VALUE} if it is not known
   */
  default int receives() {
    return Integer.MAX_VALUE;
  }

  /** Returns how many receives have been posted so far. */
  default long posts() {
    return 0;
  }

  /** An acknowledgement has come. */
  default void acknowledged(FrameHeader header) throws ProtocolException {}

  /** A heartbeat has come, or a frame about closing the connection. */
  default void signal(FrameHeader header) throws IOException {}

  /** A context is closed: payloads that were to come later for it go nowhere. */
  default void withdraw(Object closed) {}

  /** Whether no payload is to come that was spoken of before. */
  default boolean isAtRest() {
    return true;
  }

  /** Nothing comes over the connection any more, and it is read from no more. */
  default void dropped() {}

  /** The peer has lost its last connection, which is this one. */
  default void peerLeft() {}

  /** The peer was started again since its previous connection; no frame has come over this one. */
  default void peerRestarted() {}
}
