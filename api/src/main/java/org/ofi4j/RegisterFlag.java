// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/**
 * Flags of {@link Domain#register(java.lang.foreign.MemorySegment, long, Long, AddressVector, long,
 * Object, long)}.
 */
public enum RegisterFlag implements Flag {
  /** {@code FI_AUTH_KEY}: the handle is that of an authorization key. */
  AUTH_KEY(57);

  private final int bit;

  RegisterFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
