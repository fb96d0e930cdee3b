// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * The access flags of {@code fi_mr_reg}, fi_mr(3): what a {@link MemoryRegion} may be used for.
 * Only remote access needs them; the others are there for applications that register all memory
 * that they post, and are granted without being looked at.
 */
public enum Access implements Flag {
  /** {@code FI_READ}: what is read from others is put here. */
  READ(8),
  /** {@code FI_WRITE}: what is written to others is taken from here. */
  WRITE(9),
  /** {@code FI_RECV}: messages are received here. */
  RECEIVE(10),
  /** {@code FI_SEND}: messages are sent from here. */
  SEND(11),
  /** {@code FI_REMOTE_READ}: peers may read it. */
  REMOTE_READ(12),
  /** {@code FI_REMOTE_WRITE}: peers may write to it. */
  REMOTE_WRITE(13);

  private final int bit;

  Access(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
