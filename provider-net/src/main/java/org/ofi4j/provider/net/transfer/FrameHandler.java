// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.io.IOException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.wire.FrameHeader;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * What becomes of the frames that come over one connection. All calls are made with the lock of the
 * endpoint held.
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
   * The payload of a frame has come.
   *
   * @throws RuntimeException if it came for nothing; the connection is lost then
   */
  void whole(FrameHeader header, Arrival arrival);

  /** An acknowledgement has come. */
  void acknowledged(FrameHeader header) throws ProtocolException;

  /** A heartbeat has come, or a frame about closing the connection. */
  void signal(FrameHeader header) throws IOException;

  /**
   * The memory that a payload was to go to cannot be used; the rest of the payload is dropped.
   *
   * @throws ProtocolException if the connection cannot go on without it
   */
  void unusable(Arrival arrival, Throwable failed) throws ProtocolException;

  /** The connection is lost while a payload was on its way. */
  void brokeOff(Arrival arrival);

  /** Payloads that were to come later and are chosen go elsewhere. */
  void redirect(Predicate<Arrival> chosen, Arrival elsewhere);

  /** Whether no payload is to come that was spoken of before. */
  boolean isAtRest();

  /** Nothing comes over the connection any more, and it is read from no more. */
  void dropped();
}
