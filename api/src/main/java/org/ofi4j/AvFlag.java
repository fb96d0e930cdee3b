package org.ofi4j;

/** Flags for opening an address vector. */
public enum AvFlag implements Flag {
  /** {@code FI_READ}: attach to a named vector that exists, for reading only. */
  READ(8),
  /**
   * {@code FI_EVENT}: insertions are asynchronous and report to an event queue.
   *
   * @deprecated The man page discourages it from version 2.0; it keeps working.
   */
  @Deprecated
  EVENT(24),
  /** {@code FI_AV_USER_ID}: user ids will be set with {@link AddressVector#setUserId}. */
  USER_ID(41),
  /**
   * {@code FI_SYMMETRIC}: a promise that every node has the same endpoints at the same services.
   */
  SYMMETRIC(59);

  private final int bit;

  AvFlag(int bit) {
    this.bit = bit;
  }

  @Override
  public long mask() {
    return 1L << bit;
  }
}
