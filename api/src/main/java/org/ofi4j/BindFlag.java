// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** Flags for binding a completion queue to an endpoint. */
public enum BindFlag implements Flag {
  /** {@code FI_RECV}: the queue takes completions of receives. */
  RECEIVE(10),
  /** {@code FI_TRANSMIT}: the queue takes completions of sends. */
  TRANSMIT(11),
  /**
   * {@code FI_SELECTIVE_COMPLETION}: operations complete silently unless {@link
   * TransferFlag#COMPLETION} asks for an entry. Errors are reported in any case.
   */
  SELECTIVE_COMPLETION(59);

  private final int bit;

  BindFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
