// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.offer;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Refusal;
import org.ofi4j.provider.libfabric.fault.KnownFaults;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.library.SharedMemorySpace;

/**
 * Capabilities that libfabric offers and does not keep. Each offer is judged by the provider that
 * it names, so that names such as {@code libfabric:shm}, and hints without a name, get the same
 * answer.
 */
final class ProviderFaults {
  private final Libfabric library;
  private final Hints hints;

  ProviderFaults(Libfabric library, Hints hints) {
    this.library = library;
    this.hints = hints;
  }

  /**
   * Returns why an offer does not keep what the hints ask for, or cannot be used safely; null if it
   * can.
   *
   * @param nativeName the name that libfabric has for the provider
   * @param provider the name that hints ask for the provider by
   */
  @Nullable Refusal of(@Nullable String nativeName, String provider) {
    String sources = KnownFaults.ofSources(nativeName, library);
    if ((hints.capabilities() & Capability.SOURCE.mask()) != 0 && sources != null) {
      return refusal(provider, "capability SOURCE", sources, "put the sender into the message");
    }
    String unreserved = SharedMemorySpace.unreserved(nativeName, library);
    if (unreserved != null) {
      String variable = SharedMemorySpace.MESSAGES_IN_FILES;
      return refusal(provider, "variable " + variable, unreserved, "unset " + variable);
    }
    String unsafe = KnownFaults.ofUnsafeLayers(nativeName, hints.provider(), library);
    if (unsafe != null) {
      return refusal(
          provider,
          "provider " + provider,
          unsafe,
          "take another provider, or name %s in the hints if all of its network is trusted"
              .formatted(provider));
    }
    long access = hints.capabilities() & withheld(nativeName);
    String protection = KnownFaults.ofProtection(nativeName);
    if (access != 0 && protection != null) {
      return refusal(
          provider,
          "capabilities " + Flag.names(Capability.class, access),
          protection,
          "take another provider, or accept MemoryRegionMode.UNPROTECTED in the hints if all"
              + " processes that can reach the memory are trusted");
    }
    return null;
  }

  /** Returns the capabilities that a provider is not offered with. */
  long withheld(@Nullable String nativeName) {
    boolean accepted =
        (hints.memoryRegionModes() & MemoryRegionMode.UNPROTECTED.mask()) != 0
            || KnownFaults.ofProtection(nativeName) == null;
    return accepted ? 0 : KnownFaults.ACCESS;
  }

  /** Returns the modes of memory that an application accepts with offers of a provider. */
  long modes(String nativeName) {
    return KnownFaults.ofProtection(nativeName) == null
        ? 0
        : hints.memoryRegionModes() & MemoryRegionMode.UNPROTECTED.mask();
  }

  private Refusal refusal(String provider, String asked, String fault, String instead) {
    String reason =
        "%s: %s of libfabric %s %s: %s"
            .formatted(asked, provider, library.versionText(), fault, instead);
    String named = hints.provider();
    return new Refusal(named == null ? provider : named, Errno.ENODATA, reason);
  }
}
