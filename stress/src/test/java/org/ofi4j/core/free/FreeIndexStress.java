// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.free;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.store.ChunkMemory;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;
import org.openjdk.jcstress.infra.results.II_Result;

/** Whether an index of a run is free, beside a writer that takes and releases. */
public class FreeIndexStress {
  private static final int BLOCK = FreeIndexDirectory.BLOCK_SIZE;

  private FreeIndexStress() {}

  /** A bitmap is replaced by a wider one, and its memory becomes another block's at once. */
  @JCStressTest
  @Outcome(id = "1, [01], 0", expect = ACCEPTABLE, desc = "As it was, or with the new free index.")
  @Outcome(expect = FORBIDDEN, desc = "Lost a free index, or has one of another block.")
  @State
  public static class Growth extends Fixture {
    /** One that the least bitmap has room for. */
    public Growth() {
      freeIndices.releaseOfRun(100);
    }

    /** One beyond it, then one in the other block. */
    @Actor
    public void writer() {
      freeIndices.releaseOfRun(3000);
      freeIndices.releaseOfRun(BLOCK + 50);
    }

    /** Asks for one that is there, one that comes, one that the other block will have. */
    @Actor
    public void reader(III_Result r) {
      r.r1 = isFree(100);
      r.r2 = isFree(3000);
      r.r3 = isFree(50);
    }
  }

  /** A released index is free before the next one is taken. */
  @JCStressTest
  @Outcome(id = "1, [01]", expect = ACCEPTABLE, desc = "Before the lowest was taken.")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "After it.")
  @Outcome(expect = FORBIDDEN, desc = "What comes first is seen last.")
  @State
  public static class Order extends Fixture {
    /** One, in a bitmap that has room for the other. */
    public Order() {
      freeIndices.releaseOfRun(2000);
      freeIndices.prepare(10_000);
    }

    /** Releases one, takes the lowest. */
    @Actor
    public void writer() {
      freeIndices.releaseOfRun(10_000);
      int next = freeIndices.next();
      freeIndices.prepare(next);
      freeIndices.take(next);
    }

    /** Asks for the one that goes, then for the one that comes. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = isFree(2000);
      r.r2 = isFree(10_000);
    }
  }

  /** A block in which everything is free, and that is taken again in part. */
  @JCStressTest
  @Outcome(id = "1, [01], 0", expect = ACCEPTABLE, desc = "Free or taken, as it comes.")
  @Outcome(id = "1, 1, 1", expect = ACCEPTABLE, desc = "All of it free.")
  @Outcome(expect = FORBIDDEN, desc = "A free index lost in between.")
  @State
  public static class Whole extends Fixture {
    /** All but one. */
    public Whole() {
      freeIndices.restoreFree(1, BLOCK);
    }

    /** The last one, then a thousand are taken. */
    @Actor
    public void writer() {
      freeIndices.releaseOfRun(0);
      freeIndices.prepareRun(0, 1000);
      freeIndices.takeRun(0, 1000);
    }

    /** Asks for one that stays free, one that is taken, and the one that is both. */
    @Actor
    public void reader(III_Result r) {
      r.r1 = isFree(5000);
      r.r2 = isFree(500);
      r.r3 = isFree(0);
    }
  }

  /** Two blocks and a little that are all in use. */
  static class Fixture {
    final SlabAllocator allocator = new SlabAllocator(new ChunkMemory());
    final FreeIndices freeIndices = new FreeIndices(allocator, true, Integer.MAX_VALUE - 1);

    Fixture() {
      freeIndices.takeRun(0, 2 * BLOCK + 100);
    }

    final int isFree(int index) {
      return freeIndices.lookups().isFree(index) ? 1 : 0;
    }
  }
}
