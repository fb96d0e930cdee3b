// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * Which costs to measure.
 *
 * @param contestants who does the work, at least one
 * @param rounds how many rounds
 * @param provider {@link MessagingOptions#TCP}, or one of libfabric's, over which only messages to
 *     oneself are measured
 * @param connections how many a server has, at least 1
 * @param seconds how long round trips are repeated until they are warm, at least 1
 */
public record CostsOptions(
    Set<Contestant> contestants, int rounds, String provider, int connections, int seconds) {
  /** Keeps a copy. */
  public CostsOptions {
    if (contestants.isEmpty()) {
      throw new IllegalArgumentException("contestants: none is given");
    }
    contestants = Collections.unmodifiableSet(EnumSet.copyOf(contestants));
    positive("rounds", rounds);
    positive("connections", connections);
    positive("seconds", seconds);
  }

  private static void positive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " " + value + " must be at least 1");
    }
  }
}
