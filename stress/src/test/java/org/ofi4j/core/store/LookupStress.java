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

/** Lookups by index beside a writer. */
public class LookupStress {
  private LookupStress() {}

  /** An index dies and is used again, by an address in the slot. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both looked before the removal.")
  @Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "Removed between the two looks.")
  @Outcome(id = "1, 2", expect = ACCEPTABLE, desc = "Used again between the two looks.")
  @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "Both saw the unused index.")
  @Outcome(id = "-1, 2", expect = ACCEPTABLE, desc = "Used again after the first look.")
  @Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "Both saw the new entry.")
  @Outcome(expect = FORBIDDEN, desc = "An entry came back, or one that never was.")
  @State
  public static class Reuse4 extends StressedStore {
    /** Makes the store. */
    public Reuse4() {
      super(DuplicatePolicy.SHARE);
      insert4(1);
    }

    /** Removes and inserts. */
    @Actor
    public void writer() {
      store.remove(0);
      insert4(2);
    }

    /** Looks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(0);
      r.r2 = lookup4(0);
    }
  }

  /** An index dies and is used again, by an address in a record, which is used again too. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both looked before the removal.")
  @Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "Removed between the two looks.")
  @Outcome(id = "1, [23]", expect = ACCEPTABLE, desc = "Used again between the two looks.")
  @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "Both saw the unused index.")
  @Outcome(id = "-1, [23]", expect = ACCEPTABLE, desc = "Used again after the first look.")
  @Outcome(id = "2, (2|3|-1)", expect = ACCEPTABLE, desc = "The first look saw the second entry.")
  @Outcome(id = "3, 3", expect = ACCEPTABLE, desc = "Both saw the last entry.")
  @Outcome(expect = FORBIDDEN, desc = "Halves of two addresses, or an entry that came back.")
  @State
  public static class Reuse6 extends StressedStore {
    /** Makes the store. */
    public Reuse6() {
      super(DuplicatePolicy.SHARE);
      insert6(1);
    }

    /** Removes and inserts twice. */
    @Actor
    public void writer() {
      store.remove(0);
      insert6(2);
      store.remove(0);
      insert6(3);
    }

    /** Looks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup(0);
      r.r2 = lookup(0);
    }
  }

  /** An index with a wide slot dies and is used again. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both looked before the removal.")
  @Outcome(id = "1, -1", expect = ACCEPTABLE, desc = "Removed between the two looks.")
  @Outcome(id = "1, [23]", expect = ACCEPTABLE, desc = "Used again between the two looks.")
  @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "Both saw the unused index.")
  @Outcome(id = "-1, [23]", expect = ACCEPTABLE, desc = "Used again after the first look.")
  @Outcome(id = "2, (2|3|-1)", expect = ACCEPTABLE, desc = "The first look saw the second entry.")
  @Outcome(id = "3, 3", expect = ACCEPTABLE, desc = "Both saw the last entry.")
  @Outcome(expect = FORBIDDEN, desc = "Halves of two addresses, or an entry that came back.")
  @State
  public static class ReuseWide extends StressedStore {
    /** Makes the store. */
    public ReuseWide() {
      super(DuplicatePolicy.SHARE, true);
      insert6(1);
    }

    /** Removes and inserts twice. */
    @Actor
    public void writer() {
      store.remove(0);
      insert6(2);
      store.remove(0);
      insert6(3);
    }

    /** Looks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookupWide(0);
      r.r2 = lookupWide(0);
    }
  }

  /** An index dies and is used again by longer bytes, then by shorter ones. */
  @JCStressTest
  @Outcome(id = "(1|2|3|-1), (1|2|3|-1)", expect = ACCEPTABLE, desc = "Whole, or unused.")
  @Outcome(expect = FORBIDDEN, desc = "A mixture of two entries.")
  @State
  public static class ReuseBytes extends StressedStore {
    /** Makes the store. */
    public ReuseBytes() {
      super(DuplicatePolicy.SHARE);
      insertBytes(2);
    }

    /** Removes and inserts twice, in the same size of record. */
    @Actor
    public void writer() {
      store.remove(0);
      insertBytes(1);
      store.remove(0);
      insertBytes(3);
    }

    /** Looks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookupBytes(0);
      r.r2 = lookupBytes(0);
    }
  }

  /** The slots grow by a chunk. */
  @JCStressTest
  @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "Both looked before.")
  @Outcome(id = "-1, 64", expect = ACCEPTABLE, desc = "Grew between the two looks.")
  @Outcome(id = "64, 64", expect = ACCEPTABLE, desc = "Both looked after.")
  @Outcome(expect = FORBIDDEN, desc = "An entry that never was, or one that went away.")
  @State
  public static class Growth extends StressedStore {
    /** Makes the store. */
    public Growth() {
      super(DuplicatePolicy.SHARE);
      fill(0, 64);
    }

    /** Inserts the entry that needs the second chunk. */
    @Actor
    public void writer() {
      insert4(64);
    }

    /** Looks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(64);
      r.r2 = lookup4(64);
    }
  }
}
