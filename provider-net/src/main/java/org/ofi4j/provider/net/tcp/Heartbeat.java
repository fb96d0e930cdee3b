// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.nio.ByteBuffer;

/** The rest of a heartbeat of which the kernel has taken only a part. */
final class Heartbeat extends Outgoing {
  @Override
  int headerSize() {
    return FrameHeader.BASE;
  }

  @Override
  void encodeHeader(ByteBuffer into) {
    FrameHeader.encodeHeartbeat(into, sequence);
  }
}
