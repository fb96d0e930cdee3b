// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;

/**
 * Places endpoints on the loopback interface, at a port that the system picks. A fabric with names
 * of its own picks one.
 */
final class Loopback {
  private Loopback() {}

  static FabricInfo at(FabricInfo info) {
    return switch (info.addressFormat()) {
      case SOCKADDR, SOCKADDR_IP, SOCKADDR_IN ->
          info.withSource(new FabricAddress.SocketAddress4(0x7f00_0001, 0));
      case SOCKADDR_IN6 -> info.withSource(new FabricAddress.SocketAddress6(0, 1, 0, 0, 0));
      case STR ->
          FabricTexts.areIn(info)
              ? info
              : info.withSource(new FabricAddress.TextAddress("fi_sockaddr_in://127.0.0.1:0"));
      default -> info;
    };
  }
}
