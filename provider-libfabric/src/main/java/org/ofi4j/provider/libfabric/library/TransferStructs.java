// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.library;

/** Offsets in the structs that operations are posted with, and in entries of completion queues. */
public final class TransferStructs {
  private TransferStructs() {}

  /**
   * {@code struct fi_msg}, fi_msg(3). The first three members are those of {@link TaggedMessage}
   * and {@link RemoteMessage}, too.
   */
  public static final class Message {
    public static final long MSG_IOV = 0;
    public static final long DESC = 8;
    public static final long IOV_COUNT = 16;
    public static final long ADDR = 24;
    public static final long CONTEXT = 32;
    public static final long DATA = 40;

    private Message() {}
  }

  /** {@code struct fi_msg_tagged}, fi_tagged(3). */
  public static final class TaggedMessage {
    public static final long ADDR = 24;
    public static final long TAG = 32;
    public static final long IGNORE = 40;
    public static final long CONTEXT = 48;
    public static final long DATA = 56;

    private TaggedMessage() {}
  }

  /** {@code struct fi_msg_rma}, fi_rma(3). */
  public static final class RemoteMessage {
    public static final long ADDR = 24;
    public static final long RMA_IOV = 32;
    public static final long RMA_IOV_COUNT = 40;
    public static final long CONTEXT = 48;
    public static final long DATA = 56;

    private RemoteMessage() {}
  }

  /** {@code struct fi_rma_iov}. */
  public static final class RemotePiece {
    public static final long ADDR = 0;
    public static final long LEN = 8;
    public static final long KEY = 16;

    private RemotePiece() {}
  }

  /** {@code struct fi_cq_tagged_entry}, fi_cq(3). */
  public static final class Entry {
    public static final long OP_CONTEXT = 0;
    public static final long FLAGS = 8;
    public static final long LEN = 16;
    public static final long DATA = 32;
    public static final long TAG = 40;

    private Entry() {}
  }

  /** {@code struct fi_cq_err_entry}. */
  public static final class ErrorEntry {
    public static final long OP_CONTEXT = 0;
    public static final long LEN = 16;
    public static final long TAG = 40;
    public static final long OLEN = 48;
    public static final long ERR = 56;
    public static final long PROV_ERRNO = 60;
    public static final long ERR_DATA = 64;

    private ErrorEntry() {}
  }
}
