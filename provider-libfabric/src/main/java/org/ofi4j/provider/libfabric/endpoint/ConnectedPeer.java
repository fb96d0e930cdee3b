// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.libfabric.connection.Connection;
import org.ofi4j.provider.libfabric.connection.EventReader;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;

/**
 * The one peer of an endpoint that connects: handles mean nothing, and libfabric is told none.
 * Guarded by the lock of the domain.
 */
final class ConnectedPeer implements Destinations {
  /** ECANCELED, ENOTCONN, ECONNRESET and EPIPE. */
  private static final Set<Integer> CUT_OFF = Set.of(125, 107, 104, 32);

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
  public void direct(NativeOperation receive, long handle) {
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

  @Override
  public @Nullable FabricException cutOff(boolean sent) {
    return connection == null ? null : connection.cutOff(sent);
  }

  /**
   * Fabrics have several errors for what the end of a connection has cut off, and the same for what
   * may have arrived and what has not.
   */
  @Override
  public int errno(int reported, boolean sent) {
    return connection != null && CUT_OFF.contains(reported)
        ? connection.cutOffErrno(sent).number()
        : reported;
  }
}
