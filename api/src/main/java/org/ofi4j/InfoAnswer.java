// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.util.AbstractList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The answer of {@code fi_getinfo}: all that fits the hints, best first, and what each provider
 * without an offer said about it. Immutable.
 */
public final class InfoAnswer extends AbstractList<FabricInfo> {
  private final List<FabricInfo> offers;
  private final List<Refusal> refusals;

  /**
   * An answer.
   *
   * @param offers what fits
   * @param refusals who had nothing to offer, and why
   */
  public InfoAnswer(List<FabricInfo> offers, List<Refusal> refusals) {
    this.offers = List.copyOf(offers);
    this.refusals = List.copyOf(refusals);
  }

  /**
   * {@return which provider had nothing to offer, and why: one or more reasons per such provider}
   */
  public List<Refusal> refusals() {
    return refusals;
  }

  @Override
  public FabricInfo get(int index) {
    return offers.get(index);
  }

  @Override
  public int size() {
    return offers.size();
  }

  /**
   * {@return the best offer, the first one}
   *
   * @throws FabricException if there is none, with all reasons; {@link Errno#ENODATA} as a rule
   */
  @Override
  public FabricInfo getFirst() {
    if (offers.isEmpty()) {
      Errno errno = refusals.isEmpty() ? Errno.ENODATA : refusals.getFirst().errno();
      throw new FabricException(
          errno,
          refusals.isEmpty()
              ? "no provider is installed: add ofi4j-provider-net to the class path or module path"
              : refusals.stream().map(Refusal::toString).collect(Collectors.joining("; ")));
    }
    return offers.getFirst();
  }
}
