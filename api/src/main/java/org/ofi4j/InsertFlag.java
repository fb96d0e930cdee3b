// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** Flags of the insert family of {@link AddressVector}. */
public enum InsertFlag implements Flag {
  /**
   * {@code FI_MORE}: further insertions follow at once. A hint; entries are usable all the same.
   */
  MORE(18),
  /**
   * {@code FI_AV_USER_ID}: the array of handles holds a user id for each address on input (from
   * 1.16).
   */
  USER_ID(41),
  /** {@code FI_FIREWALL_ADDR}: the peer is behind a firewall and must connect to us (from 2.2). */
  FIREWALL_ADDRESS(42),
  /**
   * {@code FI_AUTH_KEY}: the array of handles holds the handle of an authorization key for each
   * address on input (from 1.20).
   */
  AUTH_KEY(57),
  /**
   * {@code FI_SYNC_ERR}: an array takes the errno of each address; synchronous vectors only (from
   * 1.5).
   */
  SYNC_ERR(58);

  private final int bit;

  InsertFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
