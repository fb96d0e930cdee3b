// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.fault;

import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Flag;
import org.ofi4j.provider.libfabric.library.Libfabric;

/** Over which fabrics receives can name the one peer whose messages they take. */
public final class DirectedSources {
  /** What hints may ask for; libfabric knows the first of them in all releases. */
  public static final long ALL =
      Flag.maskOf(
          Capability.DIRECTED_RECEIVE,
          Capability.TAGGED_DIRECTED_RECEIVE,
          Capability.EXACT_DIRECTED_RECEIVE);

  /** Those that keep receives in {@code util_srx}, which from some release on all have. */
  private static final Set<String> SHARED_CODE = Set.of("shm", "efa", "lnx");

  private DirectedSources() {}

  /**
   * What is wrong with the receives of a provider that name their source.
   *
   * @param provider as libfabric calls it; null for any
   * @return words that stand behind the provider's name; null if there is nothing
   */
  public static @Nullable String fault(@Nullable String provider, Libfabric library) {
    if (provider == null) {
      return null;
    }
    boolean early = library.isBefore(1, 19);
    boolean layered = provider.endsWith(";ofi_rxm");
    if (provider.endsWith(";ofi_rxd") || (provider.equals("shm") && early)) {
      return "takes one sender for another";
    }
    if ((SHARED_CODE.contains(provider) && !early) || (layered && !library.isBefore(2, 0))) {
      return "writes to freed memory when some receives name their source and others do not";
    }
    if (layered) {
      return "loses connections, and sources of messages, where receives name their source";
    }
    if (provider.equals("net") || provider.equals("tcp")) {
      return "does not look at the source of untagged receives, and gives tagged ones the messages"
          + " of others";
    }
    return null;
  }
}
