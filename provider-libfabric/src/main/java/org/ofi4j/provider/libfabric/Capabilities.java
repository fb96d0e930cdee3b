// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.ofi4j.Capability;

/** Bits of {@link Capability} in words. */
final class Capabilities {
  private Capabilities() {}

  static String names(long capabilities) {
    return Arrays.stream(Capability.values())
        .filter(each -> (capabilities & each.mask()) != 0)
        .map(Capability::name)
        .collect(Collectors.joining(", "));
  }
}
