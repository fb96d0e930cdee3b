// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.fault;

import static org.ofi4j.provider.kit.Misuse.unsupported;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.MemoryRegionMode;

/**
 * Fabrics that do not protect registered memory as {@link org.ofi4j.MemoryRegion} promises. They
 * offer remote access only to applications that accept {@link
 * org.ofi4j.MemoryRegionMode#UNPROTECTED}.
 */
public final class RegionProtection {
  /** The capabilities that remote access consists of. */
  public static final long ACCESS =
      Flag.maskOf(
          Capability.RMA,
          Capability.READ,
          Capability.WRITE,
          Capability.REMOTE_READ,
          Capability.REMOTE_WRITE);

  private RegionProtection() {}

  /**
   * Returns what is wrong with the protection of a provider, or null if nothing is.
   *
   * <p>In {@code shm}, the peer that accesses memory may copy by itself (CMA), without a check of
   * key, rights and bounds; ofi4j never asks for that. Where the owner of the memory copies, it
   * checks all three; but it does not report a refusal: before 2.0 the operation of the peer never
   * ends, and from 2.0 on it succeeds.
   *
   * @param provider the name that libfabric has for it; null for any
   */
  public static @Nullable String fault(@Nullable String provider) {
    return "shm".equals(provider)
        ? "does not keep peers from memory without the right key, and does not report an access"
            + " that is refused"
        : null;
  }

  /**
   * Checks that the application has accepted what opens with an offer, which may be a changed copy.
   *
   * @param nativeName the name that libfabric has for the provider
   * @throws org.ofi4j.FabricException with ENOSYS if it has not
   */
  public static void check(@Nullable String nativeName, FabricInfo info) {
    String fault = fault(nativeName);
    boolean accepted =
        (info.domain().memoryRegionModes() & MemoryRegionMode.UNPROTECTED.mask()) != 0;
    if (fault != null && !accepted && (info.capabilities() & ACCESS) != 0) {
      throw unsupported(
          "remote access over %s, which %s: accept MemoryRegionMode.UNPROTECTED in the hints"
              .formatted(nativeName, fault));
    }
  }
}
