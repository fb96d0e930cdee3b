// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** Flags for opening an {@link AddressVectorSet}. */
public enum VectorSetFlag implements Flag {
  /** {@code FI_UNIVERSE}: all entries that the vector has now. */
  UNIVERSE(57);

  private final int bit;

  VectorSetFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
