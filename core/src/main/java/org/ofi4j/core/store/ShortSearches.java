// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

/** Searches for IPv4 addresses that find most of what is there, in few instructions. */
public interface ShortSearches {
  /**
   * Finds an address, lock-free; any thread may call.
   *
   * @param address {@code address << 16 | port}, or any number
   * @return an index that had it at a moment during the call; -1 if that has to be found out in the
   *     general way
   */
  int find(long address);
}
