// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.Flag;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Progress;
import org.ofi4j.Threading;
import org.ofi4j.provider.kit.AllocatedMemories;
import org.ofi4j.provider.kit.DirectedReceives;
import org.ofi4j.provider.libfabric.connection.EventReader;
import org.ofi4j.provider.libfabric.fault.KnownFaults;
import org.ofi4j.provider.libfabric.library.Constants;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeFabric;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.NativeQueue;
import org.ofi4j.provider.libfabric.library.NativeRegion;
import org.ofi4j.provider.libfabric.library.Rollback;
import org.ofi4j.provider.libfabric.memory.ContextBlocks;
import org.ofi4j.provider.libfabric.memory.MessageBuffers;
import org.ofi4j.provider.libfabric.offer.NativeOffers;
import org.ofi4j.provider.libfabric.progress.LockedFabric;
import org.ofi4j.provider.libfabric.progress.NativeProgressThread;
import org.ofi4j.provider.libfabric.shm.PeerFile;

/**
 * Shared by all objects on a domain: the lock under which calls are made, the context blocks and
 * memory of operations, the readers of queues, and what is known of the fabric.
 */
final class DomainResources {
  /**
   * The providers over TCP of libfabric, which count accesses with immediate data and no others.
   */
  private static final Set<String> COUNTING_FEW = Set.of("net", "tcp");

  /** The uses of memory of messages. */
  private static final long MESSAGES =
      Flag.maskOf(Access.SEND, Access.RECEIVE, Access.READ, Access.WRITE);

  final Libfabric library;
  final FabricInfo offer;
  final NativeInfo info;

  /** The fabric of the domain with the lock under which all calls of the domain are made. */
  final LockedFabric locked;

  /** The libfabric domains that endpoints are opened on. */
  final NativeDomains domains;

  /** The thread that moves the data of endpoints; null if the application's threads do. */
  final @Nullable NativeProgressThread thread;

  /** Whether completions name the source of messages. */
  final boolean reportsSources;

  /** Whether receives may name their source. */
  final boolean directsReceives;

  /** Whether endpoints have regions of shared memory, each a file. */
  final boolean hasRegions;

  /**
   * Whether queues have descriptors to wait for. Fabrics within a host have none: a message takes
   * less time than a descriptor does to tell of it, which it would have to for each.
   */
  final boolean hasDescriptors;

  /**
   * Whether queues go on looking at endpoints that are closed, when they are asked whether they may
   * be waited for: all releases of {@code ofi_rxm} and {@code ofi_rxd} do, and crash.
   */
  final boolean remembersClosed;

  /** The operations of all endpoints, by their context blocks. */
  final ContextBlocks<NativeOperation> contexts = new ContextBlocks<>(NativeOperation::new);

  private final MessageBuffers buffers = new MessageBuffers(memory -> registered(memory, null));

  /** Memory that is not copied. */
  final AllocatedMemories<NativeMemory> allocated = new AllocatedMemories<>();

  /** The endpoints that are open, by those of the application. */
  private final Map<FabricObject, NativeEndpoint> endpoints = new HashMap<>();

  /** The readers that endpoints report to. */
  final List<CompletionReader> readers = new ArrayList<>();

  /** The number of times that it was asked since when queues are to be empty. */
  private long turn = 1;

  // Opened with the first endpoint; 0 until then, and where none is needed.
  private long discardSink;

  // Opened when the first endpoint that connects is.
  private @Nullable EventReader events;

  DomainResources(Libfabric library, NativeFabric fabric, NativeInfo info, FabricInfo offer) {
    this.library = library;
    this.offer = offer;
    this.info = info;
    boolean automatic = offer.domain().progress() == Progress.AUTO;
    boolean one = offer.domain().threading() == Threading.DOMAIN && !automatic;
    reportsSources = offer.has(Capability.SOURCE);
    directsReceives = DirectedReceives.of(offer).any();
    hasRegions = info.providerName().equals("shm");
    remembersClosed = info.providerName().contains("ofi_rx");
    try (Rollback rollback = new Rollback()) {
      if (connects()) {
        locked = new LockedFabric(new NativeFabric(library, info), one);
        rollback.add(locked.fabric()::close);
      } else {
        locked = new LockedFabric(fabric, one);
      }
      domains = new NativeDomains(locked, info, isIsolated(), toString());
      rollback.add(domains::close);
      hasDescriptors = !hasRegions && NativeQueue.haveDescriptors(domains.first());
      thread = automatic ? new NativeProgressThread(library, offer.domain().name()) : null;
      rollback.keep(this);
    }
  }

  private boolean connects() {
    return info.endpointType() == EndpointType.MSG.number();
  }

  private boolean isIsolated() {
    return mayConnect()
        && KnownFaults.disturbEndpoints(info.providerName())
        && !demands(MemoryRegionMode.LOCAL)
        && !demands(MemoryRegionMode.PROVIDER_KEY);
  }

  // The lock.

  /** Takes the lock under which all calls of the domain are made. */
  LockedFabric.Held lock() {
    return locked.lock();
  }

  void unlock() {
    locked.unlock();
  }

  // Properties of the fabric.

  /** Whether a send may have to connect with the peer: that of a datagram does not. */
  boolean mayConnect() {
    return info.endpointType() == EndpointType.RDM.number();
  }

