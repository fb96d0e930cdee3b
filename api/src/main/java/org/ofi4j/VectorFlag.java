// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

/** Flags for opening an address vector. */
public enum VectorFlag implements Flag {
  /**
   * {@code FI_READ}: attach to a named vector that somebody has open, or read a saved file where it
   * is; its entries cannot be changed.
   */
  READ(8),
  /**
   * {@code FI_EVENT}: insertions are asynchronous and report to an event queue.
   *
   * @deprecated The man page discourages it from version 2.0; it keeps working.
   */
  @Deprecated
  EVENT(24),
  /**
   * {@code FI_AV_USER_ID}: user ids will be set with {@link AddressVector#setUserId}, and until
   * then completions report {@link Handles#NOT_AVAILABLE} (from 1.20).
   */
  USER_ID(41),
  /**
   * {@code FI_SYMMETRIC}: a promise that every node has the same endpoints at the same services.
   */
  SYMMETRIC(59);

  private final int bit;

  VectorFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
