// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import org.ofi4j.Errno;
import org.ofi4j.provider.kit.Operations;
import org.ofi4j.provider.net.endpoint.NetworkErrors;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Opens connections to peers: tries again and again until one is open, or time is up for what waits
 * for it. Guarded by the lock of the endpoint.
 */
final class Connector {
  private final Connections connections;
  private final Handshake handshake;
  private final Listener listener;
  private final long timeout;

  // Peers without an open connection that should have one.
  private final List<Peer> connecting = new ArrayList<>();

  Connector(Connections connections, Handshake handshake, Listener listener, long timeout) {
    this.connections = connections;
    this.handshake = handshake;
    this.listener = listener;
    this.timeout = timeout;
  }

  /** Sends to the peer wait from now on, for as long as they may. */
  void setDeadline(Peer peer) {
    long deadline = connections.now() + timeout;
    peer.attempts().deadline = deadline;
    connections.dueAt(deadline);
  }

  /** Sees to it that a peer gets a connection, or that what waits for it fails in time. */
  void connect(Peer peer) {
    if (!peer.isConnecting()) {
      begin(peer).pause = TcpLimits.FIRST_PAUSE;
      attempt(peer);
    }
  }

  private Peer.Attempts begin(Peer peer) {
    Peer.Attempts attempts = peer.attempts();
    attempts.connecting = true;
    attempts.lastErrno = Errno.ETIMEDOUT;
    attempts.lastReason = "it does not answer";
    connecting.add(peer);
    connections.dueAt(attempts.deadline);
    return attempts;
  }

  private void attempt(Peer peer) {
    try {
      Connection connection = unconnected(peer);
      if (connection.connect(peer.address())) {
        handshake.request(connection);
      }
      connections.settle(connection);
    } catch (IOException | RuntimeException failed) {
      failed(peer, failed);
    }
  }

  /** A connection of the peer's over which nothing has gone yet. */
  private Connection unconnected(Peer peer) throws IOException {
    SocketChannel channel = listener.open();
    try {
      Connection connection =
          connections.connection(channel, peer.address(), Connection.State.CONNECTING);
      connection.peer = peer;
      peer.connection = connection;
      return connection;
    } finally {
      if (peer.connection == null) {
        Quietly.close(channel);
      }
    }
  }

  /** An attempt has failed; there is another one unless time is up. */
  void failed(Peer peer, Throwable failed) {
    connections.mover.totals().failed();
    tryAgain(peer, failed);
  }

  /** A connection was lost before anything could be sent over it. */
  void failedOpen(Peer peer, Throwable failed) {
    if (!peer.isConnecting()) {
      begin(peer);
    }
    tryAgain(peer, failed);
  }

  private void tryAgain(Peer peer, Throwable failed) {
    Peer.Attempts attempts = peer.attempts();
    // The peer's own request is under way, or it still believes in an older connection; or it may
    // be started again soon, and hold the key then.
    long shortest = TcpLimits.PAUSE_FOR_PEER;
    switch (failed) {
      case RefusedException refused -> attempts.lastErrno = refused.errno;
      case UnprovenException _ -> attempts.lastErrno = Errno.EKEYREJECTED;
      default -> {
        attempts.lastErrno = NetworkErrors.of(failed);
        shortest = TcpLimits.FIRST_PAUSE;
      }
    }
    attempts.lastReason = String.valueOf(failed.getMessage());
    connections.discardConnecting(peer);
    if (attempts.waiting.isEmpty() && !attempts.warming) {
      done(peer);
      return;
    }
    long now = connections.now();
    if (now >= attempts.deadline) {
      giveUp(peer, attempts);
      return;
    }
    // Not all at the same pace: two that refuse each other's requests would go on doing so.
    long pause = Math.max(attempts.pause, shortest);
    attempts.nextAttempt = now + pause / 2 + ThreadLocalRandom.current().nextLong(pause);
    attempts.pause = Math.min(2 * pause, TcpLimits.LONGEST_PAUSE);
    connections.dueAt(Math.min(attempts.nextAttempt, attempts.deadline));
  }

  /** Tries at once instead of after a pause, if a connection is still wanted. */
  void retry(Peer peer) {
    peer.attempts().nextAttempt = connections.now();
    connections.dueAt(peer.attempts().nextAttempt);
  }

  private void giveUp(Peer peer, Peer.Attempts attempts) {
    done(peer);
    String reason = "no connection to " + peer + ": " + attempts.lastReason;
    Operations<Send> waiting = attempts.waiting;
    for (Send send = waiting.poll(); send != null; send = waiting.poll()) {
      send.owner().fail(send, attempts.lastErrno, reason);
    }
  }

  /** No connection to the peer is wanted any more, or it is there. */
  void done(Peer peer) {
    Peer.Attempts attempts = peer.attempts;
    if (attempts != null) {
      attempts.warming = false;
      if (attempts.connecting) {
        attempts.connecting = false;
        connecting.remove(peer);
      }
      if (attempts.waiting.isEmpty()) {
        peer.attempts = null;
      }
    }
  }

  /** Does what the time has come for, and notes when it comes again. */
  void tick(long now) {
    for (int i = connecting.size() - 1; i >= 0; i--) {
      tick(connecting.get(i), now);
    }
  }

  private void tick(Peer peer, long now) {
    Peer.Attempts attempts = peer.attempts();
    if (now >= attempts.deadline) {
      if (peer.connection != null) {
        connections.mover.totals().failed();
      }
      connections.discardConnecting(peer);
      giveUp(peer, attempts);
    } else {
      connections.dueAt(attempts.deadline);
      if (peer.connection == null && now >= attempts.nextAttempt) {
        attempt(peer);
      } else if (peer.connection == null) {
        connections.dueAt(attempts.nextAttempt);
      }
    }
  }
}
