package org.ofi4j.core.av;

import org.ofi4j.core.address.AddressKey;

/**
 * The addresses of one insertion, whatever they were given as. Used by one thread at a time;
 * positions count from 0 in the order of the call.
 */
interface AddressSource {
  /** How many addresses there are. */
  int count();

  /**
   * Does what may take long, such as resolving names. Called once before the first read, never
   * under a lock (AV-006).
   *
   * @throws InterruptedException if the caller no longer waits
   */
  default void prepare() throws InterruptedException {}

  /**
   * Reads one address. Cheapest in ascending order.
   *
   * @return 0, or the errno that the address fails with
   */
  int read(int position, AddressKey into);

  /** One address as the caller wrote it, as far as it can be read. */
  String text(int position);

  /** Why {@link #read} refuses an address. */
  String reason(int position);
}
