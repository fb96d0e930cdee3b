// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;
import static org.ofi4j.provider.kit.Misuse.unsupported;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.Handles;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.RegisterOptions;
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.kit.DirectedReceives;
import org.ofi4j.provider.kit.DomainTransport;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.KitRegion;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.kit.Transport;
import org.ofi4j.provider.libfabric.connection.NativeConnectionRequest;
import org.ofi4j.provider.libfabric.fault.KnownFaults;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.NativeAddress;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeFabric;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.Rollback;
import org.ofi4j.provider.libfabric.offer.NativeOffers;
import org.ofi4j.provider.libfabric.progress.LockedFabric;
import org.ofi4j.provider.libfabric.progress.NativeProgress;
import org.ofi4j.spi.FabricPeers;
import org.ofi4j.spi.ProgressEngine;

/** A domain of libfabric: opens what is on it, and refuses what the fabric cannot do. */
public final class LibfabricDomain implements DomainTransport {
  private static final SecureRandom RANDOM = new SecureRandom();

  /** How often to try another key that another region has already. */
  private static final int TRIES = 16;

  private final DomainResources resources;

  private LibfabricDomain(DomainResources resources) {
    this.resources = resources;
  }

  /**
   * Opens a domain, on a fabric of its own if its endpoints connect: reading an event queue moves
   * all that is on its fabric, and only the lock of this domain is held then.
   */
  public static LibfabricDomain open(Libfabric library, NativeFabric fabric, FabricInfo offer) {
    NativeInfo found = NativeOffers.find(library, offer);
    try (Rollback rollback = new Rollback()) {
      rollback.add(found::close);
      KnownFaults.checkProtection(found.providerName(), offer);
      return rollback.keep(new LibfabricDomain(new DomainResources(library, fabric, found, offer)));
    }
  }

  /** Returns the fabric of the domain with the lock. */
  public LockedFabric locked() {
    return resources.locked;
  }

  @Override
  public int dataSize() {
    return resources.info.dataSize();
  }

  @Override
  public int maxQueueSize() {
    return NativeOffers.MAX_QUEUE_SIZE;
  }

  @Override
  public ProgressEngine openProgress(int entries) {
    try (Rollback rollback = new Rollback()) {
      CompletionReader reader = null;
      if (entries != 0 && !resources.domains.areIsolated()) {
        reader = new CompletionReader(resources, resources.domains.first(), entries);
        rollback.add(reader::close);
      }
      return rollback.keep(
          new NativeProgress(resources.library, resources.thread, entries, reader));
    }
  }

  @Override
  public @Nullable Thread mover() {
    return resources.mover();
  }

  /** Messages are copied in the call that posts them, or read by libfabric. */
  @Override
  public @Nullable Thread reader() {
    return null;
  }

  @Override
  public FabricPeers peers(VectorOptions options) {
    if (options.name() != null && resources.reportsSources) {
      throw unsupported(NativeOffers.SHARED_SOURCES + ": open the domain without SOURCE");
    }
    if (options.name() != null && resources.directsReceives) {
      throw unsupported(
          NativeOffers.SHARED_DIRECTED + ": open the domain without DIRECTED_RECEIVE");
    }
    return new VectorPeers(resources);
  }

  @Override
  public void opened(Peers peers) {
    ((VectorPeers) peers.fabricPeers()).attach(peers);
  }

  @Override
  public TransferMemory allocate(Domain domain, long bytes) {
    return new NativeMemory(
        domain,
        resources.locked,
        resources.allocated,
        memory -> resources.registered(memory, null),
        bytes);
  }

