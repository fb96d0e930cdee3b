// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import org.junit.jupiter.api.Test;
import org.ofi4j.Errno;
import org.ofi4j.provider.net.endpoint.NetworkErrors;

/** What a connection refuses to be. */
class ConnectionTest {
  /** The system may give a socket just the port that it is to connect to. */
  @Test
  void aConnectionToItselfIsRefused() throws Exception {
    try (SocketChannel channel = SocketChannel.open()) {
      channel.bind(new InetSocketAddress("127.0.0.1", 0));
      assertThat(channel.connect(channel.getLocalAddress())).isTrue();
      assertThatThrownBy(() -> Connection.isToAnother(channel))
          .isInstanceOf(ConnectException.class)
          .satisfies(
              refused -> assertThat(NetworkErrors.of(refused)).isEqualTo(Errno.ECONNREFUSED));
    }
  }
}
