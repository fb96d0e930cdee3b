// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.MemoryRegion;
import org.ofi4j.RegisterOptions;
import org.ofi4j.RemotePlace;
import org.ofi4j.core.object.CoreObject;

/** A memory region as applications call it, over a {@link RegionTransport}. */
public final class KitRegion extends CoreObject implements MemoryRegion {
  private final Domain domain;
  private final MemorySegment memory;
  private final long access;
  private final RegionTransport transport;

  /**
   * Creates an open region of memory that a fabric has registered.
   *
   * @param domain its domain, which stays open as long as the region
   * @param memory the memory
   * @param options the options of the application
   * @param transport the registration; closed with the region, also if this throws
   * @param used objects of the kit that stay open as long as the region; null for none
   * @throws FabricException with {@code EINVAL} if the domain or one of the objects is closed
   */
  public KitRegion(
      Domain domain,
      MemorySegment memory,
      RegisterOptions options,
      RegionTransport transport,
      @Nullable FabricObject... used) {
    super(options.context());
    this.domain = domain;
    this.memory = memory;
    this.transport = transport;
    access = options.access();
    try {
      lifetime.hold(((CoreObject) domain).lifetime());
      for (FabricObject each : used) {
        if (each != null) {
          lifetime.hold(((CoreObject) each).lifetime());
        }
      }
    } catch (FabricException closed) {
      close();
      throw closed;
    }
  }

  @Override
  protected void release() {
    transport.close();
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
    return transport.key();
  }

  @Override
  public RemotePlace place() {
    return transport.place();
  }

  @Override
  public String toString() {
    return transport.toString();
  }
}
