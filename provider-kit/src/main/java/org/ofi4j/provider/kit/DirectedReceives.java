// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.ofi4j.core.object.Misuse.invalid;

import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;

/**
 * The receives of an endpoint that take the messages of the source alone that they name, by the
 * capabilities {@link Capability#DIRECTED_RECEIVE}, {@link Capability#TAGGED_DIRECTED_RECEIVE} and
 * {@link Capability#EXACT_DIRECTED_RECEIVE} of fi_getinfo(3).
 *
 * @param untagged whether untagged receives do so
 * @param tagged whether tagged receives do so
 * @param exact whether each receive must name a source
 */
public record DirectedReceives(boolean untagged, boolean tagged, boolean exact) {
  /**
   * Returns the directed receives of an endpoint.
   *
   * @param info the information that the endpoint was opened with
   * @return its directed receives
   */
  public static DirectedReceives of(FabricInfo info) {
    boolean exact = info.has(Capability.EXACT_DIRECTED_RECEIVE);
    boolean both = exact || info.has(Capability.DIRECTED_RECEIVE);
    return new DirectedReceives(both, both || info.has(Capability.TAGGED_DIRECTED_RECEIVE), exact);
  }

  /**
   * Returns whether any receive can name its source.
   *
   * @return true if untagged or tagged receives can
   */
  public boolean any() {
    return untagged || tagged;
  }

  /**
   * Checks a receive that names an authorization key as its source, with flag {@code AUTH_KEY}.
   *
   * @param withTag whether the receive is tagged
   * @throws FabricException with {@link Errno#EBADFLAGS} if such receives are not directed, or
   *     {@link Errno#EINVAL} if each must name one sender
   */
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
   * Returns whether a receive takes the messages of one source alone.
   *
   * @param withTag whether the receive is tagged
   * @param anybody whether the receive names no source
   * @return false if it takes messages of all sources
   * @throws FabricException with {@link Errno#EINVAL} if the receive names no source and must
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
