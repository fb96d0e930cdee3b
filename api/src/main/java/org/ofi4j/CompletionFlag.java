// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** What a completion is about. */
public enum CompletionFlag implements Flag {
  /** {@code FI_MSG}: an untagged message. */
  MSG(1),
  /** {@code FI_RMA}: a remote memory operation. */
  RMA(2),
  /** {@code FI_TAGGED}: a tagged message. */
  TAGGED(3),
  /** {@code FI_READ}: remote memory was read. */
  READ(8),
  /** {@code FI_WRITE}: remote memory was written to. */
  WRITE(9),
  /** {@code FI_RECV}: something was received. */
  RECEIVE(10),
  /** {@code FI_SEND}: something was sent. */
  SEND(11),
  /** {@code FI_REMOTE_READ}: a peer read our memory. */
  REMOTE_READ(12),
  /** {@code FI_REMOTE_WRITE}: a peer wrote to our memory. */
  REMOTE_WRITE(13),
  /** {@code FI_MULTI_RECV}: a buffer for several messages takes no more, and is given back. */
  MULTI_RECEIVE(16),
  /** {@code FI_REMOTE_CQ_DATA}: the data field is valid. */
  REMOTE_CQ_DATA(17);

  private final int bit;

  CompletionFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
