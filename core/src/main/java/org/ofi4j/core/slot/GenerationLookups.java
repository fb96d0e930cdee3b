// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import org.ofi4j.core.free.FreeIndexLookups;

/** What any thread may ask of {@link Generations}, lock-free. */
public record GenerationLookups(Slots slots, FreeIndexLookups free, SideRecordLookups side) {
  /** The generation of an entry that may die; -1 if its slot is to be looked at again. */
  public long of(int index, long live) {
    if (SlotWord.hasSide(live)) {
      return side.generation(index);
    }
    if (!SlotWord.hadMany(live)) {
      return SlotWord.lowGeneration(live);
    }
    // The slot was so at a moment at which the window was this one, as windows only move on.
    long window = window(index);
    return slots.word(index) == live && window(index) == window ? inWindow(live, window) : -1;
  }

  /** The first generation of the window of an index. */
  long window(int index) {
    return Math.max(Generations.FEW, free.window(index));
  }

  /** The generation of a window that has the low bits of a live word. */
  static long inWindow(long live, long window) {
    return window + ((SlotWord.lowGeneration(live) - window) & Generations.FEW - 1);
  }
}
