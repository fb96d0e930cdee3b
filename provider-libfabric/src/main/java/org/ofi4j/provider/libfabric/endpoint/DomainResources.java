// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricException;
import org.ofi4j.Flag;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.provider.libfabric.connection.EventReader;
import org.ofi4j.provider.libfabric.fault.EndpointIsolation;
import org.ofi4j.provider.libfabric.fault.OverlongMessages;
import org.ofi4j.provider.libfabric.fault.PartialMessages;
import org.ofi4j.provider.libfabric.fault.Searches;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeFabric;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.NativeRegion;
import org.ofi4j.provider.libfabric.memory.ContextBlocks;
import org.ofi4j.provider.libfabric.memory.MessageBuffers;
import org.ofi4j.provider.libfabric.memory.MessageBuffers.Registration;
import org.ofi4j.provider.libfabric.progress.LockedFabric;
import org.ofi4j.provider.libfabric.progress.QueueReader;
import org.ofi4j.provider.libfabric.shm.PeerFile;

/**
 * What everything on one domain works with: libfabric's domain, the lock under which all calls of
 * it are made, and the memory that messages and operations take.
 *
 * <p>libfabric is told that calls are made one at a time ({@code FI_THREAD_DOMAIN}), and leaves its
 * own locks out.
 */
public final class DomainResources {
  /** The most pieces of memory that one operation may have, which are copied together. */
  public static final int MOST_PIECES = 16;

  /** The most places in remote memory that one operation may reach. */
  public static final int MOST_PLACES = 4;

  /** What memory of messages is used for. */
  private static final long MESSAGES =
      Flag.maskOf(Access.SEND, Access.RECEIVE, Access.READ, Access.WRITE);

  /**
   * Fabrics within a host, where a message takes less time than a descriptor does to tell of it,
   * which it would have to for each.
   */
  private final LockedFabric locked;

  private final Libfabric library;
  private final NativeInfo info;
  private final NativeDomains domains;
  private final long memoryRegionModes;
  private final int dataSize;
  private final boolean reportsSources;
  private final boolean directsReceives;
  private final boolean hasRegions;
  private final boolean forgetsPeers;
  private final boolean hasDescriptors;
  private final OpenReaders readers = new OpenReaders();
  private final OpenEndpoints endpoints = new OpenEndpoints();
  private final AllocatedMemories allocated = new AllocatedMemories();
  private final boolean remembersClosed;
  private final ContextBlocks<Operation> contexts = new ContextBlocks<>(Operation::new);
  private final MessageBuffers buffers = new MessageBuffers(memory -> registered(memory, null));

  // Opened with the first endpoint; 0 until then, and where none is needed.
  private long discardSink;

  // Opened when the first endpoint that connects is.
  private @Nullable EventReader events;

  /**
   * Opens libfabric's domain, on a fabric of its own if its endpoints connect: reading an event
   * queue moves all that is on its fabric, and only this lock is held then.
   *
   * @param info what to open; closed with this
   * @param reportsSources whether completions name the source of messages
   * @param directsReceives whether receives may name their source
   */
  public DomainResources(
      Libfabric library,
      NativeFabric fabric,
      NativeInfo info,
      boolean reportsSources,
      boolean directsReceives) {
    this.library = library;
    NativeFabric own = connects(info) ? NativeFabric.open(library, info) : fabric;
    locked = new LockedFabric(own, new ReentrantLock());
    this.info = info;
    this.reportsSources = reportsSources;
    this.directsReceives = directsReceives;
    memoryRegionModes = info.memoryRegionModes();
    dataSize = info.dataSize();
    domains = openDomains();
    hasRegions = info.providerName().equals("shm");
    hasDescriptors = !hasRegions && domains.first().hasDescriptors();
    remembersClosed = info.providerName().contains("ofi_rx");
    forgetsPeers = !directsReceives && !hasRegions;
  }

  /**
   * Returns whether peers may be removed from vectors of libfabric. With provider {@code shm} they
   * may not: the next peer gets the place of a former one, and messages of the former that no
   * receive has taken yet would be answered in the region of the next. From 2.0 on libfabric also
   * takes the next for connected, and crashes. Where receives name their source, the next one's
   * would be given messages of the former.
   */
  boolean forgetsPeers() {
    return forgetsPeers;
  }

  private NativeDomains openDomains() {
    boolean isolated =
        mayConnect()
            && EndpointIsolation.isNeeded(info.providerName())
            && !demands(MemoryRegionMode.LOCAL)
            && !demands(MemoryRegionMode.PROVIDER_KEY);
    try {
      return new NativeDomains(locked.fabric(), info, isolated);
    } catch (FabricException refused) {
      if (connects(info)) {
        locked.fabric().close();
      }
      throw refused;
    }
  }

  private static boolean connects(NativeInfo info) {
    return info.endpointType() == EndpointType.MSG.number();
  }

  ReentrantLock lock() {
    return locked.lock();
  }

