package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.net.endpoint.Binding;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.Quietly;
import org.ofi4j.provider.net.endpoint.SocketAddresses;
import org.ofi4j.provider.net.endpoint.Sources;

/**
 * A reliable endpoint that is enabled: it speaks to many peers, and connections come and go by
 * themselves.
 */
final class RdmTraffic extends MessageTraffic {
  private final PeerDirectory peers;
  private final Connections connections;

  /**
   * Opens an endpoint.
   *
   * @param transmit what sends are reported to, or null for an endpoint that only receives
   * @param receive what receives are reported to, or null for one that only sends
   * @param timeout how long sends wait for a connection, in nanoseconds
   */
  static RdmTraffic open(
      EndpointDomain domain,
      FabricInfo info,
      CoreAddressVector vector,
      @Nullable Binding transmit,
      @Nullable Binding receive,
      long timeout) {
    boolean automatic = domain.progressThread() != null;
    Selector own = null;
    try {
      own = automatic ? null : Selector.open();
      return new RdmTraffic(
          domain,
          info,
          vector,
          transmit,
          receive,
          own,
          Listener.socket(info, domain.info()),
          timeout);
    } catch (IOException failed) {
      throw new FabricException(
          Errno.ENOMEM,
          "no selector for the endpoint: " + failed + "; raise the limit of open files",
          failed);
    } catch (FabricException noAddress) {
      Quietly.close(own);
      throw noAddress;
    }
  }

  private RdmTraffic(
      EndpointDomain domain,
      FabricInfo info,
      CoreAddressVector vector,
      @Nullable Binding transmit,
      @Nullable Binding receive,
      @Nullable Selector own,
      LocalSocket<ServerSocketChannel> socket,
      long timeout) {
    super(
        SocketAddresses.inFormat(socket.name(), info.addressFormat()),
        Binding.engines(transmit, receive),
        transmit == null ? null : new TransmitContext(transmit, info.transmit().size()),
        receive == null
            ? null
            : new ReceiveContext(
                receive,
                vector,
                Sources.of(info),
                info.receive().size(),
                DirectedReceives.of(info).any()),
        Binding.counters(transmit, receive),
        domain.regions(),
        info,
        own);
    Listener listener = new Listener(readiness(), socket, this::accept);
    peers = new PeerDirectory(vector, socket, EndpointAddress.interfaceIndex(domain.info()));
    connections =
        new Connections(
            mover(),
            arrivals(),
            readiness(),
            listener,
            peers,
            rejections(),
            domain.staging(),
            timeout);
    listener.goOn();
  }

  @Override
  Connections connections() {
    return connections;
  }

  private void accept() {
    connections.accept();
  }

  @Override
  Peer target(long destination) {
    Peer peer = peers.peer(destination);
    connections.checkReachable(peer, destination);
    return peer;
  }

  @Override
  void send(Peer peer, Send filled) {
    connections.send(peer, filled);
  }

  @Override
  long life(long source) {
    return peers.life(source);
  }

  @Override
  @Nullable Peer sender(long source, long life) {
    return peers.sender(source, life);
  }

  /** Opens connections to peers before anything is sent to them. */
  void warmUp(long[] handles) {
    lock();
    try {
      for (long handle : handles) {
        peers.peer(handle);
      }
      for (long handle : handles) {
        connections.warmUp(handle);
      }
    } finally {
      unlock();
    }
  }
}
