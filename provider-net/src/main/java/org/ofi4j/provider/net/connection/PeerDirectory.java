// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.provider.kit.AuthKeys;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.PeerCache;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.SocketAddressKey;
import org.ofi4j.provider.net.endpoint.LocalSocket;
import org.ofi4j.provider.net.endpoint.SenderAddress;
import org.ofi4j.provider.net.endpoint.TargetAddress;
import org.ofi4j.provider.net.matching.Receive;
import org.ofi4j.provider.net.matching.Sender;
import org.ofi4j.provider.net.matching.Senders;

/**
 * Which peer of an endpoint a handle means, or a host that connects to it. Guarded by the lock of
 * the endpoint.
 */
public final class PeerDirectory {
  private static final int KEY_SHIFT = 16;

  private final Peers entries;
  private final @Nullable AuthKeys keys;
  private final boolean ipv6;
  private final TargetAddress target;
  private final int interfaceIndex;
  private final long ownHigh;
  private final long ownLow;
  private final int ownPort;
  private final Senders<Peer> peers = new Senders<>(this::isMissed);

  // Those that handles lead to which are not behind a firewall.
  private final PeerCache<Peer> cache = new PeerCache<>();
  private long forgotten;
  private final MessageSource found = new MessageSource();
  private final SocketAddressKey key = new SocketAddressKey();
  private final UnaryOperator<Sender> origins;

  /**
   * No peers yet.
   *
   * @param keys the authorization keys under which peers are spoken to; null without such keys
   * @param origins say what stands for a peer, which is the peer itself unless receives are shared
   */
  public PeerDirectory(
      Peers entries,
      @Nullable AuthKeys keys,
      LocalSocket<ServerSocketChannel> socket,
      int interfaceIndex,
      UnaryOperator<Sender> origins) {
    this.entries = entries;
    this.keys = keys;
    this.origins = origins;
    this.interfaceIndex = interfaceIndex;
    ipv6 = socket.isIpv6();
    target = new TargetAddress(entries, ipv6, socket.isDualStack(), interfaceIndex);
    ownPort = socket.name().getPort();
    target.of(socket.name(), ownPort);
    ownHigh = target.high();
    ownLow = target.low();
  }

  Peers entries() {
    return entries;
  }

  /** The peer of a handle; throws if the handle has no address that can be sent to. */
  public Peer peer(long handle) {
    // Before the address is read.
    long changes = entries.addressChanges();
    Peer known = cache.get(handle, changes);
    if (known != null) {
      return known;
    }
    Peer peer = peer(handle, "destination");
    if (!entries.isFirewalled(handle)) {
      cache.put(handle, changes, peer);
    }
    return peer;
  }

  private Peer peer(long handle, String role) {
    if (keys == null) {
      target.resolve(handle, role);
      return peer(Peers.NO_AUTH_KEY);
    }
    int authKey = target.resolveWithKey(handle, role);
    if (!keys.contains(authKey)) {
      throw new FabricException(
          Errno.ENOKEY,
          role
              + " 0x"
              + Long.toHexString(handle)
              + (authKey == Peers.NO_AUTH_KEY
                  ? " has no authorization key, without which no peer is spoken to: insert its"
                      + " address with FI_AUTH_KEY"
                  : " is under an authorization key that the endpoint does not hold: it was"
                      + " inserted after the endpoint was opened, or by other processes"
                      + " only"));
    }
    return peer(authKey);
  }

  /** The peer that connected from a host, and listens on a port of it. */
  Peer peer(InetSocketAddress host, int port, int authKey) {
    target.of(host, port);
    return peer(authKey);
  }

  /** The number of the key of a handle that a receive is directed at. */
  public int authKey(long handle) {
    int authKey = entries.authKeyNumber(handle);
    if (keys == null || !keys.contains(authKey)) {
      throw invalid(
          ("source 0x%x with flag AUTH_KEY is no authorization key that the endpoint holds: it"
                  + " was never inserted, or after the endpoint was opened")
              .formatted(handle));
    }
    return authKey;
  }

  /** The peer of the target address under a key. */
  private Peer peer(int authKey) {
    // A port has 16 bits, and the number of a key fits in the 16 above them.
    long third = target.scopeAndPort() | (authKey + 1L) << KEY_SHIFT;
    Peer found = peers.find(target.high(), target.low(), third);
    return found == null ? add(third, authKey) : found;
  }

  private Peer add(long third, int authKey) {
    InetSocketAddress address = target.toSocketAddress();
    SenderAddress packed = new SenderAddress();
    packed.set(address, ipv6, entries.format(), interfaceIndex, key);
    Peer peer = new Peer(target.high(), target.low(), third, authKey, null, packed);
    Sender origin = origins.apply(peer);
    if (!origin.equals(peer)) {
      peer.standBehind(origin);
    }
    peers.add(peer);
    if (peers.forgotten() != forgotten) {
      forgotten = peers.forgotten();
      cache.clear();
    }
    return peer;
  }

  /** Whether a peer is lost that is in the vector still: its return is to be reported. */
  private boolean isMissed(Peer peer) {
    return peer.reportedLost && peer.find(entries, found);
  }

  /** The peer group that a receive wants, as its source says; throws if there is no such group. */
  public int wantedGroup(long source) {
    if (source >>> Handles.GROUP_SHIFT == 0) {
      return 0;
    }
    int group = entries.group(source);
    if (group < 0) {
      throw invalid("source 0x" + Long.toHexString(source) + entries.unfitting(source));
    }
    return group;
  }

  /** Returns whether the source of a receive names no sender. */
  public boolean isAnySource(long source) {
    return source == Handles.UNSPECIFIED || entries.isAnySource(source);
  }

  /** Returns the generation of the entry that a receive is directed at; see {@link Peers}. */
  public long generation(long source) {
    return entries.generation(source);
  }

  /**
   * The origin that a receive is directed at, or null if the entry means any address.
   *
   * @param generation of the entry, as it was read before
   */
  public @Nullable Sender sender(long handle, long generation) {
    if (generation == Receive.UNDIRECTED) {
      throw invalid(
          "source 0x"
              + Long.toHexString(handle)
              + " names no entry: it was never inserted, or has been removed");
    }
    return target.isAny(handle) ? null : peer(handle, "source").origin;
  }

  /** Whether no connection to a peer can be opened, as the peer or an entry says. */
  boolean isFirewalled(Peer peer, long handle) {
    return peer.firewalled || isFirewalled(handle);
  }

  /** Whether no connection to a peer can be opened, as its entry says. */
  public boolean isFirewalled(long handle) {
    return cache.get(handle, entries.addressChanges()) == null && entries.isFirewalled(handle);
  }

  /** Whether no connection to a peer can be opened, as the peer or its entry says. */
  boolean isFirewalled(Peer peer) {
    found.unknown();
    peer.find(entries, found);
    return peer.firewalled || entries.isFirewalled(found);
  }

  /** Where a peer's address stands to our own: 0 for the same, negative if it is smaller. */
  int compareWithOwn(Peer peer) {
    return ConnectionRules.compare(peer, ownHigh, ownLow, ownPort);
  }

  public void forEach(Consumer<? super Peer> action) {
    peers.forEach(action);
  }
}
