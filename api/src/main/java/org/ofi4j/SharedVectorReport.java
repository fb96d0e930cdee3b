// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import java.util.OptionalLong;

/**
 * What a check of the files of a named vector found.
 *
 * @param name its name
 * @param state who uses it
 * @param repairs how many writers have repaired what a writer had left that died
 * @param changes how many times its lock was held and given back
 * @param entries how many entries there are
 * @param reserved how many indices asynchronous insertions have reserved
 * @param runs how many runs of consecutive addresses it keeps as formulas
 * @param bytes how much of the file of entries is in use
 * @param processes the processes that have it open
 * @param interrupted the process that died or failed while changing it; empty for none
 * @param violations what is not as it must be, a sentence each, at most 1,000 and a last one about
 *     the others; empty if all is right
 */
public record SharedVectorReport(
    String name,
    State state,
    long repairs,
    long changes,
    long entries,
    long reserved,
    long runs,
    long bytes,
    List<Long> processes,
    OptionalLong interrupted,
    List<String> violations) {
  /** Who uses a vector. */
  public enum State {
    /** Somebody has it open. */
    IN_USE,
    /**
     * A process died or failed while changing it; the next writer repairs what it left, or begins
     * anew if nobody has it open. What readers go by must be right all the same, and was checked;
     * what only writers go by was not.
     */
    INTERRUPTED,
    /** Nobody has it open: killed processes left it. */
    LEFT
  }

  /** Copies the lists. */
  public SharedVectorReport {
    processes = List.copyOf(processes);
    violations = List.copyOf(violations);
  }

  /** {@return whether all is right} */
  public boolean isSound() {
    return violations.isEmpty();
  }
}
