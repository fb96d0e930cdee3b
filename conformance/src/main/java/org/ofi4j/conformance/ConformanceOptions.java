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
   * {@return a copy that tests this provider}
   *
   * @param provider its name, or null for the first that offers what a test needs
   */
  public ConformanceOptions withProvider(@Nullable String provider) {
    return new ConformanceOptions(provider, providers, ids, groups, patience, randomTests);
  }

  /**
   * {@return a copy that asks these providers, the first one first}
   *
   * @param providers they need not be installed
   */
  public ConformanceOptions withProviders(List<? extends FabricProvider> providers) {
    return new ConformanceOptions(
        provider, List.copyOf(providers), ids, groups, patience, randomTests);
  }

  /**
   * {@return a copy that tests these rules alone}
   *
   * @param ids numbers such as AV-083; empty for all rules
   */
  public ConformanceOptions withIds(Set<String> ids) {
    return new ConformanceOptions(provider, providers, ids, groups, patience, randomTests);
  }

  /**
   * {@return a copy that tests these sections alone}
   *
   * @param groups such as INS; empty for all
   */
  public ConformanceOptions withGroups(Set<String> groups) {
    return new ConformanceOptions(provider, providers, ids, groups, patience, randomTests);
  }

  /**
   * {@return a copy whose tests wait so long for what has to happen}
   *
   * @param patience more than zero
   */
  public ConformanceOptions withPatience(Duration patience) {
    return new ConformanceOptions(provider, providers, ids, groups, patience, randomTests);
  }

  /**
   * {@return a copy with or without random sequences of calls}
   *
   * @param randomTests whether to run them
   */
  public ConformanceOptions withRandomTests(boolean randomTests) {
    return new ConformanceOptions(provider, providers, ids, groups, patience, randomTests);
  }

  boolean selects(Requirement rule) {
    return (ids.isEmpty() || ids.contains(rule.id()))
        && (groups.isEmpty() || groups.contains(rule.group()));
  }
}
