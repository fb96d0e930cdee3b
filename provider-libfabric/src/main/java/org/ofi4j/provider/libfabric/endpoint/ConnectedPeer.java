// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.core.av.MessageSource;
import org.ofi4j.provider.libfabric.connection.Connection;
import org.ofi4j.provider.libfabric.connection.EventReader;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;

/**
 * The one peer of an endpoint that connects: handles mean nothing, and libfabric is told none.
 * Guarded by the lock of the domain.
 */
final class ConnectedPeer implements Destinations {
  private final EventReader reader;

  /** Without a native handle, which is {@code FI_ADDR_UNSPEC}. */
  private final Peer peer = new Peer(new byte[0]);

  private @Nullable Connection connection;

  ConnectedPeer(EventReader reader) {
    this.reader = reader;
  }

  /** Names the connection over which the peer is reached; there is none before that. */
  void reachedBy(Connection opened) {
    connection = opened;
  }

  @Override
  public void bindTo(NativeEndpoint opened) {
    reader.bind(opened);
  }

  @Override
  public Peer peer(long handle) {
    if (connection != null) {
      connection.checkConnected();
    }
    return peer;
  }

  @Override
  public void direct(Operation receive, long handle) {
    // There is one source, and no capability to name another.
  }

  @Override
  public boolean reach(Peer reached) {
    return true;
  }

  @Override
  public void source(long handle, MessageSource source) {
    source.unknown();
  }
}
