// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.ofi4j.provider.kit.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.PeerCache;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.libfabric.library.NativeDomain;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeVector;
import org.ofi4j.provider.libfabric.memory.OwnedMemory;
import org.ofi4j.provider.libfabric.shm.PeerFile;
import org.ofi4j.provider.libfabric.shm.SharedRegions;

/**
 * The peers of one vector as one domain of libfabric knows them. Our vector is in front, with all
 * that it has; behind it is one of libfabric's, which has only those that are spoken to, and which
 * crashes or reaches another peer where it is asked for a handle that it does not have. So every
 * handle that it gets was given out by it for the very address, and is taken back only when no
 * operation names it.
 *
 * <p>The lock of the domain guards all.
 */
final class NativePeers implements Destinations {
  /** Native handles that may be held before those of removed entries are looked for. */
  private static final int FIRST_SWEEP = 64;

  /** So many peers are always gone through where libfabric refuses one: it may have no room. */
  private static final int FEW = 1_024;

  /** Of more, so many for each that was refused, or refusals would cost ever more. */
  private static final int LOOKS = 64;

  private static final int LONGEST = 4_096 + 8;

  private final DomainResources domain;
  private final NativeDomain on;
  private final VectorPeers front;
  private final boolean eager;
  private final OwnedMemory owned = new OwnedMemory();
  private final MemorySegment packed = owned.allocate(LONGEST, Long.BYTES);
  private final MemorySegment result = owned.allocate(JAVA_LONG);
  private final PeerCache<Peer> cache = new PeerCache<>();
  private final Map<ByteBuffer, Peer> byAddress = new HashMap<>();
  private @Nullable Peer[] byHandle = new @Nullable Peer[FIRST_SWEEP];
  private int inserted;
  private int sweepAt = FIRST_SWEEP;

  /** What libfabric has refused since the last sweep. */
  private long refused;

  private @Nullable NativeVector vector;

  /** The peers in libfabric's vector, where endpoints have regions of shared memory. */
  private SharedRegions.@Nullable Peers known;

  /**
   * Creates the peers of a domain, none at first.
   *
   * @param on the libfabric domain that libfabric's vector is opened on
   * @param front what has the entries
   */
  NativePeers(DomainResources domain, NativeDomain on, VectorPeers front) {
    this.domain = domain;
    this.on = on;
    this.front = front;
    eager = domain.reportsSources;
  }

  private Peers entries() {
    return Objects.requireNonNull(front.entries);
  }

  @Override
  public void bindTo(NativeEndpoint opened) {
    opened.bind(vector(), 0);
  }

  @Override
  public void enabled(byte[] address) {
    Path file = known == null ? null : PeerFile.of(address);
    if (known != null && file != null) {
      SharedRegions.bound(file, known, domain.library);
    }
  }

  @Override
  public void close(NativeEndpoint bound, byte[] address) {
    PeerFile file = known == null ? null : domain.peerFile(address);
    if (known == null || file == null) {
      bound.close();
    } else {
      SharedRegions.close(bound, file.path(), known);
    }
  }

  @Override
  public void abandon() {
    vector().abandon();
  }

  @Override
  public void left() {
    front.left(this);
  }

  /** Libfabric's vector, which endpoints are bound to. */
  private NativeVector vector() {
    NativeVector present = vector;
    if (present == null) {
      present = new NativeVector(on);
      vector = present;
      known = domain.hasRegions ? SharedRegions.openVector() : null;
    }
    return present;
  }

  /** Returns the packed addresses that are known. */
  List<byte[]> addresses() {
    return byAddress.values().stream().map(each -> each.address).toList();
  }

  /**
   * Has libfabric know an address before it is an entry.
   *
   * @throws FabricException if libfabric does not take it
   */
  void admit(byte[] address) {
    Peer peer = peer(address);
    if (peer.handle != Peer.NONE || isClosed(peer)) {
      return;
    }
    try {
      insert(peer);
    } catch (FabricException refused) {
      // An endpoint of this process that has just been closed sends nothing.
      if (!isClosed(peer)) {
        byAddress.remove(ByteBuffer.wrap(address));
        throw refused;
      }
    }
  }

  /**
   * The peer of a handle.
   *
   * @throws FabricException with {@link Errno#EINVAL} if the handle names no entry that messages
   *     can be sent to
   */
  @Override
  public Peer peer(long handle) {
    return peer(handle, true);
  }

