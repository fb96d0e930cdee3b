// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.kit.WaitingByHost;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.security.SecureChannel;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * Connections that others have opened and that have not introduced themselves: they are bounded in
 * number and in time. Guarded by the lock of the endpoint.
 */
public final class Greetings {
  private static final String LATE =
      "TLS: the handshake and the request took longer than %s seconds"
          .formatted(TimeUnit.NANOSECONDS.toSeconds(TcpLimits.GREETING_TIMEOUT));

  private final ConnectionOwner owner;
  private final Listener listener;

  private final WaitingByHost<Connection> silent = new WaitingByHost<>();

  // Whether connections have waited since one could not be accepted.
  private boolean isShort;

  /** No connections yet, of an owner that accepts them. */
  public Greetings(ConnectionOwner owner, Listener listener) {
    this.owner = owner;
    this.listener = listener;
  }

  /** All of them, the oldest first. */
  public SequencedSet<Connection> all() {
    return silent.all();
  }

  /** Takes connections that others have opened, within a bound. */
  public void accept() {
    try {
      for (int i = 0; i < TcpLimits.ACCEPTS; i++) {
        SocketChannel channel = listener.accept();
        if (channel == null) {
          isShort = false;
          return;
        }
        add(channel);
      }
    } catch (IOException failed) {
      // As a rule the process has too many open files. The connections wait in the backlog. Any
      // part of the process may close a file: only another attempt shows that one is free.
      if (!isShort) {
        isShort = true;
        owner.mover.rejections().warnShortage(failed);
      }
      listener.pause();
      owner.dueAt(owner.now() + TcpLimits.ACCEPT_PAUSE);
    }
  }

  private void add(SocketChannel channel) throws IOException {
    if (owner.isFull()) {
      channel.close();
      return;
    }
    @Nullable Connection connection = null;
    InetSocketAddress from;
    try {
      ChannelOptions.set(channel);
      from = (InetSocketAddress) channel.getRemoteAddress();
      connection = owner.connection(channel, from, Connection.State.GREETING);
    } catch (IOException alreadyGone) {
      return;
    } finally {
      if (connection == null) {
        Quietly.close(channel);
      }
    }
    if (silent.size() >= TcpLimits.MAX_GREETINGS) {
      makeSpace();
    }
    silent.add(connection, from.getAddress());
    setDeadline(connection, owner.now());
    // As a rule it has said something already.
    owner.act(connection, SelectionKey.OP_READ);
  }

  /**
   * Closes the connection of the host with the most connections that has been silent for longest:
   * it is the least likely to say something.
   */
  private void makeSpace() {
    Object largest = silent.largestHost();
    Connection oldest = largest == null ? null : silent.oldest(largest);
    if (oldest != null) {
      silent.remove(oldest);
      owner.discard(oldest);
    }
  }

  /**
   * Reads what a connection says about itself, as {@link Connection#readGreeting}. Until a thread
   * has taken up its handshake of TLS it has waited for us, and has all its time from then on.
   */
  public boolean read(Connection connection) throws IOException {
    boolean whole = connection.readGreeting();
    SecureChannel secure = connection.secure();
    if (secure != null && secure.handshake.pollTakenUp() && silent.renew(connection)) {
      setDeadline(connection, owner.now());
    }
    return whole;
  }

  private void setDeadline(Connection connection, long now) {
    connection.deadline = now + TcpLimits.GREETING_TIMEOUT;
    owner.dueAt(connection.deadline);
  }

  /** A connection has introduced itself, or is lost. */
  public void forget(Connection connection) {
    silent.remove(connection);
  }

  /** Does what the time has come for, and notes when it comes again. */
  public void tick(long now) {
    if (listener.isPaused()) {
      listener.goOn();
    }
    for (Connection oldest = silent.oldest(); oldest != null; oldest = silent.oldest()) {
      if (now < oldest.deadline) {
        owner.dueAt(oldest.deadline);
        return;
      }
      SecureChannel secure = oldest.secure();
      if (secure != null && (secure.handshake.isWaiting() || secure.handshake.pollTakenUp())) {
        // The time was ours. Its turn comes, as older handshakes go first.
        silent.renew(oldest);
        setDeadline(oldest, now);
        continue;
      }
      silent.remove(oldest);
      if (oldest.dialogue != null) {
        owner.lost(
            oldest,
            new UnprovenException("it does not prove in time that it holds the authorization key"));
      } else if (secure != null) {
        // Its peer may take that for a certificate that is not accepted.
        owner.lost(oldest, new ProtocolException(LATE));
      } else {
        owner.discard(oldest);
      }
    }
  }
}
