// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;

/** Which fabrics say truly whom a message is from. */
public final class Sources {
  private Sources() {}

  /**
   * Whether sources of a provider are true: those of {@code ofi_rxd} never are, those of {@code
   * shm} not before 1.18, where unknown senders are the first one.
   *
   * @param provider null for any
   */
  public static boolean areTrue(@Nullable String provider, Libfabric library) {
    return provider == null
        || !(provider.endsWith("ofi_rxd") || (provider.equals("shm") && library.isBefore(1, 18)));
  }
}
