// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.SharedVectorStatus;
import org.ofi4j.cli.output.InstalledProviders;
import org.ofi4j.spi.VectorDomain;

/** Named vectors, in whichever domain of this host they are. */
final class SharedVectorSearch {
  private SharedVectorSearch() {}

  /**
   * A vector that has files.
   *
   * @param where the domain of the vector
   * @param status how it is; null if nobody uses it
   * @param error why it cannot be looked at, or null
   */
  public record Found(
      VectorDomain where,
      String name,
      @Nullable SharedVectorStatus status,
      @Nullable String error) {}

  /**
   * Looks for all vectors, or for those of one name. Domains need not be offered now: their vectors
   * are found by the names of their files.
   */
  public static List<Found> find(
      @Nullable String provider, @Nullable String domain, @Nullable String only) {
    List<Found> found = new ArrayList<>();
    for (VectorDomain each : domains(provider, domain)) {
      for (String name : each.vectors().names()) {
        if (only == null || only.equals(name)) {
          look(each, name, true, found);
        }
      }
    }
    if (only != null && found.isEmpty()) {
      // The names of its files do not say a name that is too long.
      Hints hints = Hints.latest().withProvider(provider).withDomain(domain);
      offered(hints).forEach(each -> look(each, only, false, found));
    }
    return found;
  }

  private static List<VectorDomain> domains(@Nullable String provider, @Nullable String domain) {
    return InstalledProviders.all().stream()
        .flatMap(each -> each.vectorDomains().stream())
        .filter(each -> provider == null || provider.equals(each.provider()))
        .filter(each -> domain == null || domain.equals(each.domain()))
        .toList();
  }

  private static List<VectorDomain> offered(Hints hints) {
    Map<List<String>, VectorDomain> offered = new LinkedHashMap<>();
    for (FabricInfo info : InstalledProviders.info(hints).offers()) {
      if (info.has(Capability.SHARED_AV)) {
        try (Fabric fabric = Fabrics.open(info);
            Domain open = fabric.openDomain(info)) {
          VectorDomain each =
              new VectorDomain(
                  info.fabric().provider(),
                  info.domain().name(),
                  info.fabric().name(),
                  open.sharedVectors());
          offered.putIfAbsent(List.of(each.provider(), each.domain(), each.fabric()), each);
        }
      }
    }
    return List.copyOf(offered.values());
  }

  private static void look(VectorDomain where, String name, boolean listed, List<Found> found) {
    try {
      found.add(new Found(where, name, where.vectors().status(name), null));
    } catch (FabricException refused) {
      if (refused.errno() != Errno.ENOENT) {
        found.add(new Found(where, name, null, String.valueOf(refused.getMessage())));
      } else if (listed) {
        found.add(new Found(where, name, null, null));
      }
    }
  }
}
