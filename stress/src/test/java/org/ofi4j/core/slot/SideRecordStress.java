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

/** Side records found by their index alone, beside a writer. */
public class SideRecordStress {
  private SideRecordStress() {}

  /** A record comes, goes, is another index's, and comes again. */
  @JCStressTest
  @Outcome(id = "-1, (-1|7|9)", expect = ACCEPTABLE, desc = "First seen without record.")
  @Outcome(id = "7, (7|-1|9)", expect = ACCEPTABLE, desc = "First seen in the first generation.")
  @Outcome(id = "9, 9", expect = ACCEPTABLE, desc = "Seen in the last generation.")
  @Outcome(
      expect = FORBIDDEN,
      desc = "The user id of another index, or of a generation that was over.")
  @State
  public static class Reuse extends Recorded {
    /** All of it. */
    @Actor
    public void writer() {
      side.attach(5);
      side.setUserId(5, 7);
      side.detach(5);
      side.attach(6);
      side.setUserId(6, 8);
      side.detach(6);
      side.attach(5);
      side.setUserId(5, 9);
    }

    /** Asks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = (int) side.lookups().userId(5, -1);
      r.r2 = (int) side.lookups().userId(5, -1);
    }
  }

  /** The cells that lead to records are built anew while many come. */
  @JCStressTest
  @Outcome(id = "77, (-1|20)", expect = ACCEPTABLE, desc = "The old one there, the new one or not.")
  @Outcome(expect = FORBIDDEN, desc = "A record was missed, or was another's.")
  @State
  public static class Growth extends Recorded {
    /** With one record. */
    public Growth() {
      side.attach(0);
      side.setUserId(0, 77);
    }

    /** Many more, which go again. */
    @Actor
    public void writer() {
      for (int i = 1; i < 60; i++) {
        side.attach(i);
        side.setUserId(i, i);
      }
      for (int i = 1; i < 60; i++) {
        side.detach(i);
      }
    }

    /** Asks for the one that was there, and another. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = (int) side.lookups().userId(0, -1);
      r.r2 = (int) side.lookups().userId(20, -1);
    }
  }

  /** Side records alone. */
  static class Recorded {
    final SideRecords side = new SideRecords(new SlabAllocator(new ChunkMemory()));
  }
}
