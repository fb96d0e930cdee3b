// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** What a receive does with messages, fi_msg(3) and fi_tagged(3). */
public enum ReceiveMode {
  /** Takes one message. */
  ONE_MESSAGE(0),
  /**
   * {@code FI_MULTI_RECV}: takes one message after another, until {@linkplain
   * EndpointOptions#minMultiReceive too little} is left of the buffer. For untagged receives into
   * one piece of memory, with {@link Capability#MULTI_RECEIVE}. Each message has a completion with
   * the context of the receive, and with the place in the buffer at which it begins where tagged
   * messages have their tag. The last one has {@link CompletionFlag#MULTI_RECEIVE}, and stands
   * alone if no message comes with it.
   */
  SEVERAL_MESSAGES(TransferFlag.MULTI_RECEIVE.mask()),
  /**
   * {@code FI_PEEK}: looks for a message that has come, and leaves it where it is; the buffer is
   * not used. Its completion says what a receive would report, but that unknown senders are no
   * errors; if no message has come, it is a {@link Completion.Failure} with {@link Errno#ENOMSG},
   * at once: look again later.
   */
  PEEK(TransferFlag.PEEK.mask()),
  /**
   * {@code FI_PEEK | FI_CLAIM}: as {@link #PEEK}, and puts the message aside for a receive with the
   * same context and {@link #CLAIM}; no other receive gets it. The context is compared by identity,
   * and must not be null.
   */
  PEEK_AND_CLAIM(TransferFlag.PEEK.mask() | TransferFlag.CLAIM.mask()),
  /** {@code FI_PEEK | FI_DISCARD}: as {@link #PEEK}, and drops the message. */
  PEEK_AND_DISCARD(TransferFlag.PEEK.mask() | TransferFlag.DISCARD.mask()),
  /** {@code FI_CLAIM}: takes the message that {@link #PEEK_AND_CLAIM} put aside. */
  CLAIM(TransferFlag.CLAIM.mask()),
  /**
   * {@code FI_CLAIM | FI_DISCARD}: drops the message that {@link #PEEK_AND_CLAIM} put aside; the
   * buffer is not used.
   */
  DISCARD_CLAIMED(TransferFlag.CLAIM.mask() | TransferFlag.DISCARD.mask());

  static final long MASK =
      Flag.maskOf(
          TransferFlag.MULTI_RECEIVE, TransferFlag.PEEK, TransferFlag.CLAIM, TransferFlag.DISCARD);

  final long flags;

  ReceiveMode(long flags) {
    this.flags = flags;
  }
}
