// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.net.connection.Connection;
import org.ofi4j.provider.net.wire.ProtocolException;

/**
 * A peer that has asked for a connection and waits for an answer. A passive endpoint has it until
 * it is rejected, claimed by the endpoint that is to accept it, or gone; that endpoint has it from
 * then on.
 */
final class ConnectionRequest implements ConnectionHandle {
  /** What has become of it. */
  enum Fate {
    /** It waits for an answer. */
    WAITING,
    /** An endpoint has it, and nobody else answers it. */
    CLAIMED,
    /** It was rejected. */
    REJECTED,
    /** Its peer has gone, the passive endpoint was closed, or nobody has answered in time. */
    GONE
  }

  private final ListeningTransport passive;
  final Connection connection;
  final InetSocketAddress peer;
  final ByteOrder order;

  /** Written with the lock of the passive endpoint held; also read to say why something is late. */
  volatile Fate fate = Fate.WAITING;

  /**
   * A request that waits.
   *
   * @param connection over which it came, and where an answer goes; frames will go over its channel
   */
  ConnectionRequest(
      ListeningTransport passive, Connection connection, InetSocketAddress peer, ByteOrder order) {
    this.passive = passive;
    this.connection = connection;
    this.peer = peer;
    this.order = order;
  }

  boolean isOf(ListeningTransport one) {
    return passive.equals(one);
  }

  /** Takes it from the passive endpoint, to be answered by an endpoint of its own. */
  void claim() {
    passive.claim(this);
  }

  /**
   * A peer that waits for an answer has nothing to say, but that it waits no more.
   *
   * @throws IOException if it has said something
   */
  void checkSilent() throws IOException {
    int count = connection.in().read(ByteBuffer.allocate(1));
    if (count < 0) {
      throw new EOFException("the peer waits no more");
    }
    if (count > 0) {
      throw new ProtocolException("something came before the request was answered");
    }
  }

  /** Refuses an answer to what waits for none. */
  void checkWaiting() {
    switch (fate) {
      case WAITING -> {
        // As it should be.
      }
      case CLAIMED -> throw late(Errno.EINVAL, "belongs to an endpoint that was opened for it");
      case REJECTED -> throw late(Errno.EINVAL, "was rejected");
      case GONE ->
          throw late(
              Errno.ECONNABORTED,
              "is gone, as its peer, the passive endpoint or the time to answer is");
    }
  }

  private FabricException late(Errno errno, String what) {
    return new FabricException(errno, this + " " + what + ": wait for another one");
  }

  @Override
  public String toString() {
    return "connection request of " + peer;
  }
}