  /** As {@link #peer(long)}; a peer that only sends may be behind a firewall. */
  private Peer peer(long handle, boolean reached) {
    Peers present = entries();
    // Before the address is read.
    long changes = present.addressChanges();
    Peer known = cache.get(handle, changes);
    if (known != null) {
      return known;
    }
    int length = present.packedAddress(handle, packed);
    if (length == 0) {
      throw invalid("handle " + handle + " names no entry that can be sent to");
    }
    boolean firewalled = domain.mayConnect() && present.isFirewalled(handle);
    if (firewalled && reached) {
      throw new FabricException(
          Errno.EFIREWALLADDR,
          "the peer of handle %s is behind a firewall, and libfabric does not say whether it has"
                  .formatted(handle)
              + " connected: insert it without FIREWALL_ADDRESS to connect from here");
    }
    Peer last = cache.last(handle);
    Peer peer =
        last != null && last.hasAddress(packed, length)
            ? last
            : peer(packed.asSlice(0, length).toArray(JAVA_BYTE));
    if (!firewalled) {
      // Or it would be found there by who sends.
      cache.put(handle, changes, peer);
    }
    return peer;
  }

  @Override
  public void direct(NativeOperation receive, long handle) {
    // Before the address: if that is replaced meanwhile, the receive is found to be of the old one.
    long generation = entries().generation(handle);
    if (generation < 0) {
      throw invalid(
          "source " + handle + " names no entry: it was never inserted, or has been removed");
    }
    Peer peer = peer(handle, false);
    if (peer.handle == Peer.NONE) {
      insert(peer);
    }
    receive.to = peer;
    peer.outstanding++;
    receive.directed = this;
    receive.generation = generation;
  }

  /** Receives of entries that have gone take nothing any more, whoever gets their address next. */
  @SuppressWarnings("ReferenceEquality") // peers are themselves and no others
  void endDirectedReceives() {
    for (NativeOperation each : domain.contexts.all()) {
      NativeOperation.Owner owner = each.owner;
      if (owner != null
          && !each.ended
          && each.directed == this
          && entries().generation(each.peer) != each.generation) {
        owner.sourceGone(each);
      }
    }
  }

  private Peer peer(byte[] address) {
    return byAddress.computeIfAbsent(
        ByteBuffer.wrap(address), _ -> new Peer(address, domain.peerFile(address)));
  }

  @Override
  public boolean reach(Peer peer) {
    PeerFile file = peer.file;
    if (file != null && !file.isThere()) {
      if (file.isGone()) {
        throw unreachable();
      }
      return false;
    }
    if (peer.handle == Peer.NONE) {
      insert(peer);
    }
    return true;
  }

  private static FabricException unreachable() {
    return new FabricException(
        Errno.EHOSTUNREACH, "the peer is gone: its endpoint was closed, or its process has ended");
  }

  private static boolean isClosed(Peer peer) {
    return peer.file != null && SharedRegions.isClosed(peer.file.path());
  }

  private void insert(Peer peer) {
    // Or a sweep would find no entry of it, which it is going to be.
    peer.outstanding++;
    try {
      insertNow(peer);
    } finally {
      peer.outstanding--;
    }
  }

  private void insertNow(Peer peer) {
    if (inserted >= sweepAt) {
      sweep();
    }
    MemorySegment.copy(peer.address, 0, packed, JAVA_BYTE, 0, peer.address.length);
    NativeVector into = vector();
    Path file = known == null || peer.file == null ? null : peer.file.path();
    // Before libfabric has a pointer to the region of the peer.
    boolean added = known != null && file != null && SharedRegions.add(known, file);
    // The memory of an endpoint that is closed from now on is kept. That of one which was closed
    // before may be another endpoint's by now, and libfabric would still find it by name.
    if (isClosed(peer)) {
      throw unreachable();
    }
    boolean full = known != null && !known.haveSpaceFor(peer.address);
    int count = full ? 0 : into.insert(packed.address(), result.address());
    if (count != 1 && paysForSweep() && sweep() > 0) {
      MemorySegment.copy(peer.address, 0, packed, JAVA_BYTE, 0, peer.address.length);
      count = vector().insert(packed.address(), result.address());
    }
    if (count != 1) {
      if (added && known != null && file != null) {
        SharedRegions.refused(known, file);
      }
      throw new FabricException(
          count < 0 ? Errno.of(-count) : Errno.EADDRNOTAVAIL,
          "libfabric does not take the address: it has %d others%s, or it cannot reach the address"
              .formatted(inserted, known == null ? "" : " (over shm 256 in the vector's life)"));
    }
    long handle = result.get(JAVA_LONG, 0);
    if (handle < 0 || handle > Integer.MAX_VALUE) {
      throw new FabricException(
          Errno.EIO, "libfabric has given handle " + handle + ", which is no index of a table");
    }
    int index = (int) handle;
    if (index >= byHandle.length) {
      byHandle = Arrays.copyOf(byHandle, Math.max(index + 1, 2 * byHandle.length));
    }
    Peer before = byHandle[index];
    if (before != null) {
      giveHandle(before, peer);
    }
    byHandle[index] = peer;
    peer.handle = handle;
    inserted++;
  }

