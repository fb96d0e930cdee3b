// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.RemotePlace;
import org.ofi4j.provider.kit.RegionTransport;
import org.ofi4j.provider.libfabric.library.NativeDomain;
import org.ofi4j.provider.libfabric.library.NativeEndpoint;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.NativeRegion;
import org.ofi4j.provider.libfabric.library.Rollback;
import org.ofi4j.provider.libfabric.progress.LockedFabric;

/**
 * The domains of libfabric behind one domain of ours: one for all endpoints, or one for each where
 * endpoints of one libfabric domain {@linkplain
 * org.ofi4j.provider.libfabric.fault.KnownFaults#disturbEndpoints disturb each other}. Memory is
 * registered in all of them under one key, so that a peer reaches it through any endpoint. The lock
 * of the domain guards all.
 */
final class NativeDomains {
  /** Memory that is registered in all domains. */
  final class Region implements RegionTransport {
    private final long address;
    private final long length;
    private final long access;
    private final NativeRegion first;

    // Read when the region is closed, too.
    private final RemotePlace place;
    private final IdentityHashMap<NativeDomain, NativeRegion> others = new IdentityHashMap<>();

    private Region(
        long address, long length, long access, long key, @Nullable NativeEndpoint endpoint) {
      this.address = address;
      this.length = length;
      this.access = access;
      boolean virtual = (info.memoryRegionModes() & MemoryRegionMode.VIRTUAL_ADDRESS.mask()) != 0;
      try (Rollback rollback = new Rollback()) {
        first = new NativeRegion(NativeDomains.this.first, address, length, access, key);
        rollback.add(first::close);
        if (endpoint != null) {
          first.bind(endpoint, 0);
          first.enable();
        }
        // Some fabrics choose the key when the region is enabled.
        place = new RemotePlace(virtual ? address : 0, length, first.key());
        rollback.keep(this);
      }
    }

    private void addTo(NativeDomain domain) {
      others.put(domain, new NativeRegion(domain, address, length, access, key()));
    }

    private void removeFrom(NativeDomain domain) {
      NativeRegion removed = others.remove(domain);
      if (removed != null) {
        removed.close();
      }
    }

    @Override
    public long key() {
      return place.key();
    }

    @Override
    public RemotePlace place() {
      return place;
    }

    /** Ends the registration in all domains. */
    @Override
    public void close() {
      try (var _ = locked.lock()) {
        regions.remove(this);
        List.copyOf(others.keySet()).forEach(this::removeFrom);
        first.close();
      }
    }

    @Override
    public String toString() {
      return "memory region of " + length + " bytes of " + name;
    }
  }

  private final LockedFabric locked;
  private final NativeInfo info;
  private final boolean isolated;
  private final String name;
  private final NativeDomain first;
  private final List<NativeDomain> others = new ArrayList<>();
  private final List<Region> regions = new ArrayList<>();

  /**
   * Opens the first domain.
   *
   * @param name the domain in words
   * @param isolated whether each endpoint gets a domain of its own; none is then on the first one
   */
  NativeDomains(LockedFabric locked, NativeInfo info, boolean isolated, String name) {
    this.locked = locked;
    this.name = name;
    this.info = info;
    this.isolated = isolated;
    first = new NativeDomain(locked.fabric(), info);
  }

  /** Returns whether each endpoint has a libfabric domain, queues and a vector of its own. */
  boolean areIsolated() {
    return isolated;
  }

  NativeDomain first() {
    return first;
  }

  /** Returns the domain for an endpoint that is about to be opened. */
  NativeDomain take() {
    if (!isolated) {
      return first;
    }
    NativeDomain opened = new NativeDomain(locked.fabric(), info);
    others.add(opened);
    try (Rollback rollback = new Rollback()) {
      rollback.add(() -> giveBack(opened));
      regions.forEach(each -> each.addTo(opened));
      return rollback.keep(opened);
    }
  }

  /** Takes back the domain of an endpoint that was closed, with all else that was opened on it. */
  void giveBack(NativeDomain domain) {
    if (others.remove(domain)) {
      regions.forEach(each -> each.removeFrom(domain));
      close(domain);
    }
  }

  /**
   * Registers memory in all domains.
   *
   * @param endpoint the endpoint that the memory is registered for; null for all of the domain
   * @throws FabricException with {@link Errno#ENOKEY} if another region has the key
   */
  Region register(
      long address, long length, long access, long key, @Nullable NativeEndpoint endpoint) {
    Region region = new Region(address, length, access, key, endpoint);
    try (Rollback rollback = new Rollback()) {
      rollback.add(region::close);
      others.forEach(region::addTo);
      regions.add(region);
      return rollback.keep(region);
    }
  }

  /**
   * Closes a domain, unless an endpoint was closed with large sends pending: all releases of {@code
   * ofi_rxm} leave the registrations of those open and refuse to close the domain. A second attempt
   * would free memory twice. The domain and its fabric are then left open.
   */
  private void close(NativeDomain domain) {
    try {
      domain.close();
    } catch (FabricException refused) {
      if (!info.providerName().contains("ofi_rxm") || refused.errno() != Errno.EBUSY) {
        throw refused;
      }
      abandon(domain);
    }
  }

  /** Leaves a domain open in libfabric for ever, and so the fabric. */
  void abandon(NativeDomain domain) {
    domain.abandon();
    locked.fabric().abandon();
  }

  /** Closes the first domain; there is no other one, and nothing is open on it. */
  void close() {
    close(first);
  }
}
