// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.offer;

import java.util.List;

/** The names of the numbers of {@code FI_PROTO_*}. */
public final class NativeProtocol {
  private static final List<String> NAMES =
      List.of(
          "UNSPEC",
          "RDMA_CM_IB_RC",
          "IWARP",
          "IB_UD",
          "PSMX",
          "UDP",
          "SOCK_TCP",
          "MXM",
          "IWARP_RDM",
          "IB_RDM",
          "GNI",
          "RXM",
          "RXD",
          "MLX",
          "NETWORKDIRECT",
          "PSMX2",
          "SHM",
          "MRAIL",
          "RSTREAM",
          "RDMA_CM_IB_XRC",
          "EFA",
          "PSMX3",
          "RXM_TCP",
          "OPX",
          "CXI",
          "XNET");

  private NativeProtocol() {}

  /** Returns the name of a protocol. */
  public static String name(int number) {
    return number >= 0 && number < NAMES.size() ? NAMES.get(number) : "protocol " + number;
  }
}
