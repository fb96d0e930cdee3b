// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.core.run.RunSnapshot;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.Slots;

/**
 * Finds live indices one after the other, for any thread. It passes over indices that neither have
 * slots nor are in runs, and ends where the indices in use end. Takes no lock: it finds entries
 * that live all the while; others may be found or not.
 */
final class LiveIndices {
  private final StoreParts parts;
  private final EntryLookups lookups;
  private long looks;

  LiveIndices(StoreParts parts, EntryLookups lookups) {
    this.parts = parts;
    this.lookups = lookups;
  }

  /** See {@link EntryStore#liveFrom}. */
  int from(int first, int last, int stride) {
    long stop = Math.min(last, parts.freeIndices().presentEnd() - 1L);
    long at = first;
    while (at <= stop) {
      looks++;
      if (lookups.isLive((int) at)) {
        return (int) at;
      }
      long next = Math.max(at + 1, nextUsed((int) at, (int) stop));
      at = first + Math.ceilDiv(next - first, stride) * stride;
    }
    return -1;
  }

  /** The first index from one on that has a page of slots, or is in a run. */
  private long nextUsed(int index, int last) {
    Slots slots = parts.slots();
    if (slots.page(index) != null) {
      return index;
    }
    Runs runs = parts.runs();
    RunSnapshot present = runs.present();
    int place = present.firstFrom(index);
    int end = place < present.count() ? Math.min(last, present.get(place).first()) : last;
    return present.at(index) != null ? index : slots.nextPageFrom(index, end);
  }

  /** How many indices were looked at so far, for tests of what a call may cost. */
  long looks() {
    return looks;
  }
}
