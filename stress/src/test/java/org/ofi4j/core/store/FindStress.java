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

/** Searches by address beside a writer. */
public class FindStress {
  private FindStress() {}

  /** Lookup and search agree on when an insertion took place. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Both before the insertion.")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "Inserted between look and search.")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both after the insertion.")
  @Outcome(expect = FORBIDDEN, desc = "There for a lookup and then not for a search.")
  @State
  public static class LookupThenFind extends StressedStore {
    /** Makes the store. */
    public LookupThenFind() {
      super(DuplicatePolicy.SHARE);
      fill(1, 3);
    }

    /** Inserts. */
    @Actor
    public void writer() {
      insert4(9);
    }

    /** Looks, then searches. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = store.isLive(2) ? 1 : 0;
      r.r2 = find4(9) == 2 ? 1 : 0;
    }
  }

  /** Lookup and search agree on when a removal took place. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both before the removal.")
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "Removed between search and look.")
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Both after the removal.")
  @Outcome(expect = FORBIDDEN, desc = "Gone for a search and then there for a lookup.")
  @State
  public static class FindThenLookup extends StressedStore {
    /** Makes the store. */
    public FindThenLookup() {
      super(DuplicatePolicy.SHARE);
      fill(1, 4);
    }

    /** Removes. */
    @Actor
    public void writer() {
      store.remove(2);
    }

    /** Searches, then looks. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(3) == 2 ? 1 : 0;
      r.r2 = store.isLive(2) ? 1 : 0;
    }
  }

  /** The partition grows, and the block that it leaves is filled by the next ones. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Found, wherever it was.")
  @Outcome(expect = FORBIDDEN, desc = "Lost while the index was rebuilt.")
  @State
  public static class Growth extends StressedStore {
    /** Makes the store. */
    public Growth() {
      super(DuplicatePolicy.SHARE);
      fill(1, 13);
    }

    /** Makes the partition grow twice, shrink and grow into the blocks it left. */
    @Actor
    public void writer() {
      fill(13, 30);
      for (int i = 29; i > 0; i--) {
        store.remove(i);
      }
      fill(30, 60);
    }

    /** Searches twice for an address that is there all the time. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(1);
      r.r2 = find4(1);
    }
  }

  /** An address moves to another index. */
  @JCStressTest
  @Outcome(id = "1, (1|0|-1)", expect = ACCEPTABLE, desc = "First seen where it was.")
  @Outcome(
      id = "-1, (0|-1)",
      expect = ACCEPTABLE,
      desc = "First seen between removal and insertion.")
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Seen where it is now.")
  @Outcome(expect = FORBIDDEN, desc = "Went back, or is where it never was.")
  @State
  public static class Move extends StressedStore {
    /** Makes the store. */
    public Move() {
      super(DuplicatePolicy.SHARE);
      fill(1, 6);
      store.remove(0);
    }

    /** Removes the second and inserts it as the first. */
    @Actor
    public void writer() {
      store.remove(1);
      insert4(2);
    }

    /** Searches twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(2);
      r.r2 = find4(2);
    }
  }

  /** An address in a record goes, and the record and the index serve another. */
  @JCStressTest
  @Outcome(id = "(0|-1), (0|-1)", expect = ACCEPTABLE, desc = "Found under its own index or not.")
  @Outcome(expect = FORBIDDEN, desc = "Found under an index that never had it.")
  @State
  public static class Record extends StressedStore {
    /** Makes the store. */
    public Record() {
      super(DuplicatePolicy.SHARE);
      insert6(1);
      insert6(2);
    }

    /** Uses index and record again, for another and for the same. */
    @Actor
    public void writer() {
      store.remove(0);
      insert6(3);
      store.remove(0);
      insert6(1);
    }

    /** Searches. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find6(1);
      r.r2 = find6(3);
    }
  }

  /** The lowest of two entries with one address goes, and a lower one comes. */
  @JCStressTest
  @Outcome(id = "[01], [01]", expect = ACCEPTABLE, desc = "One of the entries that had it.")
  @Outcome(expect = FORBIDDEN, desc = "Lost, though an entry had it all the time.")
  @State
  public static class Duplicates extends StressedStore {
    /** Makes the store. */
    public Duplicates() {
      super(DuplicatePolicy.NEW_INDEX);
      insert4(1);
      insert4(1);
    }

    /** Removes the lower one and inserts it again. */
    @Actor
    public void writer() {
      store.remove(0);
      insert4(1);
    }

    /** Searches twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(1);
      r.r2 = find4(1);
    }
  }
}
