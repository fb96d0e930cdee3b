// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.fault;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;

/** Which fabrics can say whom a message is from. */
public final class Sources {
  private static final String WRONG = "names wrong sources";

  private Sources() {}

  /**
   * What is wrong with the sources of a provider: those of {@code ofi_rxd} are never true, those of
   * {@code shm} not before 1.18, where unknown senders are the first one.
   *
   * @param provider null for any
   * @return null if there is nothing
   */
  public static @Nullable String fault(@Nullable String provider, Libfabric library) {
    if (provider == null) {
      return null;
    }
    boolean old = provider.equals("shm") && library.isBefore(1, 18);
    return old || provider.endsWith("ofi_rxd") ? WRONG : null;
  }
}
