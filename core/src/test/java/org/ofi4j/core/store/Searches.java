// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

/** Searches as vectors make them. */
public final class Searches {
  private Searches() {}

  /** Finds an IPv4 address by the short search and, if that fails, in the general way. */
  public static int find(EntryStore store, long address) {
    int found = store.fastReads().find(address);
    return found >= 0 ? found : store.findIpv4(address);
  }
}
