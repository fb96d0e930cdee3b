// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.spi.FabricProvider;

/**
 * Which of the installed providers a command asks. Those of libfabric are asked only for a name of
 * theirs or where all of them are wanted: the first question loads the library, which takes longer
 * than most commands.
 */
public final class InstalledProviders {
  /** What libfabric's providers are called that have the name of another one here. */
  private static final String NATIVE = "libfabric:";

  private InstalledProviders() {}

  /** All of them, to be listed. */
  public static List<FabricProvider> all() {
    return Fabrics.providers();
  }

  /** Those over libfabric, all of whose fabrics are offered to hints without a name. */
  public static List<FabricProvider> overLibfabric() {
    return all().stream().filter(InstalledProviders::isOverLibfabric).toList();
  }

  /** Those to ask for a provider of this name, or for any if it is null. */
  public static List<FabricProvider> of(@Nullable String name) {
    boolean overLibfabric =
        name != null
            && (name.startsWith(NATIVE)
                || overLibfabric().stream().anyMatch(each -> each.names().contains(name)));
    Predicate<FabricProvider> wanted = InstalledProviders::isOverLibfabric;
    return all().stream().filter(overLibfabric ? wanted : wanted.negate()).toList();
  }

  /** What those that hints are meant for answer. */
  public static InfoAnswer info(Hints hints) {
    return Fabrics.info(hints, of(hints.provider()));
  }

  private static boolean isOverLibfabric(FabricProvider provider) {
    return provider.names().stream().anyMatch(name -> name.startsWith(NATIVE));
  }
}
