// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.av.SharedVectorSearch.Found;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.KnownWords;
import picocli.CommandLine.Option;

/** The options of commands on named vectors that say in which domains to look for them. */
final class WhichVectors {
  @Option(
      names = {"-p", "--provider"},
      completionCandidates = KnownWords.Providers.class,
      paramLabel = "NAME",
      description = "Look in the domains of this provider only.")
  private @Nullable String provider;

  @Option(
      names = "--domain",
      completionCandidates = KnownWords.Domains.class,
      paramLabel = "DOMAIN",
      description = "Look in this domain only.")
  private @Nullable String domain;

  /** All vectors, perhaps none, or those of one name, of which there must be one. */
  List<Found> find(@Nullable String name) {
    List<Found> found = look(name);
    if (found.isEmpty() && name != null) {
      throw new CommandException(
          ExitCode.FAILED, "there is no vector \"" + name + "\" of this user on this host");
    }
    return found;
  }

  /** All vectors, or those of one name; perhaps none. */
  List<Found> look(@Nullable String name) {
    return SharedVectorSearch.find(FabricNames.provider(provider), domain, name);
  }
}
