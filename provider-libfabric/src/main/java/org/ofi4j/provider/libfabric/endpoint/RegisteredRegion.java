// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.provider.kit.Misuse.invalid;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.Handles;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.RegisterOptions;
import org.ofi4j.RemotePlace;
import org.ofi4j.provider.kit.KitRegion;
import org.ofi4j.provider.kit.PostedMemory;
import org.ofi4j.provider.kit.RegionTransport;

/**
 * Memory that peers reach. It must last until the region is closed, because fabrics access it
 * whenever peers want: so it is of the domain's own, of the global arena, or promised to last.
 */
final class RegisteredRegion implements RegionTransport {
  private static final SecureRandom RANDOM = new SecureRandom();

  /** How often to try another key that another region has already. */
  private static final int TRIES = 16;

  private final DomainResources domain;
  private final NativeDomains.Region region;
  private final RemotePlace place;

  private RegisteredRegion(
      DomainResources domain, MemorySegment memory, NativeDomains.Region region) {
    this.domain = domain;
    this.region = region;
    boolean virtual = domain.demands(MemoryRegionMode.VIRTUAL_ADDRESS);
    place =
        new RemotePlace(virtual ? memory.address() : 0, memory.byteSize(), region.first().key());
  }

  /**
   * Registers memory.
   *
   * @throws FabricException with {@link Errno#EINVAL} for memory that may be freed while the region
   *     is open, and as {@link org.ofi4j.Domain#register}
   */
  static MemoryRegion open(
      Domain kit, DomainResources domain, MemorySegment memory, RegisterOptions options) {
    MemorySegment given = PostedMemory.registrable(memory, options, domain.mover());
    if (options.key().isPresent() && domain.demands(MemoryRegionMode.PROVIDER_KEY)) {
      throw invalid("%s chooses the keys of memory itself: leave the key out".formatted(kit));
    }
    try (var _ = domain.lock()) {
      NativeMemory own =
          given.isNative() ? domain.allocated.find(given.address(), given.byteSize()) : null;
      checkLasts(given, own, options);
      FabricObject endpoint =
          domain.demands(MemoryRegionMode.ENDPOINT) ? domain.onlyEndpoint().getKey() : null;
      NativeDomains.Region registered = register(domain, given, options);
      return new KitRegion(
          kit, given, options, new RegisteredRegion(domain, given, registered), own, endpoint);
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

  private static NativeDomains.Region register(
      DomainResources domain, MemorySegment memory, RegisterOptions options) {
    boolean given = options.key().isPresent() || domain.demands(MemoryRegionMode.PROVIDER_KEY);
    for (int tries = 1; ; tries++) {
      long key = given ? options.key().orElse(0) : randomKey(domain);
      try {
        return register(domain, memory, options.access(), key);
      } catch (FabricException taken) {
        if (given || taken.errno() != Errno.ENOKEY || tries == TRIES) {
          throw taken;
        }
      }
    }
  }

  private static NativeDomains.Region register(
      DomainResources domain, MemorySegment memory, long access, long key) {
    NativeDomains.Region region =
        domain.domains.register(memory.address(), memory.byteSize(), access, key);
    try {
      if (domain.demands(MemoryRegionMode.ENDPOINT)) {
        region.first().bind(domain.onlyEndpoint().getValue(), 0);
        region.first().enable();
      }
      return region;
    } catch (RuntimeException | Error refused) {
      region.close();
      throw refused;
    }
  }

  /** Keys are all that keeps strangers from the memory, so they must not be guessed. */
  private static long randomKey(DomainResources domain) {
    int bytes = Math.clamp(domain.info.memoryRegionKeySize(), 1, Long.BYTES);
    long key;
    do {
      key = RANDOM.nextLong() >>> (Long.SIZE - Byte.SIZE * bytes);
    } while (key == Handles.KEY_NOT_AVAILABLE);
    return key;
  }

  @Override
  public long key() {
    return place.key();
  }

  @Override
  public RemotePlace place() {
    return place;
  }

  @Override
  public void close() {
    try (var _ = domain.lock()) {
      region.close();
    }
  }

  @Override
  public String toString() {
    return "memory region of " + place.length() + " bytes of " + domain;
  }
}
