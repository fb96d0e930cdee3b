// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import java.util.Locale;

/**
 * The functions in the tables of libfabric's objects. A name is that of the kind of object or table
 * and that of the function.
 */
public enum NativeFunction {
  FID_CLOSE("fi_ops", Offsets.FID_OPS, 8),
  FID_BIND("fi_ops", Offsets.FID_OPS, 16),
  FID_CONTROL("fi_ops", Offsets.FID_OPS, 24),
  FABRIC_DOMAIN("fi_ops_fabric", Offsets.OPS, 8),
  FABRIC_PASSIVE_EP("fi_ops_fabric", Offsets.OPS, 16),
  FABRIC_EQ_OPEN("fi_ops_fabric", Offsets.OPS, 24),
  FABRIC_TRYWAIT("fi_ops_fabric", Offsets.OPS, 40),
  DOMAIN_AV_OPEN("fi_ops_domain", Offsets.OPS, 8),
  DOMAIN_CQ_OPEN("fi_ops_domain", Offsets.OPS, 16),
  DOMAIN_ENDPOINT("fi_ops_domain", Offsets.OPS, 24),
  DOMAIN_CNTR_OPEN("fi_ops_domain", Offsets.OPS, 40),
  MR_REGATTR("fi_ops_mr", Offsets.FID_DOMAIN_MR, 24),
  AV_INSERT("fi_ops_av", Offsets.OPS, 8),
  AV_REMOVE("fi_ops_av", Offsets.OPS, 32),
  CQ_READ("fi_ops_cq", Offsets.OPS, 8),
  CQ_READFROM("fi_ops_cq", Offsets.OPS, 16),
  CQ_READERR("fi_ops_cq", Offsets.OPS, 24),
  CQ_STRERROR("fi_ops_cq", Offsets.OPS, 56),
  CNTR_READ("fi_ops_cntr", Offsets.OPS, 8),
  CNTR_READERR("fi_ops_cntr", Offsets.OPS, 16),
  EP_CANCEL("fi_ops_ep", Offsets.OPS, 8),
  EP_GETOPT("fi_ops_ep", Offsets.OPS, 16),
  CM_GETNAME("fi_ops_cm", Offsets.FID_EP_CM, 16),
  CM_GETPEER("fi_ops_cm", Offsets.FID_EP_CM, 24),
  CM_CONNECT("fi_ops_cm", Offsets.FID_EP_CM, 32),
  CM_LISTEN("fi_ops_cm", Offsets.FID_EP_CM, 40),
  CM_ACCEPT("fi_ops_cm", Offsets.FID_EP_CM, 48),
  CM_REJECT("fi_ops_cm", Offsets.FID_EP_CM, 56),
  CM_SHUTDOWN("fi_ops_cm", Offsets.FID_EP_CM, 64),
  EQ_READ("fi_ops_eq", Offsets.OPS, 8),
  EQ_READERR("fi_ops_eq", Offsets.OPS, 16),
  EQ_STRERROR("fi_ops_eq", Offsets.OPS, 40),
  MSG_RECV("fi_ops_msg", Offsets.FID_EP_MSG, 8),
  MSG_RECVMSG("fi_ops_msg", Offsets.FID_EP_MSG, 24),
  MSG_SEND("fi_ops_msg", Offsets.FID_EP_MSG, 32),
  MSG_SENDMSG("fi_ops_msg", Offsets.FID_EP_MSG, 48),
  TAGGED_RECV("fi_ops_tagged", Offsets.FID_EP_TAGGED, 8),
  TAGGED_RECVMSG("fi_ops_tagged", Offsets.FID_EP_TAGGED, 24),
  TAGGED_SEND("fi_ops_tagged", Offsets.FID_EP_TAGGED, 32),
  TAGGED_SENDMSG("fi_ops_tagged", Offsets.FID_EP_TAGGED, 48),
  RMA_READMSG("fi_ops_rma", Offsets.FID_EP_RMA, 24),
  RMA_WRITEMSG("fi_ops_rma", Offsets.FID_EP_RMA, 48);

  /** The name of the struct that is the table. */
  final String table;

  /** The offset of the pointer to the table in an object. */
  final long pointer;

  /** The offset of the function in the table. */
  final long offset;

  NativeFunction(String table, long pointer, long offset) {
    this.table = table;
    this.pointer = pointer;
    this.offset = offset;
  }

  /** Returns the name of the member of the struct. */
  String member() {
    return name().substring(name().indexOf('_') + 1).toLowerCase(Locale.ROOT);
  }
}