  /**
   * Registers memory that peers reach. It must last until the region is closed, because fabrics
   * access it whenever peers want: so it is of the domain's own, of the global arena, or promised
   * to last.
   */
  @Override
  public MemoryRegion register(Domain domain, MemorySegment memory, RegisterOptions options) {
    if (!resources.offer.has(Capability.RMA)) {
      throw unsupported(domain + " has no remote access to memory: ask for capability RMA");
    }
    MemorySegment given = PostedMemory.registrable(memory, options, resources.mover());
    if (options.key().isPresent() && resources.demands(MemoryRegionMode.PROVIDER_KEY)) {
      throw invalid("%s chooses the keys of memory itself: leave the key out".formatted(domain));
    }
    try (var _ = resources.lock()) {
      NativeMemory own =
          given.isNative() ? resources.allocated.find(given.address(), given.byteSize()) : null;
      checkLasts(given, own, options);
      Map.Entry<FabricObject, NativeEndpoint> only =
          resources.demands(MemoryRegionMode.ENDPOINT) ? resources.onlyEndpoint() : null;
      NativeDomains.Region registered =
          register(given, options, only == null ? null : only.getValue());
      return new KitRegion(
          domain, given, options, registered, own, only == null ? null : only.getKey());
    }
  }

  private static void checkLasts(
      MemorySegment memory, @Nullable NativeMemory own, RegisterOptions options) {
    if (!memory.isNative()) {
      throw invalid("memory of the Java heap moves: allocate it with the domain");
    }
    if (own == null && !options.lasting() && !memory.scope().equals(Arena.global().scope())) {
      throw invalid(
          "memory that may be freed while peers access it: allocate it with the domain, or promise"
              + " that it lasts (withLastingMemory)");
    }
  }

  private NativeDomains.Region register(
      MemorySegment memory, RegisterOptions options, @Nullable NativeEndpoint endpoint) {
    boolean given = options.key().isPresent() || resources.demands(MemoryRegionMode.PROVIDER_KEY);
    for (int tries = 1; ; tries++) {
      long key = given ? options.key().orElse(0) : randomKey();
      try {
        return resources.domains.register(
            memory.address(), memory.byteSize(), options.access(), key, endpoint);
      } catch (FabricException taken) {
        if (given || taken.errno() != Errno.ENOKEY || tries == TRIES) {
          throw taken;
        }
      }
    }
  }

  /** Keys are all that keeps strangers from the memory, so they must not be guessed. */
  private long randomKey() {
    int bytes = Math.clamp(resources.info.memoryRegionKeySize(), 1, Long.BYTES);
    long key;
    do {
      key = RANDOM.nextLong() >>> (Long.SIZE - Byte.SIZE * bytes);
    } while (key == Handles.KEY_NOT_AVAILABLE);
    return key;
  }

  @Override
  public void check(FabricInfo endpoint) {
    KnownFaults.checkProtection(resources.info.providerName(), endpoint);
    if (DirectedReceives.of(endpoint).any() && !resources.directsReceives) {
      throw invalid("the domain was opened without DIRECTED_RECEIVE: its endpoints cannot have it");
    }
    FabricAddress source = endpoint.source();
    if (source != null) {
      NativeAddress.checkFormat(source, endpoint.addressFormat(), "the information");
    }
  }

  @Override
  public Transport open(EndpointOpening opening) {
    NativeTransport.check(resources, opening);
    if (opening.info().endpoint().type() == EndpointType.MSG) {
      return NativeConnection.open(resources, opening, Objects.requireNonNull(opening.events()));
    }
    VectorPeers peers = (VectorPeers) opening.peers().fabricPeers();
    return NativeTransport.open(
        resources,
        opening,
        NativeTransport.asked(resources, opening.info()),
        peers::on,
        NativeTransport.engines(opening),
        TimeUnit.NANOSECONDS.convert(opening.connections().connectTimeout()));
  }

  @Override
  public void refuse(ConnectionHandle request) {
    if (request instanceof NativeConnectionRequest wanted && wanted.tryClaim()) {
      wanted.giveUp();
    }
  }

  @Override
  public void close() {
    resources.close();
  }

  @Override
  public String toString() {
    return resources.toString();
  }
}
