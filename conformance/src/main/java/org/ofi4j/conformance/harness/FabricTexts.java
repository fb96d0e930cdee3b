// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricInfo;

/** Which fabrics have addresses that are text in itself, and not that of a socket's address. */
public final class FabricTexts {
  private FabricTexts() {}

  /** Whether a fabric takes any text that has a format, such as {@code fi_shm://1234:0:0}. */
  public static boolean areIn(FabricInfo info) {
    return info.source() instanceof TextAddress own && !own.text().startsWith("fi_sockaddr");
  }

  /** Whether text has a format, which it needs to be an address of any fabric. */
  public static boolean hasFormat(String text) {
    return text.contains("://");
  }
}
