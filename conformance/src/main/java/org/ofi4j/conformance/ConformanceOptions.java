// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Fabrics;
import org.ofi4j.conformance.harness.Contender;
import org.ofi4j.spi.FabricProvider;

/**
 * What a run of the suite is about.
 *
 * @param provider name of the provider to test, or null for the first that offers what a test needs
 * @param providers whom to ask, in order of preference
 * @param ids rules to test; empty for all
 * @param groups sections to test; empty for all
 * @param patience how long a test waits for something that has to happen
 * @param randomTests whether to run random sequences of calls, too
 */
public record ConformanceOptions(
    @Nullable String provider,
    List<FabricProvider> providers,
    Set<String> ids,
    Set<String> groups,
    Duration patience,
    boolean randomTests) {

  /** Copies the collections. */
  public ConformanceOptions {
    providers = List.copyOf(providers);
    ids = Set.copyOf(ids);
    groups = Set.copyOf(groups);
  }

  /**
   * All rules, the installed providers.
   *
   * @return the options
   */
  public static ConformanceOptions defaults() {
    return new ConformanceOptions(
        null, Fabrics.providers(), Set.of(), Set.of(), Contender.PATIENCE, true);
  }

  /**
   * A copy with another value.
   *
   * @param provider name of the provider to test, or null
   * @return the changed copy
   */
  public ConformanceOptions withProvider(@Nullable String provider) {
    return new ConformanceOptions(provider, providers, ids, groups, patience, randomTests);
  }

  /**
   * A copy with another value.
   *
   * @param providers whom to ask; they need not be installed
   * @return the changed copy
   */
  public ConformanceOptions withProviders(List<? extends FabricProvider> providers) {
    return new ConformanceOptions(
        provider, List.copyOf(providers), ids, groups, patience, randomTests);
  }

  /**
   * A copy with another value.
   *
   * @param ids rules to test; empty for all
   * @return the changed copy
   */
  public ConformanceOptions withIds(Set<String> ids) {
    return new ConformanceOptions(provider, providers, ids, groups, patience, randomTests);
  }

  /**
   * A copy with another value.
   *
   * @param groups sections to test; empty for all
   * @return the changed copy
   */
  public ConformanceOptions withGroups(Set<String> groups) {
    return new ConformanceOptions(provider, providers, ids, groups, patience, randomTests);
  }

  /**
   * A copy with another value.
   *
   * @param patience how long a test waits for something that has to happen
   * @return the changed copy
   */
  public ConformanceOptions withPatience(Duration patience) {
    return new ConformanceOptions(provider, providers, ids, groups, patience, randomTests);
  }

  /**
   * A copy with another value.
   *
   * @param randomTests whether to run random sequences of calls, too
   * @return the changed copy
   */
  public ConformanceOptions withRandomTests(boolean randomTests) {
    return new ConformanceOptions(provider, providers, ids, groups, patience, randomTests);
  }

  boolean selects(Requirement rule) {
    return (ids.isEmpty() || ids.contains(rule.id()))
        && (groups.isEmpty() || groups.contains(rule.group()));
  }
}
