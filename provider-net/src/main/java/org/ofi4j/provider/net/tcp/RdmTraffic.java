package org.ofi4j.provider.net.tcp;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Handles;
import org.ofi4j.TransferFlag;
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
final class RdmTraffic extends TcpTraffic {
  private static final long MULTI_RECEIVE = TransferFlag.MULTI_RECEIVE.mask();

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
        transmit,
        receive,
        transmit == null ? null : new TransmitContext(transmit, info.transmit().size()),
        receive == null
            ? null
            : new ReceiveContext(
                receive,
                vector,
                Sources.of(info),
                info.receive().size(),
                DirectedReceives.of(info).any()),
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

  /**
   * Sends a message.
   *
   * @param message the message
   * @param parts what it is gathered from instead, if there are any
   * @param operation {@link FrameHeader#MESSAGE} or {@link FrameHeader#TAGGED}
   * @param frameFlags flags of the frame
   */
  void send(
      TransmitContext from,
      MemorySegment message,
      MemorySegment @Nullable [] parts,
      int operation,
      int frameFlags,
      long data,
      long tag,
      long destination,
      @Nullable Object context,
      boolean silent,
      boolean inject,
      boolean more) {
    lock();
    try {
      Peer peer = reachable(destination);
      Send send = from.take(operation);
      send.set(message, parts, frameFlags, data, tag);
      send.context = context;
      send.silent = silent;
      send.more = more;
      send.inject = inject;
      post(send, peer, destination);
    } finally {
      unlock();
    }
  }

  /**
   * Reads or writes memory of a peer.
   *
   * @param local takes the bytes, or has them
   * @param parts do it instead, if there are any
   * @param operation {@link FrameHeader#READ_REQUEST} or {@link FrameHeader#WRITE}
   * @param frameFlags flags of the frame
   */
  void access(
      TransmitContext from,
      MemorySegment local,
      MemorySegment @Nullable [] parts,
      int operation,
      int frameFlags,
      long data,
      long destination,
      long address,
      long key,
      @Nullable Object context,
      boolean silent,
      boolean inject) {
    lock();
    try {
      Peer peer = reachable(destination);
      Send send = from.take(operation);
      send.set(local, parts, frameFlags, data, 0);
      send.reach(address, key);
      send.context = context;
      send.silent = silent;
      send.inject = inject;
      post(send, peer, destination);
    } finally {
      unlock();
    }
  }

  private Peer reachable(long destination) {
    Peer peer = peers.peer(destination);
    connections.checkReachable(peer, destination);
    return peer;
  }

  private void post(Send send, Peer peer, long destination) {
    send.destination = destination;
    connections.send(peer, send);
    if (send.inject) {
      send.keep();
    }
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

  /**
   * Posts a buffer for a message, or for several ones, or asks for one that has come.
   *
   * @param buffer takes the message
   * @param parts take it instead, one after the other, if there are any
   * @param source the handle of the only sender, or {@link Handles#UNSPECIFIED}
   * @param flags bits of {@link TransferFlag}
   */
  void receive(
      ReceiveContext into,
      MemorySegment buffer,
      MemorySegment @Nullable [] parts,
      boolean tagged,
      long source,
      long tag,
      long ignore,
      @Nullable Object context,
      boolean silent,
      long flags) {
    lock();
    try {
      long life = Receive.UNDIRECTED;
      Peer sender = null;
      if (source != Handles.UNSPECIFIED) {
        life = peers.life(source);
        sender = peers.sender(source, life);
      }
      Receive receive = into.take(tagged);
      receive.set(buffer, parts, tag, ignore);
      receive.direct(source, life, sender);
      receive.context = context;
      receive.silent = silent;
      receive.several = (flags & MULTI_RECEIVE) != 0;
      post(receive, flags);
    } finally {
      unlock();
    }
  }
}
