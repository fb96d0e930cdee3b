// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Refusal;
import org.ofi4j.provider.kit.KitFabric;
import org.ofi4j.provider.libfabric.library.Libfabric;
import org.ofi4j.provider.libfabric.offer.NativeOffers;
import org.ofi4j.provider.libfabric.offer.ProviderNames;
import org.ofi4j.spi.FabricProvider;
import org.ofi4j.spi.VectorDomain;

/**
 * Offers what the installed libfabric has. It is loaded when hints name one of its providers, or
 * none and the JVM allows calls of C: else nothing native is touched. Safe to use from any thread.
 * Two providers are equal, and so are equal offers of theirs.
 */
public record LibfabricProvider() implements FabricProvider {
  /** The name of refusals that are of no single provider. */
  private static final String ALL = "libfabric";

  private static final int RANK = 100;

  @Override
  public List<String> names() {
    return ProviderNames.ALL;
  }

  @Override
  public List<VectorDomain> vectorDomains() {
    // Offers may have more layers than the names that hints ask for, such as net;ofi_rxm.
    return KitFabric.vectorDomains(
        name -> name.startsWith("libfabric:") || name.indexOf(';') > 0 || names().contains(name));
  }

  /** Returns a rank behind that of providers in pure Java, which are in each JVM. */
  @Override
  public int rank() {
    return RANK;
  }

  @Override
  public InfoAnswer info(Hints hints) {
    String named = hints.provider();
    if (named != null && !ProviderNames.isOurs(named)) {
      return new InfoAnswer(List.of(), List.of());
    }
    if (named == null && !Libfabric.isAllowed()) {
      return refused(null, "not asked, because this JVM does not allow it: " + Libfabric.ALLOW);
    }
    try {
      return new NativeOffers(Libfabric.installed(), hints).answer();
    } catch (Libfabric.Unavailable unavailable) {
      return refused(named, unavailable.reason());
    }
  }

  private static InfoAnswer refused(@Nullable String named, String reason) {
    return new InfoAnswer(
        List.of(), List.of(new Refusal(named == null ? ALL : named, Errno.ENOSYS, reason)));
  }

  @Override
  public Fabric open(FabricInfo info) {
    return LibfabricFabric.open(Libfabric.present(), info);
  }

  @Override
  public String toString() {
    return "provider of the installed libfabric";
  }
}
