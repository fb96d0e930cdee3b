// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.security.SecureRandom;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.RegisterOptions;
import org.ofi4j.RemotePlace;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.provider.kit.PostedMemory;

/**
 * Memory that peers reach. It must last until the region is closed, because fabrics access it
 * whenever peers want: so it is of the domain's own, of the global arena, or promised to last.
 */
public final class RegisteredRegion extends CoreObject implements MemoryRegion {
  private static final SecureRandom RANDOM = new SecureRandom();

  /** How often to try another key that is somebody else's already. */
  private static final int TRIES = 16;

  private final EndpointDomain domain;
  private final MemorySegment memory;
  private final long access;
  private final NativeDomains.Region region;
  private final long key;

  private RegisteredRegion(
      EndpointDomain domain,
      MemorySegment memory,
      RegisterOptions options,
      NativeDomains.Region region) {
    super(options.context());
    this.domain = domain;
    this.memory = memory;
    this.region = region;
    access = options.access();
    key = region.first().key();
  }

  /**
   * Registers memory.
   *
   * @throws FabricException with {@link Errno#EINVAL} for memory that may be freed meanwhile, and
   *     as {@link Domain#register}
   */
  public static RegisteredRegion open(
      EndpointDomain domain, MemorySegment memory, RegisterOptions options) {
    MemorySegment given = PostedMemory.registrable(memory, options, domain.mover());
    DomainResources resources = domain.resources();
    if (options.key().isPresent() && resources.demands(MemoryRegionMode.PROVIDER_KEY)) {
      throw invalid("%s chooses the keys of memory itself: leave the key out".formatted(domain));
    }
    resources.lock().lock();
    try {
      NativeMemory own =
          given.isNative() ? resources.allocated().find(given.address(), given.byteSize()) : null;
      checkLasts(given, own, options);
      NativeDomains.Region registered = register(resources, given, options);
      try {
        RegisteredRegion region = new RegisteredRegion(domain, given, options, registered);
        if (own != null) {
          region.lifetime().hold(own.lifetime());
        }
        if (resources.demands(MemoryRegionMode.ENDPOINT)) {
          region.lifetime().hold(resources.endpoints().only().lifetime());
        }
        region.lifetime().hold(domain.lifetime());
        return region;
      } catch (FabricException closing) {
        registered.close();
        throw closing;
      }
    } finally {
      resources.lock().unlock();
    }
  }

  private static void checkLasts(
      MemorySegment memory,
      @org.jspecify.annotations.Nullable NativeMemory own,
      RegisterOptions options) {
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
      DomainResources resources, MemorySegment memory, RegisterOptions options) {
    if (options.key().isPresent() || resources.demands(MemoryRegionMode.PROVIDER_KEY)) {
      return register(resources, memory, options.access(), options.key().orElse(0));
    }
    for (int tries = 1; ; tries++) {
      try {
        return register(resources, memory, options.access(), randomKey(resources));
      } catch (FabricException taken) {
        if (taken.errno() != Errno.ENOKEY || tries == TRIES) {
          throw taken;
        }
      }
    }
  }

  private static NativeDomains.Region register(
      DomainResources resources, MemorySegment memory, long access, long key) {
    NativeDomains.Region region =
        resources.domains().register(memory.address(), memory.byteSize(), access, key);
    try {
      if (resources.demands(MemoryRegionMode.ENDPOINT)) {
        region.first().bind(resources.endpoints().only().endpoint(), 0);
        region.first().enable();
      }
      return region;
    } catch (RuntimeException | Error refused) {
      region.close();
      throw refused;
    }
  }

  /** Keys are all that keeps strangers from the memory, so they must not be guessed. */
  private static long randomKey(DomainResources resources) {
    int bytes = Math.clamp(resources.info().memoryRegionKeySize(), 1, Long.BYTES);
    long key;
    do {
      key = RANDOM.nextLong() >>> (Long.SIZE - Byte.SIZE * bytes);
    } while (key == Handles.KEY_NOT_AVAILABLE);
    return key;
  }

  @Override
  protected void release() {
    domain.resources().lock().lock();
    try {
      region.close();
    } finally {
      domain.resources().lock().unlock();
    }
  }

  @Override
  public Domain domain() {
    return domain;
  }

  @Override
  public MemorySegment memory() {
    return memory;
  }

  @Override
  public long access() {
    return access;
  }

  @Override
  public long key() {
    lifetime.checkOpen();
    return key;
  }

  @Override
  public RemotePlace place() {
    lifetime.checkOpen();
    boolean virtual = domain.resources().demands(MemoryRegionMode.VIRTUAL_ADDRESS);
    return new RemotePlace(virtual ? memory.address() : 0, length(), key);
  }

  @Override
  public String toString() {
    return "memory region of " + memory.byteSize() + " bytes of " + domain;
  }
}
