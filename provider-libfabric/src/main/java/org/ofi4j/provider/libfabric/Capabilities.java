// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.ofi4j.Capability;
import org.ofi4j.Flag;
import org.ofi4j.provider.libfabric.fault.DirectedSources;

/** Bits of {@link Capability} in words. */
final class Capabilities {
  /** What our vector in front of libfabric's gives, whatever the fabric. */
  static final long OURS = Flag.maskOf(Capability.AV_USER_ID, Capability.SHARED_AV);

  private Capabilities() {}

  /** What libfabric is asked for: it knows one capability for receives that name their source. */
  static long toNative(long capabilities) {
    long others = capabilities & ~OURS & ~DirectedSources.ALL;
    return (capabilities & DirectedSources.ALL) == 0
        ? others
        : others | Capability.DIRECTED_RECEIVE.mask();
  }

  static String names(long capabilities) {
    return Arrays.stream(Capability.values())
        .filter(each -> (capabilities & each.mask()) != 0)
        .map(Capability::name)
        .collect(Collectors.joining(", "));
  }
}
