// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Fabrics;
import org.ofi4j.spi.FabricProvider;

/**
 * Who is tested, and how patiently.
 *
 * @param providers whom to ask, in order of preference
 * @param name the provider name that offers must bear, or null for the first offer
 * @param patience how long a test waits for something that has to happen
 */
public record Contender(List<FabricProvider> providers, @Nullable String name, Duration patience) {
  /** System property or JUnit configuration parameter that names the provider. */
  public static final String PROVIDER_PROPERTY = "ofi4j.provider";

  /** How long a test waits unless told otherwise. */
  public static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Copies the list. */
  public Contender {
    providers = List.copyOf(providers);
  }

  /** The installed providers, with the name of one, or null for the first that serves a test. */
  public static Contender installed(@Nullable String name) {
    return new Contender(Fabrics.providers(), name, PATIENCE);
  }
}
