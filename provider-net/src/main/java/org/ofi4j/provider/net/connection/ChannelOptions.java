// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.SocketChannel;
import java.util.Map;

/**
 * The options of a connection's channel. Among them the kernel asks in silent connections whether
 * the other host is still there. Who waits for an acknowledgement or a message from a host that
 * vanished without a word would wait for ever otherwise. A peer that lives and reads slowly is not
 * affected.
 */
public final class ChannelOptions {
  // By name, because these options are no part of the module java.base.
  private static final Map<String, Integer> SECONDS_AND_COUNT =
      Map.of("TCP_KEEPIDLE", 10, "TCP_KEEPINTERVAL", 5, "TCP_KEEPCOUNT", 4);

  private ChannelOptions() {}

  /** Sets them; a channel that does not take them is closed. */
  public static void set(SocketChannel channel) throws IOException {
    try {
      channel.configureBlocking(false);
      channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
      channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
      setKeepAlive(channel);
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  private static void setKeepAlive(SocketChannel channel) throws IOException {
    for (SocketOption<?> option : channel.supportedOptions()) {
      Integer value = SECONDS_AND_COUNT.get(option.name());
      if (value != null) {
        set(channel, option, value);
      }
    }
  }

  private static <T> void set(SocketChannel channel, SocketOption<T> option, Object value)
      throws IOException {
    channel.setOption(option, option.type().cast(value));
  }
}
