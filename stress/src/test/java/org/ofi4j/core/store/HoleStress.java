// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.slot.SlotPages;
import org.ofi4j.core.slot.SlotWord;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/**
 * Lookups and searches of entries in holes of runs, whose pages come meanwhile, beside the writer.
 * In each store index i has address i + 1 at the beginning, in one run.
 */
public class HoleStress {
  private static final int HOLE = 20;

  /** Behind the first indices, whose pages are found in another way. */
  private static final int FAR_HOLE = 4100;

  private HoleStress() {}

  /** An entry of the run dies, another one comes there and goes, one more comes. */
  @JCStressTest
  @Outcome(id = "21, (21|-1|500|600)", expect = ACCEPTABLE, desc = "First seen in the run.")
  @Outcome(id = "-1, (-1|500|600)", expect = ACCEPTABLE, desc = "First seen dead.")
  @Outcome(id = "500, (-1|500|600)", expect = ACCEPTABLE, desc = "First seen with a slot.")
  @Outcome(id = "600, 600", expect = ACCEPTABLE, desc = "The last one stays.")
  @Outcome(expect = FORBIDDEN, desc = "A generation that was over, or none that it ever had.")
  @State
  public static class Lookup extends StressedStore {
    /** A run. */
    public Lookup() {
      super(DuplicatePolicy.SHARE);
      range4(1, 60);
    }

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
  @Outcome(id = "20, 20", expect = ACCEPTABLE, desc = "The one of the run, then the other.")
  @Outcome(
      id = "-1, -1",
      expect = ACCEPTABLE,
      desc = "The one of the run dead, the other not there.")
  @Outcome(id = "-1, 20", expect = ACCEPTABLE, desc = "The one of the run dead, the other there.")
  @Outcome(expect = FORBIDDEN, desc = "Found where it never was.")
  @State
  public static class Find extends StressedStore {
    /** A run. */
    public Find() {
      super(DuplicatePolicy.SHARE);
      range4(1, 60);
    }

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

  /** Other pages come in the same area, for another hole and behind the run. */
  @JCStressTest
  @Outcome(id = "9500, 4100", expect = ACCEPTABLE, desc = "There, whatever pages come.")
  @Outcome(expect = FORBIDDEN, desc = "Lost while pages came.")
  @State
  public static class Page extends StressedStore {
    /** With an entry in a hole. */
    public Page() {
      super(DuplicatePolicy.SHARE);
      range4(1, 4224);
      store.remove(FAR_HOLE);
      insert4(9500);
      store.remove(FAR_HOLE + 100);
    }

    /** The other pages. */
    @Actor
    public void writer() {
      insert4(9600);
      insert4(9700);
    }

    /** Looks for the first one. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(FAR_HOLE);
      r.r2 = find4(9500);
    }
  }

  /** The flat page comes with an entry behind a run. */
  @JCStressTest
  @Outcome(id = "0, (-1|4096)", expect = ACCEPTABLE, desc = "Not there at first.")
  @Outcome(id = "1, 4096", expect = ACCEPTABLE, desc = "There.")
  @Outcome(expect = FORBIDDEN, desc = "Another one, or lost again.")
  @State
  public static class FlatPage extends StressedStore {
    /** With entries at all indices before it. */
    public FlatPage() {
      super(DuplicatePolicy.SHARE);
      range4(1, 4096);
      store.expect(20_000);
    }

    /** The first entry there. */
    @Actor
    public void writer() {
      insert4(9600);
    }

    /** Looks it up, and searches for it. */
    @Actor
    public void reader(II_Result r) {
      SlotPages pages = store.parts().slots().pages();
      r.r1 = SlotWord.isLive(pages.nearWord(4096)) ? 1 : 0;
      r.r2 = find4(9600);
    }
  }
}
