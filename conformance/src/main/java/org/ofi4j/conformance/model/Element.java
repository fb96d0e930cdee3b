// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress;

/**
 * One thing that may be handed to an insertion, good or bad, with what the rules say of it.
 *
 * @param packed the same packed, with whatever may differ there, or null if it has no packed form
 * @param node what {@code insertService} takes as node, or null if it cannot express this
 * @param service what {@code insertService} takes as service
 * @param errno 0 if the address is good, else the errno that it fails with
 * @param stored what a lookup gives when this was inserted
 * @param identity equal for addresses that are the same peer (AV-178, D-16)
 */
record Element(
    FabricAddress value,
    byte @Nullable [] packed,
    @Nullable String node,
    @Nullable String service,
    int errno,
    FabricAddress stored,
    Object identity) {
  @Override
  public String toString() {
    return value + (errno == 0 ? "" : " (bad: " + errno + ")");
  }
}
