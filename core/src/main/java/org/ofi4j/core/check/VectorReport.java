// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import java.nio.file.Path;
import java.util.List;

/**
 * What {@code VectorVerifier} found in the files of a named vector.
 *
 * @param state whether anybody is attached, and whether a change came to its end
 * @param generation which file has the entries; it grows with each repair
 * @param changes how many times the lock of writers was held and given back
 * @param entries live entries that were counted
 * @param reserved reserved indices that were counted
 * @param runs how many runs have entries without slots
 * @param bytes bytes of the file of entries that are in use
 * @param processes who is attached
 * @param interrupted who died, or failed, while changing entries; 0 if nobody did
 * @param violations what is wrong, a sentence each, at most 1,000 of them and a last one about the
 *     others; empty if all is right
 */
public record VectorReport(
    Path control,
    State state,
    long generation,
    long changes,
    long entries,
    long reserved,
    int runs,
    long bytes,
    List<Long> processes,
    long interrupted,
    List<String> violations) {

  /** Whether a vector is in use, and whole. */
  public enum State {
    /** Somebody is attached, and the last change came to its end. */
    LIVE,

    /**
     * The last change did not come to its end, as its process died: the next writer repairs what it
     * left, or begins anew if nobody is attached. What readers go by must be right all the same,
     * and was looked at; what only writers go by was not.
     */
    INTERRUPTED,

    /** Nobody is attached: whoever opens it next begins anew. */
    DEAD
  }

  /** Whether nothing is wrong. */
  public boolean isSound() {
    return violations.isEmpty();
  }
}
