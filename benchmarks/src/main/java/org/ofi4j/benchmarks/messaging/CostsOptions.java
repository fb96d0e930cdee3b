// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Which costs to measure.
 *
 * @param costs the costs, each of which at least one contestant has; none for all costs that the
 *     contestants have
 * @param contestants who does the work, at least one
 * @param rounds how many rounds
 * @param provider {@link MessagingOptions#TCP}, or one of libfabric's, over which only messages to
 *     oneself are measured
 * @param connections how many a server has, at least 1
 * @param seconds how long round trips are repeated until they are warm, at least 1
 * @param pingpong the command that starts {@code ofi4j pingpong}, to which arguments may be added
 */
public record CostsOptions(
    Set<Cost> costs,
    Set<Contestant> contestants,
    int rounds,
    String provider,
    int connections,
    int seconds,
    List<String> pingpong) {
  /** Keeps copies. */
  public CostsOptions {
    if (contestants.isEmpty()) {
      throw new IllegalArgumentException("contestants: none is given");
    }
    contestants = Collections.unmodifiableSet(EnumSet.copyOf(contestants));
    positive("rounds", rounds);
    positive("connections", connections);
    positive("seconds", seconds);
    for (Cost cost : costs) {
      if (contestants.stream().noneMatch(each -> cost.isOf(each, provider))) {
        throw new IllegalArgumentException(
            "only: %s is not measured over %s of %s"
                .formatted(
                    word(cost), provider, contestants.stream().map(CostsOptions::word).toList()));
      }
    }
    costs = costs.isEmpty() ? EnumSet.allOf(Cost.class) : EnumSet.copyOf(costs);
    costs = Collections.unmodifiableSet(costs);
    pingpong = List.copyOf(pingpong);
  }

  private static void positive(String name, int value) {
    if (value < 1) {
      throw new IllegalArgumentException(name + " " + value + " must be at least 1");
    }
  }

  private static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Returns the contestants of which a cost is measured; none if the cost is not wanted. */
  List<Contestant> contestants(Cost cost) {
    return costs.contains(cost)
        ? contestants.stream().filter(each -> cost.isOf(each, provider)).toList()
        : List.of();
  }
}
