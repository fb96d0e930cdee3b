// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.core.free.FreeIndexLookups;

/**
 * Finds live indices one after the other, for any thread. It passes over what is recorded as free
 * and ends where the indices in use end, so it looks at little else than entries. Takes no lock:
 * what lives all the while is found; what comes or goes meanwhile may be found or not.
 */
final class LiveIndices {
  private final EntryLookups lookups;
  private final FreeIndexLookups freeIndices;
  private long looks;

  LiveIndices(EntryLookups lookups, FreeIndexLookups freeIndices) {
    this.lookups = lookups;
    this.freeIndices = freeIndices;
  }

  /** See {@link EntryStore#liveFrom}. */
  int from(int first, int last, int stride) {
    long stop = Math.min(last, freeIndices.end() - 1L);
    long at = first;
    while (at <= stop) {
      looks++;
      if (lookups.isLive((int) at)) {
        return (int) at;
      }
      long next = Math.max(at + 1, freeIndices.freeTo((int) at));
      at = first + Math.ceilDiv(next - first, stride) * stride;
    }
    return -1;
  }

  /** How many indices were looked at so far, for tests of what a call may cost. */
  long looks() {
    return looks;
  }
}
