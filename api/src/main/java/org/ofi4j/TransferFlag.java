// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * Flags of a single send, receive, or access to remote memory, as a provider finds them in {@link
 * TransferRequest#flags}. An application says them by methods of requests.
 */
public enum TransferFlag implements Flag {
  /**
   * {@code FI_MULTI_RECV}: the buffer takes one message after another, until too little is left of
   * it; see {@link EndpointOptions#minMultiReceive}. For untagged receives with {@link
   * Capability#MULTI_RECEIVE}. Each message has a completion with the context of the receive, and
   * with the place in the buffer at which it begins where tagged messages have their tag. The last
   * one has {@link CompletionFlag#MULTI_RECEIVE}, and stands alone if no message comes with it.
   */
  MULTI_RECEIVE(16),
  /** {@code FI_REMOTE_CQ_DATA}: the message, or write, carries immediate data. */
  REMOTE_CQ_DATA(17),
  /**
   * {@code FI_MORE}: further operations follow at once. A hint: a message may wait for the next one
   * without it, or until progress is made.
   */
  MORE(18),
  /**
   * {@code FI_PEEK}: looks for a message that has come, and leaves it where it is; the buffer is
   * not used. Completes with what a receive would report, but that unknown senders are no errors;
   * or fails with {@link Errno#ENOMSG}.
   */
  PEEK(19),
  /** {@code FI_COMPLETION}: report this operation although the binding is selective. */
  COMPLETION(24),
  /** {@code FI_INJECT}: the buffer may be used again as soon as the call returns. */
  INJECT(25),
  /** {@code FI_INJECT_COMPLETE}: complete when the buffer may be used again. */
  INJECT_COMPLETE(26),
  /**
   * {@code FI_TRANSMIT_COMPLETE}: complete when the network has the message. A message with this
   * flag does not wait for others, as short ones may with {@link Progress#MANUAL} that are posted
   * in a row.
   */
  TRANSMIT_COMPLETE(27),
  /** {@code FI_DELIVERY_COMPLETE}: complete when the message is in the receiver's memory. */
  DELIVERY_COMPLETE(28),
  /**
   * {@code FI_COMMIT_COMPLETE}: complete when what is written to remote memory will outlast a crash
   * of the peer, if that memory is a file's; else as {@link #DELIVERY_COMPLETE}. For writes.
   */
  COMMIT_COMPLETE(30),
  /**
   * {@code FI_AUTH_KEY}: the source of a receive is the handle of an authorization key, and any
   * sender under that key will do. For receives of endpoints that can select their source.
   */
  AUTH_KEY(57),
  /**
   * {@code FI_DISCARD}: with {@link #PEEK} or {@link #CLAIM}, drops the message that is found. The
   * buffer is not used.
   */
  DISCARD(58),
  /**
   * {@code FI_CLAIM}: with {@link #PEEK}, puts the message that is found aside for a receive with
   * the same context that has this flag without {@link #PEEK}; no other receive gets it then. The
   * context is compared by identity, and must not be null.
   */
  CLAIM(59);

  private final int bit;

  TransferFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
