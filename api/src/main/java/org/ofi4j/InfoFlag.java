// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** Flags of {@link Hints} for node and service. */
public enum InfoFlag implements Flag {
  /** {@code FI_NUMERICHOST}: the node is numeric; the resolver is never asked. */
  NUMERIC_HOST(55),
  /** {@code FI_SOURCE}: node and service name the local address instead of the peer. */
  SOURCE(57);

  private final int bit;

  InfoFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
