// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.ofi4j.DuplicatePolicy;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Lookups and searches of overflow slots beside the writer. In each store index i has address i + 1
 * at the beginning, in one run.
 */
public class OverflowSlotStress {
  private static final int HOLE = 20;

  private OverflowSlotStress() {}

  /** An entry of the run dies, an overflow slot comes and goes, another comes. */
  @JCStressTest
  @Outcome(id = "21, (21|-1|500|600)", expect = ACCEPTABLE, desc = "First seen in the run.")
  @Outcome(id = "-1, (-1|500|600)", expect = ACCEPTABLE, desc = "First seen dead.")
  @Outcome(id = "500, (-1|500|600)", expect = ACCEPTABLE, desc = "First seen as an overflow slot.")
  @Outcome(id = "600, 600", expect = ACCEPTABLE, desc = "The last one stays.")
  @Outcome(expect = FORBIDDEN, desc = "A generation that was over, or none that it ever had.")
  @State
  public static class Lookup extends Hole {
    /** All of its generations. */
    @Actor
    public void writer() {
      store.remove(HOLE);
      insert4(500);
      store.remove(HOLE);
      insert4(600);
    }

    /** Looks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(HOLE);
      r.r2 = lookup4(HOLE);
    }
  }

  /** The same, searched for. */
  @JCStressTest
  @Outcome(id = "20, -1", expect = ACCEPTABLE, desc = "The one of the run, then none yet.")
  @Outcome(id = "20, 20", expect = ACCEPTABLE, desc = "The one of the run, then the overflow slot.")
  @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "The one of the run dead, no overflow slot.")
  @Outcome(
      id = "-1, 20",
      expect = ACCEPTABLE,
      desc = "The one of the run dead, the overflow slot there.")
  @Outcome(expect = FORBIDDEN, desc = "Found where it never was.")
  @State
  public static class Find extends Hole {
    /** Its generations. */
    @Actor
    public void writer() {
      store.remove(HOLE);
      insert4(500);
      store.remove(HOLE);
    }

    /** Searches for one after the other. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(HOLE + 1);
      r.r2 = find4(500);
    }
  }

  /** So many that they get a page. */
  @JCStressTest
  @Outcome(id = "500, 20", expect = ACCEPTABLE, desc = "There, wherever its slot is.")
  @Outcome(expect = FORBIDDEN, desc = "Lost on its way into the page.")
  @State
  public static class Page extends Hole {
    /** As many as there may be in 64 indices, but one. */
    public Page() {
      store.remove(HOLE);
      insert4(500);
      for (int i = 0; i < 9; i++) {
        store.remove(30 + 2 * i);
      }
      for (int i = 0; i < 7; i++) {
        insert4(700 + 3 * i);
      }
    }

    /** One more. */
    @Actor
    public void writer() {
      insert4(800);
    }

    /** Looks for the first one. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(HOLE);
      r.r2 = find4(500);
    }
  }

  /** A run. */
  static class Hole extends StressedStore {
    Hole() {
      super(DuplicatePolicy.SHARE);
      range4(1, 60);
    }
  }
}
