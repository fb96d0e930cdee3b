// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

/** Offsets in {@code struct fi_info} and in the structs that it points to, fi_getinfo(3). */
public final class InfoStructs {
  private InfoStructs() {}

  /** {@code struct fi_info}. */
  public static final class FabricInfo {
    public static final long NEXT = 0;
    public static final long CAPS = 8;
    public static final long MODE = 16;
    public static final long ADDR_FORMAT = 24;
    public static final long SRC_ADDRLEN = 32;
    public static final long DEST_ADDRLEN = 40;
    public static final long SRC_ADDR = 48;
    public static final long DEST_ADDR = 56;
    public static final long HANDLE = 64;
    public static final long TX_ATTR = 72;
    public static final long RX_ATTR = 80;
    public static final long EP_ATTR = 88;
    public static final long DOMAIN_ATTR = 96;
    public static final long FABRIC_ATTR = 104;

    private FabricInfo() {}
  }

  /** {@code struct fi_tx_attr}. */
  public static final class Transmit {
    public static final long CAPS = 0;
    public static final long MSG_ORDER = 24;
    public static final long SIZE = 48;
    public static final long RMA_IOV_LIMIT = 64;

    private Transmit() {}
  }

  /** {@code struct fi_rx_attr}. */
  public static final class Receive {
    public static final long CAPS = 0;
    public static final long MSG_ORDER = 24;
    public static final long SIZE = 48;

    private Receive() {}
  }

  /** {@code struct fi_ep_attr}. */
  public static final class EndpointAttributes {
    public static final long TYPE = 0;
    public static final long PROTOCOL = 4;
    public static final long MAX_MSG_SIZE = 16;

    private EndpointAttributes() {}
  }

  /** {@code struct fi_domain_attr}. */
  public static final class DomainAttributes {
    public static final long NAME = 8;
    public static final long THREADING = 16;
    public static final long DATA_PROGRESS = 24;
    public static final long AV_TYPE = 32;
    public static final long MR_MODE = 36;
    public static final long MR_KEY_SIZE = 40;
    public static final long CQ_DATA_SIZE = 48;

    private DomainAttributes() {}
  }

  /** {@code struct fi_fabric_attr}. */
  public static final class FabricAttributes {
    public static final long NAME = 8;
    public static final long PROV_NAME = 16;
    public static final long PROV_VERSION = 24;

    private FabricAttributes() {}
  }
}
