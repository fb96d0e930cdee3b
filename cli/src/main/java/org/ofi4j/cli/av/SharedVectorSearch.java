// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
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
import org.ofi4j.SharedVectors;
import org.ofi4j.cli.output.InstalledProviders;

/** Named vectors, in whichever domain of this host they are. */
final class SharedVectorSearch {
  private SharedVectorSearch() {}

  /**
   * A vector that has files.
   *
   * @param status how it is; null if nobody uses it
   * @param error why it cannot be looked at, or null
   */
  public record Found(
      FabricInfo info, String name, @Nullable SharedVectorStatus status, @Nullable String error) {}

  /** Looks for all vectors, or for those of one name. */
  public static List<Found> find(Hints hints, @Nullable String only) {
    List<Found> found = new ArrayList<>();
    Set<List<String>> seen = new HashSet<>();
    for (FabricInfo info : InstalledProviders.info(hints).offers()) {
      if (info.has(Capability.SHARED_AV)
          && seen.add(
              List.of(info.fabric().provider(), info.fabric().name(), info.domain().name()))) {
        in(
            info,
            vectors -> {
              Set<String> names = new TreeSet<>(vectors.names());
              if (only != null) {
                // One whose name is too long to be listed may be there all the same.
                boolean listed = names.contains(only);
                names.clear();
                look(vectors, info, only, listed, found);
              }
              names.forEach(name -> look(vectors, info, name, true, found));
              return found;
            });
      }
    }
    return found;
  }

  private static void look(
      SharedVectors vectors, FabricInfo info, String name, boolean listed, List<Found> found) {
    try {
      found.add(new Found(info, name, vectors.status(name), null));
    } catch (FabricException refused) {
      if (refused.errno() != Errno.ENOENT) {
        found.add(new Found(info, name, null, String.valueOf(refused.getMessage())));
      } else if (listed) {
        found.add(new Found(info, name, null, null));
      }
    }
  }

  public static <T> T in(FabricInfo info, Function<SharedVectors, T> question) {
    try (Fabric fabric = Fabrics.open(info);
        Domain domain = fabric.openDomain(info)) {
      return question.apply(domain.sharedVectors());
    }
  }
}
