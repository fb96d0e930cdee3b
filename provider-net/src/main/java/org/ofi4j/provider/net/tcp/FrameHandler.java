// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/** What a connection tells its endpoint. All calls are made with the endpoint's lock held. */
interface FrameHandler {
  /**
   * The header of a frame has come.
   *
   * @return where its payload goes; null if it can go nowhere yet, and the connection is not to be
   *     read until it is told so
   * @throws ProtocolException if the frame is not one that the peer may send
   */
  @Nullable Arrival begin(Connection connection, FrameHeader header) throws ProtocolException;

  /**
   * The payload of a frame has come.
   *
   * @throws RuntimeException if it came for nothing; the connection is lost then
   */
  void whole(Connection connection, FrameHeader header, Arrival arrival);

  /**
   * The memory that a payload was to go to cannot be used; the rest of the payload is dropped.
   *
   * @throws ProtocolException if the connection cannot go on without it
   */
  void unusable(Connection connection, Arrival arrival, Throwable failed) throws ProtocolException;

  /** The connection is lost while a payload was on its way. */
  void brokeOff(Connection connection, Arrival arrival);

  /** Nothing comes over the connection any more, and it is read from no more. */
  void dropped(Connection connection);
}
