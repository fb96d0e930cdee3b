// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

import java.io.IOException;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.net.endpoint.Quietly;

/**
 * Tells whether a socket would take a datagram. Only empty ones need it: a channel answers 0 to
 * them both when they were sent and when there was no room. For one thread at a time.
 */
final class WriteProbe {
  private final DatagramChannel channel;
  private @Nullable Selector selector;

  WriteProbe(DatagramChannel channel) {
    this.channel = channel;
  }

  boolean isWritable() throws IOException {
    Selector present = selector;
    if (present == null) {
      present = Selector.open();
      selector = present;
      channel.register(present, SelectionKey.OP_WRITE);
    }
    return present.selectNow(key -> {}) > 0;
  }

  void close() {
    // Nothing waits in it.
    Quietly.close(selector);
  }
}
