// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import java.util.List;

/**
 * What became of a vector whose processes were killed.
 *
 * @param options what was asked for
 * @param kills how many processes were killed
 * @param killedInChange how many of them had announced a change and not said that it was done
 * @param repairs how often what a dead process left had to be repaired
 * @param stops how often a process was stopped for a while
 * @param changes how many changes were confirmed
 * @param looks how many entries the processes looked up and searched for
 * @param judged how many confirmed entries of dead processes the referee looked for
 * @param verifications how often all that the vector's files must be was checked
 * @param medianRecoveryNanos from a kill to the next change, by the referee, in the median
 * @param worstRecoveryNanos the same at worst
 * @param entries how many entries there were at the end
 * @param seconds how long all of it took
 * @param violations what was not as it must be; empty if all was right
 */
public record ChaosReport(
    ChaosOptions options,
    int kills,
    int killedInChange,
    long repairs,
    int stops,
    long changes,
    long looks,
    long judged,
    int verifications,
    long medianRecoveryNanos,
    long worstRecoveryNanos,
    long entries,
    double seconds,
    List<String> violations) {
  /** Copies the list. */
  public ChaosReport {
    violations = List.copyOf(violations);
  }

  /** Whether all was right. */
  public boolean isSound() {
    return violations.isEmpty();
  }
}
