// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/** An owner of connections that others open. */
public interface AcceptingOwner extends ConnectionOwner {
  /** Whether no more connections are accepted. */
  boolean isFull();

  /** Makes a connection of a channel over which nothing has come yet. */
  Connection greeting(SocketChannel channel, InetSocketAddress from) throws IOException;

  /** Closes a connection over which nothing was ever sent. */
  void discard(Connection connection);

  /** Something is to be done at a time. */
  void dueAt(long time);
}