  LockedFabric locked() {
    return locked;
  }

  public Libfabric library() {
    return library;
  }

  /** Returns the libfabric domains that endpoints are opened on. */
  NativeDomains domains() {
    return domains;
  }

  NativeInfo info() {
    return info;
  }

  /** Whether completions name the source of messages. */
  public boolean reportsSources() {
    return reportsSources;
  }

  /** Whether receives may name their source. */
  public boolean directsReceives() {
    return directsReceives;
  }

  /** What is wrong with a search for messages, in words; null if there is nothing. */
  @Nullable String searchFault(long flags) {
    return Searches.fault(info.providerName(), library, flags);
  }

  /** How many bytes of immediate data messages carry. */
  public int dataSize() {
    return dataSize;
  }

  /** Whether queues have descriptors to wait for. */
  boolean hasDescriptors() {
    return hasDescriptors;
  }

  /**
   * Whether queues go on looking at endpoints that are closed, when they are asked whether they may
   * be waited for: all releases of {@code ofi_rxm} and {@code ofi_rxd} do, and crash.
   */
  boolean remembersClosed() {
    return remembersClosed;
  }

  /**
   * Returns whether an endpoint may be closed only when it has received no part of a message, and
   * reads nothing.
   */
  boolean completesMessages() {
    return domains.areIsolated() && PartialMessages.endProcess(info.providerName(), library);
  }

  /** Moves the data of all endpoints; without the lock. */
  void moveAll() {
    List<QueueReader> all;
    locked.lock().lock();
    try {
      all = readers.open();
    } finally {
      locked.lock().unlock();
    }
    all.forEach(QueueReader::move);
  }

  /** Whether a send may have to connect with the peer: that of a datagram does not. */
  boolean mayConnect() {
    return info.endpointType() == EndpointType.RDM.number();
  }

  /** Whether endpoints have regions of shared memory, each a file. */
  boolean hasRegions() {
    return hasRegions;
  }

  /** The file of the peer of a packed address; null if the fabric has no files. */
  @Nullable PeerFile peerFile(byte[] address) {
    Path path = hasRegions ? PeerFile.of(address) : null;
    return path == null ? null : new PeerFile(path, library.sharedFiles());
  }

  /** Memory that is not copied. */
  AllocatedMemories allocated() {
    return allocated;
  }

  /** Registers memory that messages go from and to; null where that is not demanded. */
  @Nullable Registration registered(MemorySegment memory) {
    return registered(memory, null);
  }

  /**
   * Address for the bytes of messages that do not fit into their receive; 0 if the fabric drops
   * them itself. With the lock held.
   */
  long discardSink() {
    if (discardSink == 0 && OverlongMessages.needSink(info.providerName())) {
      discardSink = library.discardSink().open();
    }
    return discardSink;
  }

  /** When queues were seen empty. */
  OpenReaders readers() {
    return readers;
  }

  /** What tells of connections. */
  EventReader events() {
    locked.lock().lock();
    try {
      EventReader present = events;
      if (present == null) {
        present = new EventReader(locked);
        events = present;
      }
      return present;
    } finally {
      locked.lock().unlock();
    }
  }

  /** The endpoints that are open. */
  OpenEndpoints endpoints() {
    return endpoints;
  }

  ContextBlocks<Operation> contexts() {
    return contexts;
  }

  /** Whether the fabric demands something of memory. */
  boolean demands(MemoryRegionMode mode) {
    return (memoryRegionModes & mode.mask()) != 0;
  }

  /** Where an endpoint has its messages: with all others, or by itself if regions are its own. */
  MessageBuffers buffers(NativeEndpoint endpoint) {
    return hasBuffersOfItsOwn()
        ? new MessageBuffers(memory -> registered(memory, endpoint))
        : buffers;
  }

  boolean hasBuffersOfItsOwn() {
    return demands(MemoryRegionMode.LOCAL) && demands(MemoryRegionMode.ENDPOINT);
  }

  private @Nullable Registration registered(
      MemorySegment memory, @Nullable NativeEndpoint endpoint) {
    if (!demands(MemoryRegionMode.LOCAL)) {
      return null;
    }
    NativeRegion region =
        domains.first().register(memory.address(), memory.byteSize(), MESSAGES, 0);
    if (endpoint != null) {
      region.bind(endpoint, 0);
      region.enable();
    }
    return new Registration() {
      @Override
      public long descriptor() {
        return region.descriptor();
      }

      @Override
      public void close() {
        region.close();
      }
    };
  }

  /** Closes libfabric's domain. Nothing is open on it any more. */
  public void close() {
    locked.lock().lock();
    try {
      if (events != null) {
        events.close();
      }
      buffers.close();
      domains.close();
      if (discardSink != 0) {
        library.discardSink().close();
        discardSink = 0;
      }
      if (connects(info)) {
        locked.fabric().close();
      }
      contexts.close();
      info.close();
    } finally {
      locked.lock().unlock();
    }
  }
}
