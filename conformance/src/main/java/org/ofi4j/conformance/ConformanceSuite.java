// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.util.List;
import org.junit.platform.engine.support.store.Namespace;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.conformance.harness.Contender;
import org.ofi4j.conformance.harness.EnvironmentExtension;

/**
 * Runs the tests of all rules, or of some, against a provider in this JVM.
 *
 * <p>Runs must not overlap in time if their results are to be trusted: some rules are about how
 * long something may take.
 */
public final class ConformanceSuite {
  private ConformanceSuite() {}

  /**
   * Runs the suite.
   *
   * @param options whom and what to test
   * @param listener follows the run
   * @return what was found out
   * @throws FabricException with {@link Errno#ENODATA} if there is no provider, or none of the name
   *     asked for
   */
  public static ConformanceReport run(ConformanceOptions options, ConformanceListener listener) {
    requireProvider(options);
    RequirementCatalog catalog = RequirementCatalog.load();
    List<RuleTestMethod> methods =
        RuleTestMethod.all().stream()
            .filter(method -> options.randomTests() || !method.isRandom())
            .filter(method ->
                method.ids().stream()
                    .map(catalog::rule)
                    .anyMatch(rule -> rule != null && options.selects(rule)))
            .toList();
    ResultCollector results = new ResultCollector(methods, listener);
    listener.started(methods.size());
    long start = System.nanoTime();
    // A session of its own carries the contender; nothing of another run can reach it.
    try (LauncherSession session = LauncherFactory.openSession()) {
      session
          .getStore()
          .put(
              Namespace.create(EnvironmentExtension.NAMESPACE.getParts()),
              Contender.class,
              new Contender(options.providers(), options.provider(), options.patience()));
      session
          .getLauncher()
          .execute(
              LauncherDiscoveryRequestBuilder.request()
                  .selectors(
                      methods.stream()
                          .map(method -> selectMethod(method.type(), method.method()))
                          .toList())
                  .build(),
              results);
    }
    return results.report(catalog, options, System.nanoTime() - start);
  }

  /** Without anybody to test, rules about the API alone would pass and look like success. */
  private static void requireProvider(ConformanceOptions options) {
    List<String> names =
        options.providers().stream().flatMap(provider -> provider.names().stream()).toList();
    String wanted = options.provider();
    if (wanted == null ? names.isEmpty() : !names.contains(wanted)) {
      throw new FabricException(
          Errno.ENODATA,
          wanted == null
              ? "no provider is installed: add one to the class path or module path"
              : "no provider is named \"" + wanted + "\"; there are " + names);
    }
  }
}
