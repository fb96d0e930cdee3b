// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

/**
 * Offsets of members of the structs of libfabric, by the name of the struct and that of the member.
 * Structs that libfabric writes to, or that objects are opened with, are longer in later versions:
 * so each is given to C with {@value #ROOM} zeroed bytes of its own.
 */
public final class Offsets {
  /** Bytes that a struct is given, more than any has. */
  public static final long ROOM = 256;

  /** The table {@code struct fi_ops}, in the {@code struct fid} with which every object begins. */
  static final long FID_OPS = 16;

  /** The table of functions of the kind of object, behind the {@code struct fid}. */
  static final long OPS = 24;

  // struct fi_info

  public static final long INFO_NEXT = 0;
  public static final long INFO_CAPS = 8;
  public static final long INFO_MODE = 16;
  public static final long INFO_ADDR_FORMAT = 24;
  public static final long INFO_SRC_ADDRLEN = 32;
  public static final long INFO_DEST_ADDRLEN = 40;
  public static final long INFO_SRC_ADDR = 48;
  public static final long INFO_DEST_ADDR = 56;
  public static final long INFO_HANDLE = 64;
  public static final long INFO_TX_ATTR = 72;
  public static final long INFO_RX_ATTR = 80;
  public static final long INFO_EP_ATTR = 88;
  public static final long INFO_DOMAIN_ATTR = 96;
  public static final long INFO_FABRIC_ATTR = 104;

  // struct fi_tx_attr

  public static final long TX_ATTR_CAPS = 0;
  public static final long TX_ATTR_MSG_ORDER = 24;
  public static final long TX_ATTR_SIZE = 48;
  public static final long TX_ATTR_RMA_IOV_LIMIT = 64;

  // struct fi_rx_attr

  public static final long RX_ATTR_CAPS = 0;
  public static final long RX_ATTR_MSG_ORDER = 24;
  public static final long RX_ATTR_SIZE = 48;

  // struct fi_ep_attr

  public static final long EP_ATTR_TYPE = 0;
  public static final long EP_ATTR_PROTOCOL = 4;
  public static final long EP_ATTR_MAX_MSG_SIZE = 16;

  // struct fi_domain_attr

  public static final long DOMAIN_ATTR_NAME = 8;
  public static final long DOMAIN_ATTR_THREADING = 16;
  public static final long DOMAIN_ATTR_DATA_PROGRESS = 24;
  public static final long DOMAIN_ATTR_AV_TYPE = 32;
  public static final long DOMAIN_ATTR_MR_MODE = 36;
  public static final long DOMAIN_ATTR_MR_KEY_SIZE = 40;
  public static final long DOMAIN_ATTR_CQ_DATA_SIZE = 48;

  // struct fi_fabric_attr

  public static final long FABRIC_ATTR_NAME = 8;
  public static final long FABRIC_ATTR_PROV_NAME = 16;
  public static final long FABRIC_ATTR_PROV_VERSION = 24;

  // struct fi_av_attr, fi_av(3)

  public static final long AV_ATTR_TYPE = 0;

  // struct fi_cq_attr, fi_cq(3)

  public static final long CQ_ATTR_SIZE = 0;
  public static final long CQ_ATTR_FORMAT = 16;
  public static final long CQ_ATTR_WAIT_OBJ = 20;

  // struct fi_eq_attr, fi_eq(3)

  public static final long EQ_ATTR_WAIT_OBJ = 16;

  // struct fi_mr_attr, fi_mr(3)

  public static final long MR_ATTR_MR_IOV = 0;
  public static final long MR_ATTR_IOV_COUNT = 8;
  public static final long MR_ATTR_ACCESS = 16;
  public static final long MR_ATTR_REQUESTED_KEY = 32;

  // struct iovec

  public static final long IOVEC_IOV_BASE = 0;
  public static final long IOVEC_IOV_LEN = 8;

  // struct fid_domain

  public static final long FID_DOMAIN_MR = 32;

  // struct fid_mr

  public static final long FID_MR_MEM_DESC = 24;
  public static final long FID_MR_KEY = 32;

  // struct fid_ep; the first members are those of struct fid_pep, too

  public static final long FID_EP_CM = 32;
  public static final long FID_EP_MSG = 40;
  public static final long FID_EP_RMA = 48;
  public static final long FID_EP_TAGGED = 56;

  // struct fi_msg, fi_msg(3); the first three members are those of fi_msg_tagged and
  // fi_msg_rma, too

  public static final long MSG_MSG_IOV = 0;
  public static final long MSG_DESC = 8;
  public static final long MSG_IOV_COUNT = 16;
  public static final long MSG_ADDR = 24;
  public static final long MSG_CONTEXT = 32;
  public static final long MSG_DATA = 40;

  // struct fi_msg_tagged, fi_tagged(3)

  public static final long TAGGED_ADDR = 24;
  public static final long TAGGED_TAG = 32;
  public static final long TAGGED_IGNORE = 40;
  public static final long TAGGED_CONTEXT = 48;
  public static final long TAGGED_DATA = 56;

  // struct fi_msg_rma, fi_rma(3)

  public static final long RMA_ADDR = 24;
  public static final long RMA_RMA_IOV = 32;
  public static final long RMA_RMA_IOV_COUNT = 40;
  public static final long RMA_CONTEXT = 48;
  public static final long RMA_DATA = 56;

  // struct fi_rma_iov

  public static final long RMA_IOV_ADDR = 0;
  public static final long RMA_IOV_LEN = 8;
  public static final long RMA_IOV_KEY = 16;

  // struct fi_cq_tagged_entry, fi_cq(3)

  public static final long CQ_ENTRY_OP_CONTEXT = 0;
  public static final long CQ_ENTRY_FLAGS = 8;
  public static final long CQ_ENTRY_LEN = 16;
  public static final long CQ_ENTRY_DATA = 32;
  public static final long CQ_ENTRY_TAG = 40;

  // struct fi_cq_err_entry

  public static final long CQ_ERROR_OP_CONTEXT = 0;
  public static final long CQ_ERROR_LEN = 16;
  public static final long CQ_ERROR_TAG = 40;
  public static final long CQ_ERROR_OLEN = 48;
  public static final long CQ_ERROR_ERR = 56;
  public static final long CQ_ERROR_PROV_ERRNO = 60;
  public static final long CQ_ERROR_ERR_DATA = 64;

  // struct fi_eq_cm_entry, with the data of the peer behind it

  public static final long CM_ENTRY_FID = 0;
  public static final long CM_ENTRY_INFO = 8;
  public static final long CM_ENTRY_DATA = 16;

  // struct fi_eq_err_entry

  public static final long EQ_ERROR_FID = 0;
  public static final long EQ_ERROR_ERR = 24;
  public static final long EQ_ERROR_PROV_ERRNO = 28;
  public static final long EQ_ERROR_ERR_DATA = 32;
  public static final long EQ_ERROR_ERR_DATA_SIZE = 40;

  private Offsets() {}
}
