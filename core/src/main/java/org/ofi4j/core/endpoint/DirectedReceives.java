// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.endpoint;

import static org.ofi4j.core.object.Misuse.invalid;

import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;

/**
 * Which receives of an endpoint look at the source that they name.
 *
 * @param untagged whether untagged ones do
 * @param tagged whether tagged ones do
 * @param exact whether they must name one
 */
public record DirectedReceives(boolean untagged, boolean tagged, boolean exact) {
  public static DirectedReceives of(FabricInfo info) {
    boolean exact = info.has(Capability.EXACT_DIRECTED_RECEIVE);
    boolean both = exact || info.has(Capability.DIRECTED_RECEIVE);
    return new DirectedReceives(both, both || info.has(Capability.TAGGED_DIRECTED_RECEIVE), exact);
  }

  /** Whether any receive can name its source. */
  public boolean any() {
    return untagged || tagged;
  }

  /** Refuses a receive that names a key, if it is not looked at what receives name. */
  public void checkKey(boolean withTag) {
    if (!(withTag ? tagged : untagged)) {
      throw new FabricException(
          Errno.EBADFLAGS,
          "flag AUTH_KEY selects messages by their key: ask for capability DIRECTED_RECEIVE");
    }
    if (exact) {
      throw invalid(
          "flag AUTH_KEY: with capability EXACT_DIRECTED_RECEIVE a receive names one sender, and a"
              + " key may have several");
    }
  }

  /**
   * Whether a receive takes the messages of the one source that it names.
   *
   * @param anybody whether it names none
   */
  public boolean isDirected(boolean withTag, boolean anybody) {
    if (exact && anybody) {
      throw invalid(
          "source is UNSPECIFIED, or any one in a group: with capability EXACT_DIRECTED_RECEIVE a"
              + " receive names its source");
    }
    return !anybody && (withTag ? tagged : untagged);
  }
}
