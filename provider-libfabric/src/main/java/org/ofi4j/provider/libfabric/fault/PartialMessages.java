// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.fault;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * Fabrics that end the process after a part of a message was received. Those are all layers of
 * {@code ofi_rxm} before 2.7.
 *
 * <p>When an endpoint is closed, {@code ofi_rxm} takes the record of a message in pieces for a
 * receive ({@code rxm_close_conn}), and {@code tcp} of 1.17 ends the read of a large message twice
 * ({@code tcpx_ep_flush_all_queues}). When the sender of a large message ends, {@code ofi_rxm}
 * reads over a connection that is closed ({@code fi_readv}). Only the first can be avoided: so such
 * a fabric is offered only to hints that name {@code ofi_rxm}.
 */
public final class PartialMessages {
  private PartialMessages() {}

  /**
   * Returns what is wrong with a provider for hints that do not name {@code ofi_rxm}; null if
   * nothing is.
   *
   * @param nativeName the name that libfabric has for the provider
   * @param asked the provider that the hints name; null if they name none
   */
  public static @Nullable String fault(
      @Nullable String nativeName, @Nullable String asked, Libfabric library) {
    boolean named = asked != null && asked.endsWith("ofi_rxm");
    return named || nativeName == null || !endProcess(nativeName, library)
        ? null
        : "ends the process when a peer ends that is sending a large message";
  }

  /**
   * Returns whether a provider has the fault.
   *
   * @param provider the name that libfabric has for it
   */
  public static boolean endProcess(String provider, Libfabric library) {
    return provider.endsWith(";ofi_rxm") && library.isBefore(2, 7);
  }
}
