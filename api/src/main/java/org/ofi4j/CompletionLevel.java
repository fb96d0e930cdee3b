// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** When an operation counts as ended, fi_cq(3). */
public enum CompletionLevel {
  /** When the kernel has taken a message or write, or the bytes of a read are here. */
  DEFAULT(0),
  /** {@code FI_INJECT_COMPLETE}: when the buffer may be used again. */
  INJECTED(TransferFlag.INJECT_COMPLETE.mask()),
  /**
   * {@code FI_TRANSMIT_COMPLETE}: when the network has the message. Such a message does not wait
   * for others, as short ones may with {@link Progress#MANUAL} that are posted in a row.
   */
  TRANSMITTED(TransferFlag.TRANSMIT_COMPLETE.mask()),
  /** {@code FI_DELIVERY_COMPLETE}: when the message is in the receiver's memory. */
  DELIVERED(TransferFlag.DELIVERY_COMPLETE.mask()),
  /**
   * {@code FI_COMMIT_COMPLETE}: when what is written to remote memory will outlast a crash of the
   * peer, if that memory is a file's; else as {@link #DELIVERED}. For writes.
   */
  COMMITTED(TransferFlag.COMMIT_COMPLETE.mask());

  static final long MASK =
      Flag.maskOf(
          TransferFlag.INJECT_COMPLETE,
          TransferFlag.TRANSMIT_COMPLETE,
          TransferFlag.DELIVERY_COMPLETE,
          TransferFlag.COMMIT_COMPLETE);

  final long flags;

  CompletionLevel(long flags) {
    this.flags = flags;
  }
}
