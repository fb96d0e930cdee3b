// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static org.ofi4j.provider.libfabric.library.StructMembers.offset;
import static org.ofi4j.provider.libfabric.library.StructMembers.struct;
import static org.ofi4j.provider.libfabric.library.StructMembers.u32;
import static org.ofi4j.provider.libfabric.library.StructMembers.u64;

import java.lang.foreign.StructLayout;
import java.util.List;

/** {@code struct fi_info} and what it points to, fi_getinfo(3): where each member is. */
public final class InfoStructs {
  /** All of them, for who compares them with the headers. */
  static final List<StructLayout> ALL =
      List.of(
          FabricInfo.LAYOUT,
          Transmit.LAYOUT,
          Receive.LAYOUT,
          EndpointAttributes.LAYOUT,
          DomainAttributes.LAYOUT,
          FabricAttributes.LAYOUT);

  private InfoStructs() {}

  /** {@code struct fi_info}. */
  public static final class FabricInfo {
    static final StructLayout LAYOUT =
        struct(
            "fi_info",
            u64("next"),
            u64("caps"),
            u64("mode"),
            u32("addr_format"),
            u64("src_addrlen"),
            u64("dest_addrlen"),
            u64("src_addr"),
            u64("dest_addr"),
            u64("handle"),
            u64("tx_attr"),
            u64("rx_attr"),
            u64("ep_attr"),
            u64("domain_attr"),
            u64("fabric_attr"),
            u64("nic"));

    public static final long NEXT = offset(LAYOUT, "next");
    public static final long CAPS = offset(LAYOUT, "caps");
    public static final long MODE = offset(LAYOUT, "mode");
    public static final long ADDR_FORMAT = offset(LAYOUT, "addr_format");
    public static final long SRC_ADDRLEN = offset(LAYOUT, "src_addrlen");
    public static final long DEST_ADDRLEN = offset(LAYOUT, "dest_addrlen");
    public static final long SRC_ADDR = offset(LAYOUT, "src_addr");
    public static final long DEST_ADDR = offset(LAYOUT, "dest_addr");
    public static final long HANDLE = offset(LAYOUT, "handle");
    public static final long TX_ATTR = offset(LAYOUT, "tx_attr");
    public static final long RX_ATTR = offset(LAYOUT, "rx_attr");
    public static final long EP_ATTR = offset(LAYOUT, "ep_attr");
    public static final long DOMAIN_ATTR = offset(LAYOUT, "domain_attr");
    public static final long FABRIC_ATTR = offset(LAYOUT, "fabric_attr");

    private FabricInfo() {}
  }

  /** {@code struct fi_tx_attr}. */
  public static final class Transmit {
    static final StructLayout LAYOUT =
        struct(
            "fi_tx_attr",
            u64("caps"),
            u64("mode"),
            u64("op_flags"),
            u64("msg_order"),
            u64("comp_order"),
            u64("inject_size"),
            u64("size"),
            u64("iov_limit"),
            u64("rma_iov_limit"));

    public static final long CAPS = offset(LAYOUT, "caps");
    public static final long MODE = offset(LAYOUT, "mode");
    public static final long MSG_ORDER = offset(LAYOUT, "msg_order");
    public static final long SIZE = offset(LAYOUT, "size");
    public static final long IOV_LIMIT = offset(LAYOUT, "iov_limit");
    public static final long RMA_IOV_LIMIT = offset(LAYOUT, "rma_iov_limit");

    private Transmit() {}
  }

  /** {@code struct fi_rx_attr}. */
  public static final class Receive {
    static final StructLayout LAYOUT =
        struct(
            "fi_rx_attr",
            u64("caps"),
            u64("mode"),
            u64("op_flags"),
            u64("msg_order"),
            u64("comp_order"),
            u64("total_buffered_recv"),
            u64("size"),
            u64("iov_limit"));

    public static final long CAPS = offset(LAYOUT, "caps");
    public static final long MODE = offset(LAYOUT, "mode");
    public static final long MSG_ORDER = offset(LAYOUT, "msg_order");
    public static final long SIZE = offset(LAYOUT, "size");
    public static final long IOV_LIMIT = offset(LAYOUT, "iov_limit");

    private Receive() {}
  }

  /** {@code struct fi_ep_attr}. */
  public static final class EndpointAttributes {
    static final StructLayout LAYOUT =
        struct(
            "fi_ep_attr",
            u32("type"),
            u32("protocol"),
            u32("protocol_version"),
            u64("max_msg_size"),
            u64("msg_prefix_size"),
            u64("max_order_raw_size"),
            u64("max_order_war_size"),
            u64("max_order_waw_size"),
            u64("mem_tag_format"),
            u64("tx_ctx_cnt"),
            u64("rx_ctx_cnt"),
            u64("auth_key_size"),
            u64("auth_key"));

    public static final long TYPE = offset(LAYOUT, "type");
    public static final long PROTOCOL = offset(LAYOUT, "protocol");
    public static final long MAX_MSG_SIZE = offset(LAYOUT, "max_msg_size");

    private EndpointAttributes() {}
  }

  /** {@code struct fi_domain_attr}. */
  public static final class DomainAttributes {
    static final StructLayout LAYOUT =
        struct(
            "fi_domain_attr",
            u64("domain"),
            u64("name"),
            u32("threading"),
            u32("control_progress"),
            u32("data_progress"),
            u32("resource_mgmt"),
            u32("av_type"),
            u32("mr_mode"),
            u64("mr_key_size"),
            u64("cq_data_size"),
            u64("cq_cnt"),
            u64("ep_cnt"),
            u64("tx_ctx_cnt"),
            u64("rx_ctx_cnt"),
            u64("max_ep_tx_ctx"),
            u64("max_ep_rx_ctx"),
            u64("max_ep_stx_ctx"),
            u64("max_ep_srx_ctx"),
            u64("cntr_cnt"),
            u64("mr_iov_limit"),
            u64("caps"),
            u64("mode"),
            u64("auth_key"),
            u64("auth_key_size"),
            u64("max_err_data"),
            u64("mr_cnt"));

    public static final long NAME = offset(LAYOUT, "name");
    public static final long THREADING = offset(LAYOUT, "threading");
    public static final long PROGRESS = offset(LAYOUT, "data_progress");
    public static final long AV_TYPE = offset(LAYOUT, "av_type");
    public static final long MR_MODE = offset(LAYOUT, "mr_mode");
    public static final long MR_KEY_SIZE = offset(LAYOUT, "mr_key_size");
    public static final long CQ_DATA_SIZE = offset(LAYOUT, "cq_data_size");
    public static final long CAPS = offset(LAYOUT, "caps");

    private DomainAttributes() {}
  }

  /** {@code struct fi_fabric_attr}. */
  public static final class FabricAttributes {
    static final StructLayout LAYOUT =
        struct(
            "fi_fabric_attr",
            u64("fabric"),
            u64("name"),
            u64("prov_name"),
            u32("prov_version"),
            u32("api_version"));

    public static final long NAME = offset(LAYOUT, "name");
    public static final long PROV_NAME = offset(LAYOUT, "prov_name");
    public static final long PROV_VERSION = offset(LAYOUT, "prov_version");

    private FabricAttributes() {}
  }
}
