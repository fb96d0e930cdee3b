// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

import static org.ofi4j.provider.libfabric.library.StructMembers.offset;
import static org.ofi4j.provider.libfabric.library.StructMembers.struct;
import static org.ofi4j.provider.libfabric.library.StructMembers.u32;
import static org.ofi4j.provider.libfabric.library.StructMembers.u64;

import java.lang.foreign.StructLayout;
import java.util.List;

/**
 * What operations are posted with, and what is read of them when they have ended: where each member
 * is.
 */
public final class TransferStructs {
  /** All of them, for who compares them with the headers. */
  static final List<StructLayout> ALL =
      List.of(
          Message.LAYOUT,
          TaggedMessage.LAYOUT,
          RemoteMessage.LAYOUT,
          RemotePiece.LAYOUT,
          Entry.LAYOUT,
          ErrorEntry.LAYOUT);

  private TransferStructs() {}

  /** {@code struct fi_msg}, fi_msg(3). */
  public static final class Message {
    static final StructLayout LAYOUT =
        struct(
            "fi_msg",
            u64("msg_iov"),
            u64("desc"),
            u64("iov_count"),
            u64("addr"),
            u64("context"),
            u64("data"));

    public static final long MSG_IOV = offset(LAYOUT, "msg_iov");
    public static final long DESC = offset(LAYOUT, "desc");
    public static final long IOV_COUNT = offset(LAYOUT, "iov_count");
    public static final long ADDR = offset(LAYOUT, "addr");
    public static final long CONTEXT = offset(LAYOUT, "context");
    public static final long DATA = offset(LAYOUT, "data");

    private Message() {}
  }

  /** {@code struct fi_msg_tagged}, fi_tagged(3). */
  public static final class TaggedMessage {
    static final StructLayout LAYOUT =
        struct(
            "fi_msg_tagged",
            u64("msg_iov"),
            u64("desc"),
            u64("iov_count"),
            u64("addr"),
            u64("tag"),
            u64("ignore"),
            u64("context"),
            u64("data"));

    public static final long MSG_IOV = offset(LAYOUT, "msg_iov");
    public static final long DESC = offset(LAYOUT, "desc");
    public static final long IOV_COUNT = offset(LAYOUT, "iov_count");
    public static final long ADDR = offset(LAYOUT, "addr");
    public static final long TAG = offset(LAYOUT, "tag");
    public static final long IGNORE = offset(LAYOUT, "ignore");
    public static final long CONTEXT = offset(LAYOUT, "context");
    public static final long DATA = offset(LAYOUT, "data");

    private TaggedMessage() {}
  }

  /** {@code struct fi_msg_rma}, fi_rma(3). */
  public static final class RemoteMessage {
    static final StructLayout LAYOUT =
        struct(
            "fi_msg_rma",
            u64("msg_iov"),
            u64("desc"),
            u64("iov_count"),
            u64("addr"),
            u64("rma_iov"),
            u64("rma_iov_count"),
            u64("context"),
            u64("data"));

    public static final long MSG_IOV = offset(LAYOUT, "msg_iov");
    public static final long DESC = offset(LAYOUT, "desc");
    public static final long IOV_COUNT = offset(LAYOUT, "iov_count");
    public static final long ADDR = offset(LAYOUT, "addr");
    public static final long RMA_IOV = offset(LAYOUT, "rma_iov");
    public static final long RMA_IOV_COUNT = offset(LAYOUT, "rma_iov_count");
    public static final long CONTEXT = offset(LAYOUT, "context");
    public static final long DATA = offset(LAYOUT, "data");

    private RemoteMessage() {}
  }

  /** {@code struct fi_rma_iov}. */
  public static final class RemotePiece {
    static final StructLayout LAYOUT = struct("fi_rma_iov", u64("addr"), u64("len"), u64("key"));

    public static final long ADDR = offset(LAYOUT, "addr");
    public static final long LEN = offset(LAYOUT, "len");
    public static final long KEY = offset(LAYOUT, "key");

    private RemotePiece() {}
  }

  /** {@code struct fi_cq_tagged_entry}, fi_cq(3). */
  public static final class Entry {
    static final StructLayout LAYOUT =
        struct(
            "fi_cq_tagged_entry",
            u64("op_context"),
            u64("flags"),
            u64("len"),
            u64("buf"),
            u64("data"),
            u64("tag"));

    public static final long OP_CONTEXT = offset(LAYOUT, "op_context");
    public static final long FLAGS = offset(LAYOUT, "flags");
    public static final long LEN = offset(LAYOUT, "len");
    public static final long BUF = offset(LAYOUT, "buf");
    public static final long DATA = offset(LAYOUT, "data");
    public static final long TAG = offset(LAYOUT, "tag");

    private Entry() {}
  }

  /** {@code struct fi_cq_err_entry}. */
  public static final class ErrorEntry {
    static final StructLayout LAYOUT =
        struct(
            "fi_cq_err_entry",
            u64("op_context"),
            u64("flags"),
            u64("len"),
            u64("buf"),
            u64("data"),
            u64("tag"),
            u64("olen"),
            u32("err"),
            u32("prov_errno"),
            u64("err_data"),
            u64("err_data_size"));

    public static final long OP_CONTEXT = offset(LAYOUT, "op_context");
    public static final long FLAGS = offset(LAYOUT, "flags");
    public static final long LEN = offset(LAYOUT, "len");
    public static final long BUF = offset(LAYOUT, "buf");
    public static final long DATA = offset(LAYOUT, "data");
    public static final long TAG = offset(LAYOUT, "tag");
    public static final long OLEN = offset(LAYOUT, "olen");
    public static final long ERR = offset(LAYOUT, "err");
    public static final long PROV_ERRNO = offset(LAYOUT, "prov_errno");
    public static final long ERR_DATA = offset(LAYOUT, "err_data");

    private ErrorEntry() {}
  }
}
