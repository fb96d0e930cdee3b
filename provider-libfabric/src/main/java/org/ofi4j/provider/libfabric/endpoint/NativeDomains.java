// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.provider.libfabric.library.NativeDomain;
import org.ofi4j.provider.libfabric.library.NativeFabric;
import org.ofi4j.provider.libfabric.library.NativeInfo;
import org.ofi4j.provider.libfabric.library.NativeRegion;

/**
 * The domains of libfabric behind one domain of ours: one for all endpoints, or one for each where
 * endpoints of one libfabric domain {@linkplain
 * org.ofi4j.provider.libfabric.fault.KnownFaults#disturbEndpoints disturb each other}. Memory is
 * registered in all of them under one key, so that a peer reaches it through any endpoint. The lock
 * of the domain guards all.
 */
final class NativeDomains {
  /** Memory that is registered in all domains. */
  final class Region {
    private final long address;
    private final long length;
    private final long access;
    private final NativeRegion first;
    private final IdentityHashMap<NativeDomain, NativeRegion> others = new IdentityHashMap<>();

    private Region(long address, long length, long access, long key) {
      this.address = address;
      this.length = length;
      this.access = access;
      first = new NativeRegion(NativeDomains.this.first, address, length, access, key);
    }

    /** Returns the registration in the first domain, which decides the key. */
    NativeRegion first() {
      return first;
    }

    private void addTo(NativeDomain domain) {
      others.put(domain, new NativeRegion(domain, address, length, access, first.key()));
    }

    private void removeFrom(NativeDomain domain) {
      NativeRegion removed = others.remove(domain);
      if (removed != null) {
        removed.close();
      }
    }

    /** Ends the registration in all domains. */
    void close() {
      regions.remove(this);
      List.copyOf(others.keySet()).forEach(this::removeFrom);
      first.close();
    }
  }

  private final NativeFabric fabric;
  private final NativeInfo info;
  private final boolean isolated;
  private final NativeDomain first;
  private final List<NativeDomain> others = new ArrayList<>();
  private final List<Region> regions = new ArrayList<>();

  /**
   * Opens the first domain.
   *
   * @param isolated whether each endpoint gets a domain of its own; none is then on the first one
   */
  NativeDomains(NativeFabric fabric, NativeInfo info, boolean isolated) {
    this.fabric = fabric;
    this.info = info;
    this.isolated = isolated;
    first = new NativeDomain(fabric, info);
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
    NativeDomain opened = new NativeDomain(fabric, info);
    others.add(opened);
    try {
      regions.forEach(each -> each.addTo(opened));
      return opened;
    } catch (RuntimeException | Error refused) {
      giveBack(opened);
      throw refused;
    }
  }

  /** Takes back the domain of an endpoint that was closed, with all else that was opened on it. */
  @SuppressWarnings("ReferenceEquality") // a domain is itself and no other
  void giveBack(NativeDomain domain) {
    if (domain != first) {
      others.removeIf(each -> each == domain);
      regions.forEach(each -> each.removeFrom(domain));
      close(domain);
    }
  }

  /**
   * Registers memory in all domains.
   *
   * @throws FabricException with {@link Errno#ENOKEY} if another region has the key
   */
  Region register(long address, long length, long access, long key) {
    Region region = new Region(address, length, access, key);
    try {
      others.forEach(region::addTo);
    } catch (RuntimeException | Error refused) {
      region.close();
      throw refused;
    }
    regions.add(region);
    return region;
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
    fabric.abandon();
  }

  /** Closes the first domain; there is no other one, and nothing is open on it. */
  void close() {
    close(first);
  }
}
