// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** Flags of {@link AddressVector#remove}. */
public enum RemoveFlag implements Flag {
  /** {@code FI_AUTH_KEY}: the handles are those of authorization keys. */
  AUTH_KEY(57);

  private final int bit;

  RemoveFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