  /**
   * Takes a handle from the peer that has it. With provider {@code shm} before 2.0, libfabric gives
   * one handle to all peers whose files are gone, and then to a peer that is there.
   *
   * @throws FabricException if the peer that has the handle is there, or the other one is gone
   */
  private void giveHandle(Peer from, Peer to) {
    if (to.file != null && to.file.isGoneNow()) {
      // It was closed after it was looked for.
      throw unreachable();
    }
    if (from.file == null || !from.file.isGoneNow()) {
      throw new FabricException(
          Errno.EADDRNOTAVAIL,
          "libfabric has given the handle %d of another peer: nothing is sent to it"
              .formatted(from.handle));
    }
    from.handle = Peer.NONE;
    inserted--;
  }

  private boolean paysForSweep() {
    refused++;
    return domain.forgetsPeers() && byAddress.size() - FEW <= refused * LOOKS;
  }

  /**
   * Has libfabric forget peers that have no entry any more. The last ones go first, because removal
   * in the order of insertion takes some fabrics a search through all.
   *
   * @return how many are forgotten
   */
  private int sweep() {
    List<Peer> gone = new ArrayList<>();
    MessageSource source = new MessageSource();
    for (Peer each : byAddress.values()) {
      if (each.outstanding == 0 && !isEntry(each, source)) {
        if (isForgettable(each)) {
          gone.add(each);
        }
      } else {
        each.goneSince = 0;
      }
    }
    gone.sort(Comparator.<Peer>comparingLong(each -> each.handle).reversed());
    int forgotten = 0;
    for (Peer each : gone) {
      forgotten += forget(each) ? 1 : 0;
      each.close();
      byAddress.remove(ByteBuffer.wrap(each.address));
    }
    cache.clear();
    refused = 0;
    sweepAt = Math.max(FIRST_SWEEP, 2 * inserted);
    return forgotten;
  }

  /**
   * Whether no queue has a message of a peer without entry: the handle is given to another one
   * next, which would be its source.
   */
  private boolean isForgettable(Peer peer) {
    if (peer.handle == Peer.NONE) {
      return true;
    }
    if (!domain.forgetsPeers()) {
      return false;
    }
    if (!eager) {
      return true;
    }
    if (peer.goneSince == 0) {
      peer.goneSince = domain.nextTurn();
      return false;
    }
    return domain.wereEmptySince(peer.goneSince);
  }

  private boolean isEntry(Peer peer, MessageSource source) {
    return front.entries != null
        && entries().findPackedSource(MemorySegment.ofArray(peer.address), source);
  }

  private boolean forget(Peer peer) {
    if (peer.handle == Peer.NONE) {
      return false;
    }
    result.set(JAVA_LONG, 0, peer.handle);
    byHandle[(int) peer.handle] = null;
    peer.handle = Peer.NONE;
    inserted--;
    return vector().remove(result.address()) == 0;
  }

  @Override
  public void source(long handle, MessageSource source) {
    Peer peer = handle >= 0 && handle < byHandle.length ? byHandle[(int) handle] : null;
    if (peer == null || !entries().findPackedSource(MemorySegment.ofArray(peer.address), source)) {
      source.unknown();
    }
  }

  /** Closes libfabric's vector. */
  void close() {
    NativeVector present = vector;
    if (present != null) {
      present.close();
    }
    if (known != null) {
      SharedRegions.closeVector(known);
    }
    byAddress.values().forEach(Peer::close);
    owned.close();
  }
}
