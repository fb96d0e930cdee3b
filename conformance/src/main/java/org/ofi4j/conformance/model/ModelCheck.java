// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import org.ofi4j.Domain;
import org.ofi4j.FabricInfo;
import org.ofi4j.conformance.harness.Seeds;
import org.ofi4j.conformance.harness.Setup;

/**
 * Plays random sequences and, when one fails, finds the shortest beginning of it that fails and
 * says how to play it again.
 */
public final class ModelCheck {
  /** System property that says how many operations a sequence has. */
  private static final String STEPS_PROPERTY = "ofi4j.steps";

  /** System property that says how many operations a sequence about ranges has. */
  private static final String RANGE_STEPS_PROPERTY = "ofi4j.rangeSteps";

  /** How often everything is compared; comparing is dearer than operating. */
  private static final int COMPARE_EVERY = 32;

  /** The same for sequences about ranges, whose operations are large. */
  private static final int COMPARE_RANGES_EVERY = 30;

  private ModelCheck() {}

  /** How many operations to play, if nothing else was asked for than {@code unlessTold}. */
  public static int steps(int unlessTold) {
    return Integer.getInteger(STEPS_PROPERTY, unlessTold);
  }

  /** How many operations about ranges to play, if nothing else was asked for. */
  public static int rangeSteps(int unlessTold) {
    return Integer.getInteger(RANGE_STEPS_PROPERTY, unlessTold);
  }

  /**
   * Plays one sequence on every kind of vector of a domain.
   *
   * @param steps how many operations each
   * @throws AssertionError when vector and reference differ, with the seed and the shortest length
   */
  public static void playAll(Domain domain, Setup setup, long seed, int steps) {
    for (Scenario scenario : Scenarios.of(setup, seed)) {
      play(RandomRun::new, domain, scenario, seed, steps, COMPARE_EVERY);
    }
  }

  /**
   * Plays one sequence about ranges on every kind of vector of a domain.
   *
   * @param steps how many operations each
   * @throws AssertionError when vector and reference differ, with the seed and the shortest length
   */
  public static void playRanges(Domain domain, Setup setup, long seed, int steps) {
    for (Scenario scenario : Scenarios.ofRanges(setup, seed)) {
      play(RangeRun::new, domain, scenario, seed, steps, COMPARE_RANGES_EVERY);
    }
  }

  /** Plays one sequence and, if it fails, its shortest beginning that does. */
  private static void play(
      Run.Start kind, Domain domain, Scenario scenario, long seed, int length, int compareEvery) {
    try {
      playOnce(kind, domain, scenario, seed, length, compareEvery);
    } catch (Failed failed) {
      Failed shortest = failed;
      try {
        playOnce(kind, domain, scenario, seed, failed.length, 1);
      } catch (Failed again) {
        shortest = again;
      }
      FabricInfo info = domain.info();
      String details =
          "seed %d (%s), shortest failing length %d, API %s, profile %s, %s: %s"
              .formatted(
                  seed,
                  Seeds.repeat(seed),
                  shortest.length,
                  info.apiVersion(),
                  info.profile(),
                  scenario,
                  shortest.getMessage());
      throw new AssertionError("vector and reference differ: " + details, shortest);
    }
  }

  private static void playOnce(
      Run.Start kind, Domain domain, Scenario scenario, long seed, int length, int compareEvery) {
    int done = 0;
    try (Run run = kind.start(domain, scenario, seed)) {
      while (done < length) {
        done++;
        run.step();
        if (done % compareEvery == 0 || done == length) {
          run.compareAll();
        }
      }
    } catch (AssertionError | RuntimeException failure) {
      throw new Failed(done, failure);
    }
  }

  /** A sequence that failed, and after how many operations. */
  private static final class Failed extends Error {
    private static final long serialVersionUID = 1L;

    final int length;

    Failed(int length, Throwable cause) {
      super(String.valueOf(cause.getMessage()), cause);
      this.length = length;
    }
  }
}
