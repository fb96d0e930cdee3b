// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code fi_info.caps}: what a fabric interface can do. Hints that ask for none are granted what
 * the provider has; else primary ones are granted only when asked for, and {@linkplain #isSecondary
 * secondary} ones may be granted unasked. An endpoint may do more than was granted.
 */
public enum Capability implements Flag {
  /** {@code FI_MSG}: untagged messages. */
  MSG(1),
  /**
   * {@code FI_RMA}: remote memory access; with none of {@link #READ}, {@link #WRITE}, {@link
   * #REMOTE_READ} and {@link #REMOTE_WRITE} all of them.
   */
  RMA(2),
  /** {@code FI_TAGGED}: tagged messages. */
  TAGGED(3),
  /** {@code FI_ATOMIC}: atomic operations on remote memory. */
  ATOMIC(4),
  /** {@code FI_MULTICAST}: sends to groups of addresses. */
  MULTICAST(5),
  /** {@code FI_COLLECTIVE}: collective operations. */
  COLLECTIVE(6),
  /** {@code FI_READ}: reading of remote memory. */
  READ(8),
  /** {@code FI_WRITE}: writing to remote memory. */
  WRITE(9),
  /** {@code FI_RECV}: receiving of messages. */
  RECEIVE(10),
  /** {@code FI_SEND}: sending of messages. */
  SEND(11),
  /** {@code FI_REMOTE_READ}: our memory may be read. */
  REMOTE_READ(12),
  /** {@code FI_REMOTE_WRITE}: our memory may be written. */
  REMOTE_WRITE(13),
  /** {@code FI_MULTI_RECV}: several messages into one buffer. */
  MULTI_RECEIVE(16),
  /**
   * {@code FI_AV_USER_ID}: completions report a number of the application's instead of the handle
   * (from 1.16).
   */
  AV_USER_ID(41),
  /** {@code FI_TAGGED_DIRECTED_RECV}: tagged receives may name their source (from 2.0). */
  TAGGED_DIRECTED_RECEIVE(45),
  /** {@code FI_EXACT_DIRECTED_RECV}: receives must name their source (from 2.0). */
  EXACT_DIRECTED_RECEIVE(48),
  /**
   * {@code FI_SOURCE_ERR}, with {@link #SOURCE}: a message of an unknown sender completes its
   * receive as {@link Completion.Failure} with {@link Errno#EADDRNOTAVAIL}, which carries the
   * address of the sender; the message is in the buffer (from 1.5).
   */
  SOURCE_ERR(50),
  /** {@code FI_LOCAL_COMM}: reaches peers on this host. */
  LOCAL_COMM(51),
  /** {@code FI_REMOTE_COMM}: reaches peers on other hosts. */
  REMOTE_COMM(52),
  /**
   * {@code FI_SHARED_AV}: named address vectors (from 1.5, before which they need no capability).
   */
  SHARED_AV(53),
  /** {@code FI_SOURCE}: completions report the source. */
  SOURCE(57),
  /** {@code FI_NAMED_RX_CTX}: sends may name a receive context of a scalable endpoint. */
  NAMED_RECEIVE_CONTEXT(58),
  /** {@code FI_DIRECTED_RECV}: receives may name their source. */
  DIRECTED_RECEIVE(59);

  private final int bit;

  Capability(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }

  /** {@return whether a provider may grant it unasked, as a secondary capability} */
  public boolean isSecondary() {
    return switch (this) {
      case MULTI_RECEIVE, SOURCE, SOURCE_ERR, SHARED_AV, LOCAL_COMM, REMOTE_COMM -> true;
      default -> false;
    };
  }
}
