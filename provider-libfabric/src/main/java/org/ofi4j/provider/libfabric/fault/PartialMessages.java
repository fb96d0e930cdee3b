// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.fault;

import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * Fabrics that end the process when an endpoint is closed which has received a part of a message.
 * Those are all layers of {@code ofi_rxm} before 2.7: of a message in pieces it takes the record of
 * the message for a receive ({@code rxm_close_conn}). Where it reads a large message from its
 * sender, {@code tcp} of 1.17 ends the read twice ({@code tcpx_ep_flush_all_queues}).
 */
public final class PartialMessages {
  private PartialMessages() {}

  /**
   * Returns whether a provider has the fault.
   *
   * @param provider the name that libfabric has for it
   */
  public static boolean endProcess(String provider, Libfabric library) {
    return provider.endsWith(";ofi_rxm") && library.isBefore(2, 7);
  }
}
