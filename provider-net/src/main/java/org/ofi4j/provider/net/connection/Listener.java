// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.SequencedSet;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.WaitingByHost;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.security.SecureChannel;
import org.ofi4j.provider.net.wire.ProtocolException;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * The socket at an endpoint's address, and the connections that others have opened to it and that
 * have not introduced themselves: those are bounded in number and in time. Own connections come
 * from the host address of the socket, by which peers know the endpoint. Guarded by the lock of the
 * endpoint.
 */
public final class Listener extends Readiness.Watched {
  private static final String LATE =
      "TLS: the handshake and the request took longer than %s seconds"
          .formatted(TimeUnit.NANOSECONDS.toSeconds(TcpLimits.GREETING_TIMEOUT));

  private final Connection.Owner owner;
  private final FrameMover mover;
  private final LocalSocket<ServerSocketChannel> socket;
  private final WaitingByHost<Connection> silent = new WaitingByHost<>();

  // Whether connections have waited since one could not be accepted, and whether they wait now.
  private boolean isShort;
  private boolean paused;

  /** A socket that listens, as {@link LocalSocket#open} opens it. */
  public static LocalSocket<ServerSocketChannel> socket(FabricInfo info, FabricInfo domain) {
    return LocalSocket.open(info, domain, ServerSocketChannel::open, Listener::bind);
  }

  private static void bind(ServerSocketChannel channel, InetSocketAddress address)
      throws IOException {
    // An endpoint that is opened again finds connections of its former life still closing.
    channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    channel.bind(address, TcpLimits.BACKLOG);
  }

  /**
   * Does not accept yet.
   *
   * @param owner has the connections
   */
  public Listener(Connection.Owner owner, LocalSocket<ServerSocketChannel> socket) {
    super(owner.mover.readiness(), socket.channel());
    this.owner = owner;
    this.socket = socket;
    mover = owner.mover;
  }

  /** A channel for a connection of our own. */
  SocketChannel open() throws IOException {
    SocketChannel channel = SocketChannel.open(SocketAddresses.family(socket.local()));
    try {
      ChannelOptions.set(channel);
      // Else a connection's own port might be the one that a peer wants to listen on again.
      channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
      if (!socket.local().getAddress().isAnyLocalAddress()) {
        channel.bind(new InetSocketAddress(socket.local().getAddress(), 0));
      }
      return channel;
    } catch (IOException | RuntimeException failed) {
      channel.close();
      throw failed;
    }
  }

  /** Accepts from now on. */
  public void goOn() {
    paused = false;
    mover.readiness().watch(this, SelectionKey.OP_ACCEPT);
  }

  /** Returns the connections that have not introduced themselves, the oldest first. */
  public SequencedSet<Connection> all() {
    return silent.all();
  }

  /** Takes connections that others have opened, within a bound. */
  @Override
  public void act(int ready) {
    try {
      for (int i = 0; i < TcpLimits.ACCEPTS; i++) {
        SocketChannel channel = socket.channel().accept();
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
        mover.rejections().warnShortage(failed);
      }
      paused = true;
      mover.readiness().watch(this, 0);
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
    if (paused) {
      goOn();
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

  /** Accepts no more, and closes no connection. */
  public void close() {
    Quietly.close(socket.channel());
  }
}
