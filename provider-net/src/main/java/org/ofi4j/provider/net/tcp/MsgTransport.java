// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.ConnectedTransport;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.net.connection.ChannelOptions;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.connection.PeerDirectory;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.NetResources;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.security.Security;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.wire.ConnectionMessage;
import org.ofi4j.provider.net.wire.DeliveryWord;

/** An endpoint with one peer that is open, from before it is connected to after that. */
final class MsgTransport extends MessageTransport implements ConnectedTransport {
  private final LocalSocket<SocketChannel> socket;
  private final @Nullable ConnectionRequest request;
  private final FabricInfo info;
  private final int interfaceIndex;
  private final long timeout;
  private final MsgConnection connection;

  // Whether the socket is the connection's; guarded by the lock.
  private boolean used;

  /** Opens an endpoint, for a connection request if its information has one. */
  static MsgTransport open(NetResources resources, EndpointOpening opening) {
    ConnectionRequest request = claimed(opening.info().handle());
    Selector own = null;
    LocalSocket<SocketChannel> made = null;
    try {
      own = selector(resources);
      if (request == null) {
        made =
            LocalSocket.open(
                opening.info(), opening.domain().info(), SocketChannel::open, MsgTransport::bind);
      }
      return new MsgTransport(
          resources,
          opening,
          ConnectionSettings.of(opening),
          request,
          own,
          made == null ? socket(Objects.requireNonNull(request)) : made);
    } catch (Throwable failed) {
      Quietly.close(own);
      if (made != null) {
        Quietly.close(made.channel());
      }
      if (request != null) {
        refuse(request);
      }
      switch (failed) {
        case IOException none -> throw noSelector(none);
        case RuntimeException refused -> throw refused;
        default -> throw (Error) failed;
      }
    }
  }

  /** Takes a request from its passive endpoint, so that no other endpoint can take it. */
  private static @Nullable ConnectionRequest claimed(@Nullable ConnectionHandle handle) {
    if (handle == null) {
      return null;
    }
    if (!(handle instanceof ConnectionRequest wanted)) {
      throw invalid(handle + " is no connection request of this provider");
    }
    wanted.claim();
    return wanted;
  }

  private static void bind(SocketChannel channel, InetSocketAddress address) throws IOException {
    ChannelOptions.set(channel);
    // A connection that was made from the same address before may still be closing.
    channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
    channel.bind(address);
  }

  private static LocalSocket<SocketChannel> socket(ConnectionRequest request) throws IOException {
    SocketChannel channel = request.connection.channel();
    if (!(channel.getLocalAddress() instanceof InetSocketAddress local)) {
      throw new FabricException(Errno.ECONNABORTED, request + " has no socket any more");
    }
    return new LocalSocket<>(channel, local, local);
  }

  /** An endpoint on a socket, which is bound or the request's. */
  MsgTransport(
      NetResources resources,
      EndpointOpening opening,
      ConnectionSettings settings,
      @Nullable ConnectionRequest request,
      @Nullable Selector own,
      LocalSocket<SocketChannel> socket) {
    super(
        resources,
        opening,
        settings,
        SocketAddresses.inFormat(socket.name(), opening.info().addressFormat()),
        SharedReceives.receiving(opening, null),
        null,
        own);
    this.socket = socket;
    this.request = request;
    info = opening.info();
    timeout = settings.connectTimeout();
    interfaceIndex = EndpointAddress.interfaceIndex(opening.domain().info());
    Security security = new Security(settings.security(), resources.staging());
    connection =
        new MsgConnection(settings, Objects.requireNonNull(opening.events()), this, security);
  }

  @Override
  public MsgConnection connections() {
    return connection;
  }

  @Override
  public void connect(FabricAddress address, byte[] data) {
    InetSocketAddress to = SocketAddresses.of(address);
    InetSocketAddress scoped =
        to.getAddress().isLinkLocalAddress() ? SocketAddresses.withScope(to, interfaceIndex) : to;
    boolean ipv6 = SocketAddresses.isIpv6(to);
    if (ipv6 ? !socket.isIpv6() : socket.isIpv6() && !socket.isDualStack()) {
      throw invalid(
          "address %s is %s address, but the endpoint is at %s"
              .formatted(FabricAddress.of(to), ipv6 ? "an IPv6" : "an IPv4", name()));
    }
    if (to.getPort() == 0 || to.getAddress().isAnyLocalAddress()) {
      throw invalid(
          "nobody listens at " + FabricAddress.of(to) + ": give the name of a passive endpoint");
    }
    endpoint.lock();
    try {
      connection.connect(socket.channel(), scoped, data, timeout);
      used = true;
    } finally {
      endpoint.unlock();
    }
  }

  @Override
  public void accept(byte[] data) {
    endpoint.lock();
    try {
      connection.accept(Objects.requireNonNull(request), data);
      used = true;
    } finally {
      endpoint.unlock();
    }
  }

  @Override
  public void shutdown() {
    endpoint.lock();
    try {
      connection.shutdown();
    } finally {
      endpoint.unlock();
    }
  }

  @Override
  public FabricAddress peer() {
    endpoint.lock();
    try {
      return SocketAddresses.inFormat(connection.peer().address(), info.addressFormat());
    } finally {
      endpoint.unlock();
    }
  }

  @Override
  public int connectionDataSize() {
    return ConnectionMessage.MAX_DATA;
  }

  @Override
  public void afterwards() {
    super.afterwards();
    connection.afterwards();
  }

  @Override
  public void closed() {
    super.closed();
    ConnectionRequest unanswered = request;
    if (!used && unanswered != null) {
      refuse(unanswered);
    } else if (!used) {
      Quietly.close(socket.channel());
    }
  }

  /** Nobody else can answer a request that an endpoint has. */
  static void refuse(ConnectionRequest unanswered) {
    ConnectionMessage message = new ConnectionMessage();
    message.set(ConnectionMessage.Type.REFUSAL, new byte[0]);
    try {
      message.writeTo(unanswered.connection.out());
    } catch (IOException alreadyGone) {
      // It does not want to know any more.
    }
    Quietly.close(unanswered.connection.channel());
  }

  // Messages: handles mean nothing, as there is one peer.

  @Override
  Peer target(long destination) {
    connection.checkConnected();
    return connection.peer();
  }

  @Override
  void send(Peer peer, Send filled) {
    endpoint.mover().send(connection.checkConnected(), filled);
  }

  @Override
  long word(long destination) {
    return DeliveryWord.NONE;
  }

  @Override
  @Nullable PeerDirectory directory() {
    return null;
  }
}
