package org.ofi4j.provider.net.tcp;

import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.SenderAddress;
import org.ofi4j.provider.net.endpoint.TargetAddress;

/**
 * Which peer of an endpoint a handle means, or a host that connects to it. Guarded by the lock of
 * the endpoint.
 */
final class PeerDirectory {
  private final CoreAddressVector vector;
  private final boolean ipv6;
  private final TargetAddress target;
  private final int interfaceIndex;
  private final long ownHigh;
  private final long ownLow;
  private final int ownPort;
  private final Peers peers = new Peers();
  private final AddressKey key = new AddressKey();

  PeerDirectory(
      CoreAddressVector vector, LocalSocket<ServerSocketChannel> socket, int interfaceIndex) {
    this.vector = vector;
    this.interfaceIndex = interfaceIndex;
    ipv6 = socket.isIpv6();
    target = new TargetAddress(vector, ipv6, socket.isDualStack(), interfaceIndex);
    ownPort = socket.name().getPort();
    target.of(socket.name(), ownPort);
    ownHigh = target.high();
    ownLow = target.low();
  }

  /** The peer of a handle; throws if the handle has no address that can be sent to. */
  Peer peer(long handle) {
    target.resolve(handle);
    return peer();
  }

  /** The peer that connected from a host, and listens on a port of it. */
  Peer peer(InetSocketAddress host, int port) {
    target.of(host, port);
    return peer();
  }

  /** The peer of the target address. */
  private Peer peer() {
    Peer found = peers.find(target.high(), target.low(), target.scopeAndPort());
    return found == null ? add() : found;
  }

  private Peer add() {
    InetSocketAddress address = target.toSocketAddress();
    SenderAddress packed = new SenderAddress();
    packed.set(address, ipv6, vector.format(), interfaceIndex, key);
    Peer peer = new Peer(target.high(), target.low(), target.scopeAndPort(), address, packed);
    peers.add(peer);
    return peer;
  }

  /** Which life the entry of a handle has; negative if there is none. */
  long life(long handle) {
    return vector.life(handle);
  }

  /**
   * The peer that a receive is directed at, or null if the entry means any address.
   *
   * @param life of the entry, as it was read before
   */
  @Nullable Peer sender(long handle, long life) {
    if (life == Receive.UNDIRECTED) {
      throw new FabricException(
          Errno.EINVAL,
          "source 0x"
              + Long.toHexString(handle)
              + " names no entry: it was never inserted, or has been removed");
    }
    return target.isAny(handle) ? null : peer(handle);
  }

  /** Whether no connection to a peer can be opened, as the peer or an entry says. */
  boolean isFirewalled(Peer peer, long handle) {
    return peer.firewalled || vector.isFirewalled(handle);
  }

  /** Where a peer's address stands to our own: 0 for the same, negative if it is smaller. */
  int compareWithOwn(Peer peer) {
    return ConnectionRules.compare(peer, ownHigh, ownLow, ownPort);
  }

  void forEach(Consumer<? super Peer> action) {
    peers.forEach(action);
  }
}
