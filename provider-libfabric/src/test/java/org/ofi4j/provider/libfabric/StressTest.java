// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * Several processes open, close, send, receive and access memory at random, and are stopped, killed
 * and started again, over each fabric that libfabric offers here.
 */
@EnabledIfSystemProperty(
    named = "ofi4j.stress.seconds",
    matches = ".+",
    disabledReason = "it runs if ofi4j.stress.seconds says how long, for each provider")
class StressTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int SECONDS = Integer.getInteger("ofi4j.stress.seconds", 10);
  private static final String PROVIDERS = System.getProperty("ofi4j.stress.providers", "");

  @TestFactory
  @Timeout(value = 4, unit = TimeUnit.HOURS)
  List<DynamicTest> stress() {
    CCompiler.needProvider("shm");
    Collection<String> providers =
        PROVIDERS.isEmpty() ? StressProviders.names() : List.of(PROVIDERS.split(","));
    return providers.stream().map(each -> dynamicTest(each, () -> play(each))).toList();
  }

  private static void play(String provider) throws Exception {
    System.out.println("seed of stress over " + provider + ": " + SEED);
    try (StressRun run = new StressRun(provider, SEED, Duration.ofSeconds(SECONDS))) {
      System.out.println(run.play());
    } catch (AssertionError failed) {
      throw new AssertionError("seed " + SEED + ": " + failed.getMessage(), failed);
    }
  }
}
