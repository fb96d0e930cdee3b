// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.fault;

import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.library.Libfabric;

/**
 * Layers of libfabric over which others can end the process. They are offered only to hints that
 * name the layer or the provider below it.
 *
 * <p>{@code ofi_rxm} before 2.7 reads over a connection that is closed ({@code fi_readv}) when the
 * sender of a large message ends. {@code ofi_rxd} finds a peer by a number in the packet that it
 * does not check ({@code rxd_handle_op}), and {@code fi_cq_read} may not return.
 */
public final class UnsafeLayers {
  private UnsafeLayers() {}

  /**
   * Returns what others can do to a process over a provider that was not asked for; null if nothing
   * is known.
   *
   * @param nativeName the name that libfabric has for the provider
   * @param asked the provider that the hints name; null if they name none
   */
  public static @Nullable String fault(
      @Nullable String nativeName, @Nullable String asked, Libfabric library) {
    if (nativeName == null || asked != null) {
      return null;
    }
    if (PartialMessages.endProcess(nativeName, library)) {
      return "ends the process when a peer ends that is sending a large message";
    }
    return nativeName.endsWith(";ofi_rxd")
        ? "lets anyone who can send packets end the process"
        : null;
  }
}
