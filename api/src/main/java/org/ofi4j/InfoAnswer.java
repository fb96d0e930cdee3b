// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The answer of {@code fi_getinfo}: all that fits the hints, and what each provider without an
 * offer said about them. Immutable.
 *
 * @param offers what fits, best first; empty if nothing does
 * @param refusals which providers had nothing to offer, and why: one or more reasons for each
 */
public record InfoAnswer(List<FabricInfo> offers, List<Refusal> refusals) {
  /** Keeps copies of the lists. */
  public InfoAnswer {
    offers = List.copyOf(offers);
    refusals = List.copyOf(refusals);
  }

  /**
   * {@return the best offer, which is the first one}
   *
   * @throws FabricException if there is none, with all reasons and the errno of the first; {@link
   *     Errno#ENODATA} as a rule
   */
  public FabricInfo best() {
    if (!offers.isEmpty()) {
      return offers.getFirst();
    }
    if (refusals.isEmpty()) {
      throw new FabricException(
          Errno.ENODATA,
          "no provider is installed: add ofi4j-provider-net to the class path or module path");
    }
    throw new FabricException(
        refusals.getFirst().errno(),
        refusals.stream().map(Refusal::toString).collect(Collectors.joining("; ")));
  }
}
