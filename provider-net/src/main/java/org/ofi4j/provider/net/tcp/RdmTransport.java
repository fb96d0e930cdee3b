// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.EarlyMessages;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.provider.kit.AuthKeys;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.connection.ConnectionWatch;
import org.ofi4j.provider.net.connection.Connections;
import org.ofi4j.provider.net.connection.Handshake;
import org.ofi4j.provider.net.connection.Listener;
import org.ofi4j.provider.net.connection.Peer;
import org.ofi4j.provider.net.connection.PeerDirectory;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.NetResources;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.matching.Receiving;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.security.KeyProofs;
import org.ofi4j.provider.net.transfer.Send;
import org.ofi4j.provider.net.transfer.TransmitContext;
import org.ofi4j.provider.net.wire.DeliveryWord;
import org.ofi4j.provider.net.wire.ExtensionBlock;

/**
 * A reliable endpoint that is open: it speaks to many peers, and connections come and go by
 * themselves. Or a scalable one: the same for all of its contexts.
 */
final class RdmTransport extends MessageTransport {
  private final Peers entries;
  private final PeerDirectory peers;
  private final Connections connections;
  private final Handshake handshake;
  private final @Nullable AuthKeys keys;
  private final boolean naming;

  /**
   * Opens an endpoint, which holds its authorization keys until it is closed, if it has some.
   *
   * @param receiving what comes is received by, if there is anything
   */
  static RdmTransport open(
      NetResources resources, EndpointOpening opening, @Nullable Receiving receiving) {
    AuthKeys keys =
        opening.hasKeysInVectors() ? opening.peers().holdKeys(opening.endpoint()) : null;
    Selector own = null;
    LocalSocket<ServerSocketChannel> socket = null;
    try {
      own = selector(resources);
      socket = Listener.socket(opening.info(), opening.domain().info());
      return new RdmTransport(resources, opening, keys, receiving, own, socket);
    } catch (Throwable failed) {
      Quietly.close(own);
      if (socket != null) {
        Quietly.close(socket.channel());
      }
      if (keys != null) {
        keys.close();
      }
      throw failed;
    }
  }

  private RdmTransport(
      NetResources resources,
      EndpointOpening opening,
      @Nullable AuthKeys keys,
      @Nullable Receiving receiving,
      @Nullable Selector own,
      LocalSocket<ServerSocketChannel> socket) {
    ConnectionSettings settings = ConnectionSettings.of(opening);
    super(
        resources,
        opening,
        settings,
        SocketAddresses.inFormat(socket.name(), opening.info().addressFormat()),
        receiving,
        keys == null ? null : opening.peers(),
        own);
    FabricInfo info = opening.info();
    SharedReceives sharing = SharedReceives.of(opening);
    naming = info.has(Capability.NAMED_RECEIVE_CONTEXT);
    int contexts = receiving == null ? 1 : receiving.outcomes().length;
    this.keys = keys;
    entries = opening.peers();
    peers =
        new PeerDirectory(
            entries,
            keys,
            socket,
            EndpointAddress.interfaceIndex(opening.domain().info()),
            sharing == null ? UnaryOperator.identity() : sharing::origin);
    handshake =
        new Handshake(
            socket.name().getPort(),
            ExtensionBlock.of(entries.maxGroup(), contexts)
                .withHeartbeats(ConnectionWatch.heartbeat(settings.peerTimeout()))
                .withIdleClosing()
                .withHost(settings.sharing().host()),
            keys == null ? null : proofs(keys));
    connections =
        new Connections(
            endpoint.mover(),
            this::arrivals,
            socket,
            peers,
            handshake,
            settings,
            own == null ? null : this::beat);
  }

  private static KeyProofs proofs(AuthKeys keys) {
    int[] numbers = IntStream.range(0, keys.count()).map(keys::number).toArray();
    return new KeyProofs(numbers, keys::hmac);
  }

  @Override
  public Connections connections() {
    return connections;
  }

  @Override
  long bound(EarlyMessages early) {
    long window = super.bound(early);
    handshake.room(window);
    return window;
  }

  /** Sends heartbeats, and moves nothing: the memory of messages may be one thread's alone. */
  private void beat() {
    endpoint.beat(connections::beat);
  }

  @Override
  Peer target(long destination) {
    Peer peer = peers.peer(destination);
    connections.checkReachable(peer, destination);
    return peer;
  }

  @Override
  void send(Peer peer, Send filled) {
    // The handle may be another peer's when the connection is lost.
    filled.firewalled = peers.isFirewalled(filled.peer);
    connections.send(peer, filled);
  }

  @Override
  long word(long destination) {
    // As nearly all are: an index and nothing else.
    return destination >>> Handles.GROUP_SHIFT == 0
        ? DeliveryWord.NONE
        : DeliveryWord.of(
            entries.group(destination), naming ? entries.receiveContext(destination) : 0);
  }

  @Override
  PeerDirectory directory() {
    return peers;
  }

  @Override
  void withdraw(TransmitContext closed) {
    connections.withdraw(closed);
  }

  @Override
  public void leaving() {
    try {
      super.leaving();
    } finally {
      peers.forEach(Sender::forgotten);
    }
  }

  @Override
  public void closed() {
    try {
      super.closed();
    } finally {
      if (keys != null) {
        keys.close();
      }
    }
  }

  /** Opens connections to peers before anything is sent to them. */
  @Override
  public void warmUp(long[] handles) {
    endpoint.lock();
    try {
      for (long handle : handles) {
        peers.peer(handle);
      }
      for (long handle : handles) {
        connections.warmUp(handle);
      }
    } finally {
      endpoint.unlock();
    }
  }
}
