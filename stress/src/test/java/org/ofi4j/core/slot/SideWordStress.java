// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.store.ChunkMemory;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Slots and side words beside a writer. */
public class SideWordStress {
  private SideWordStress() {}

  /** Lives with the same slot. */
  @JCStressTest
  @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "No entry, or it changed.")
  @Outcome(id = "8192, 1", expect = ACCEPTABLE, desc = "The first life.")
  @Outcome(id = "16384, 2", expect = ACCEPTABLE, desc = "The second life.")
  @Outcome(id = "24576, 3", expect = ACCEPTABLE, desc = "The third life.")
  @Outcome(expect = FORBIDDEN, desc = "Halves of two lives.")
  @State
  public static class Lives {
    private final ChunkMemory memory = new ChunkMemory();
    private final SlabAllocator allocator = new SlabAllocator(memory);
    private final Slots slots = new Slots(memory, 0, false);
    private final SideWords side = new SideWords(allocator, slots);

    /** An index with a slot and a page. */
    public Lives() {
      slots.ensure(5, false);
      side.ensure(5);
      begin(1);
    }

    private void begin(int high) {
      long word = SideWords.withShares(side.word(5), high);
      side.set(5, SideWords.withGeneration(word, (long) high << 13));
      slots.show(5, SlotWord.ipv4(77), (long) high << 13, true);
    }

    /** Ends two lives, and begins two. */
    @Actor
    public void writer() {
      for (int high = 2; high <= 3; high++) {
        slots.free(5, (long) high << 13);
        side.clear(5);
        begin(high);
      }
    }

    /** Reads generation and shares. */
    @Actor
    public void reader(II_Result r) {
      long slot = slots.word(5);
      long word = SlotWord.isLive(slot) ? side.word(5, slot) : SideWords.CHANGED;
      boolean is = word != SideWords.CHANGED;
      r.r1 = is ? (int) SideWords.generation(word, SlotWord.lowGeneration(slot)) : -1;
      r.r2 = is ? SideWords.shares(word) : -1;
    }
  }
}
