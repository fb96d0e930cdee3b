// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * {@code enum fi_cq_format}: which fields of a completion are filled in. Each has those before it.
 */
public enum CompletionFormat {
  /** {@code FI_CQ_FORMAT_UNSPEC}: the provider chooses; ofi4j fills in everything. */
  UNSPECIFIED(0),
  /** {@code FI_CQ_FORMAT_CONTEXT}: the context. */
  CONTEXT(1),
  /** {@code FI_CQ_FORMAT_MSG}: also flags and length. */
  MSG(2),
  /** {@code FI_CQ_FORMAT_DATA}: also immediate data. */
  DATA(3),
  /** {@code FI_CQ_FORMAT_TAGGED}: also the tag. */
  TAGGED(4);

  private final int number;

  CompletionFormat(int number) {
    this.number = number;
  }

  /** {@return the number in {@code rdma/fi_eq.h}, 0 to 4} */
  public int number() {
    return number;
  }
}