  /** Whether the fabric demands something of memory. */
  boolean demands(MemoryRegionMode mode) {
    return (info.memoryRegionModes() & mode.mask()) != 0;
  }

  /** Why messages cannot be searched for with some flags; null if they can. */
  @Nullable String searchFault(long flags) {
    return KnownFaults.ofSearches(info.providerName(), library, flags);
  }

  /**
   * Returns whether peers may be removed from vectors of libfabric. With provider {@code shm} they
   * may not: the next peer gets the place of a former one, and messages of the former that no
   * receive has taken yet would be answered in the region of the next. From 2.0 on libfabric also
   * takes the next for connected, and crashes. Where receives name their source, the next one's
   * would be given messages of the former.
   */
  boolean forgetsPeers() {
    return !directsReceives && !hasRegions;
  }

  /**
   * Returns whether an endpoint may be closed only when it has received no part of a message, and
   * reads nothing.
   */
  boolean completesMessages() {
    return domains.areIsolated()
        && KnownFaults.endWithPartialMessages(info.providerName(), library);
  }

  /** Whether libfabric can count what peers do to memory here, for an endpoint. */
  boolean countsAccesses(FabricInfo endpoint) {
    return !COUNTING_FEW.contains(info.providerName())
        && NativeOffers.grants(library, endpoint, Constants.RMA_EVENT);
  }

  /** An address as libfabric packs it. */
  FabricAddress address(byte[] packed) {
    return NativeAddress.of(offer.addressFormat(), packed);
  }

  /** The file of the peer of a packed address; null if the fabric has no files. */
  @Nullable PeerFile peerFile(byte[] address) {
    Path path = hasRegions ? PeerFile.of(address) : null;
    return path == null ? null : new PeerFile(path);
  }

  // Memory of operations.

  /**
   * Returns the memory for the messages of an endpoint: with all others, or by itself if regions
   * are its own.
   */
  MessageBuffers buffers(NativeEndpoint endpoint) {
    return hasBuffersOfItsOwn()
        ? new MessageBuffers(memory -> registered(memory, endpoint))
        : buffers;
  }

  boolean hasBuffersOfItsOwn() {
    return demands(MemoryRegionMode.LOCAL) && demands(MemoryRegionMode.ENDPOINT);
  }

  /** Registers memory that messages go from and to; null where that is not demanded. */
  @Nullable NativeRegion registered(MemorySegment memory, @Nullable NativeEndpoint endpoint) {
    if (!demands(MemoryRegionMode.LOCAL)) {
      return null;
    }
    NativeRegion region =
        new NativeRegion(domains.first(), memory.address(), memory.byteSize(), MESSAGES, 0);
    if (endpoint != null) {
      region.bind(endpoint, 0);
      region.enable();
    }
    return region;
  }

  /**
   * Address for the bytes of messages that do not fit into their receive; 0 if the fabric drops
   * them itself. With the lock held.
   */
  long discardSink() {
    if (discardSink == 0 && KnownFaults.mistakeLongMessages(info.providerName())) {
      discardSink = library.discardSink().open();
    }
    return discardSink;
  }

  // Readers of queues.

  @Nullable Thread mover() {
    return thread == null ? null : thread.mover();
  }

  /** Moves the data of all endpoints; without the lock. */
  void moveAll() {
    List<CompletionReader> all;
    try (var _ = lock()) {
      all = List.copyOf(readers);
    }
    all.forEach(CompletionReader::move);
  }

  /** The present turn, of which queues note that they were empty in it. */
  long turn() {
    return turn;
  }

  /** Begins the next turn; returns the one that is over. */
  long nextTurn() {
    return turn++;
  }

  /** Whether each queue was seen empty after a turn. */
  boolean wereEmptySince(long then) {
    return readers.stream().allMatch(each -> each.emptied() > then);
  }

  /** Reports events of connections. */
  EventReader events() {
    try (var _ = lock()) {
      EventReader present = events;
      if (present == null) {
        present = new EventReader(locked);
        events = present;
      }
      return present;
    }
  }

  // Endpoints.

  /** An endpoint was opened; with the lock held. */
  void opened(FabricObject endpoint, NativeEndpoint opened) {
    endpoints.put(endpoint, opened);
  }

  /** An endpoint is being closed; with the lock held. */
  void closed(FabricObject endpoint) {
    endpoints.remove(endpoint);
  }

  /**
   * The endpoint that memory is registered for, where a fabric has regions of endpoints.
   *
   * @throws FabricException with {@link Errno#EINVAL} if it is not clear which one
   */
  Map.Entry<FabricObject, NativeEndpoint> onlyEndpoint() {
    if (endpoints.size() != 1) {
      throw new FabricException(
          Errno.EINVAL,
          "the fabric registers memory for one endpoint each, and the domain has "
              + endpoints.size()
              + ": open one, then register");
    }
    return endpoints.entrySet().iterator().next();
  }

  void close() {
    if (thread != null) {
      thread.stop();
    }
    try (var _ = lock()) {
      if (events != null) {
        events.close();
      }
      buffers.close();
      domains.close();
      if (discardSink != 0) {
        library.discardSink().close();
        discardSink = 0;
      }
      if (connects()) {
        locked.fabric().close();
      }
      contexts.close();
      info.close();
    }
  }

  @Override
  public String toString() {
    return "domain " + offer.fabric().provider() + " " + offer.domain().name();
  }
}
