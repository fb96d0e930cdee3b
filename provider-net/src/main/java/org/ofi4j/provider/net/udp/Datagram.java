// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.Operation;

/** A message that is sent as one datagram, or the buffer for one. */
final class Datagram extends Operation {
  /** The peer that a message is sent to. */
  @Nullable InetSocketAddress target;

  /** The bytes of an injected message that has to wait; kept for the next one. */
  @Nullable MemorySegment copy;

  @Override
  public void clear() {
    super.clear();
    target = null;
  }
}
