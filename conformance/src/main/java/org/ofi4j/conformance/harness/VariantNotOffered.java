// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.util.List;
import java.util.stream.Collectors;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricInfo;
import org.opentest4j.TestAbortedException;

/**
 * Aborts a test that needs addresses of a format that the provider has not, though it offers all
 * else. Where the same test passes with another format, its rules are proven: fabrics have one
 * format or a few, and the rules are the same for all.
 */
public final class FormatNotOffered extends TestAbortedException {
  private static final long serialVersionUID = 1;

  FormatNotOffered(AddressFormat asked, List<FabricInfo> others) {
    super(
        "not offered: address format %s: %s has %s"
            .formatted(
                asked,
                others.getFirst().fabric().provider(),
                others.stream()
                    .map(offer -> offer.addressFormat().name())
                    .distinct()
                    .collect(Collectors.joining(", "))));
  }
}
