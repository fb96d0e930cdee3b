// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

/**
 * How a JVM warms up for work that is done in rounds.
 *
 * @param nanos how long it works on few peers; 0 for not at all
 * @param rounds how many rounds with all peers do not count
 */
record WarmUp(long nanos, int rounds) {
  /** For work on which bars on time rest. */
  static final WarmUp COMPARED = new WarmUp(450_000_000, 1);

  /** For work that is shown. */
  static final WarmUp SHOWN = new WarmUp(250_000_000, 2);

  /** For work that is shown, where the JVM did the like before. */
  static final WarmUp FAMILIAR = new WarmUp(75_000_000, 1);

  /** With fewer rounds than this, which is for a quick look, it takes less time. */
  private static final int USUAL_ROUNDS = 11;

  /** What it is for a run of so many rounds. */
  WarmUp scaled(int all) {
    return new WarmUp(nanos * Math.min(all, USUAL_ROUNDS) / USUAL_ROUNDS, rounds);
  }
}
