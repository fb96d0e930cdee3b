// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.transfer;

import java.nio.channels.GatheringByteChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.wire.Agreement;

/**
 * A connection, as those see it who give its frames a meaning. Guarded by the lock of the endpoint.
 */
public interface Link {
  FrameReader reader();

  FrameWriter writer();

  /** Returns the channel that frames are written to. */
  GatheringByteChannel out();

  /** Returns whether nothing is on its way in either direction, and nothing is waited for. */
  boolean isAtRest();

  /** Whether frames go both ways. */
  boolean isOpen();

  /** What is agreed on beyond libfabric's protocol. */
  Agreement agreement();

  /** How much the peer may send before there are receives for it. */
  Credit credit();

  /** Writes what was queued just now, unless the kernel has no room. */
  void write();

  /**
   * Reads on after it was paused.
   *
   * @param to where the payload of the frame goes that it was paused for; null to ask for that
   *     again
   */
  void resume(@Nullable Arrival to);

  /** It is of no use any more. */
  void lost(Throwable failed);
}
