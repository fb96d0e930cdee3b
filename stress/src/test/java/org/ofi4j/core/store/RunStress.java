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
 * Lookups and searches beside a writer that makes the store keep its entries in another way: runs
 * of consecutive addresses come, grow, are cut and lose entries. In each store index i has address
 * i + 1 at the beginning.
 */
public class RunStress {
  private RunStress() {}

  /** What follows from the last entry of a range makes it longer. */
  @JCStressTest
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Both before the insertion.")
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "Inserted between look and search.")
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both after the insertion.")
  @Outcome(expect = FORBIDDEN, desc = "There for a lookup and then not for a search.")
  @State
  public static class Growth extends StressedStore {
    /** Makes the store. */
    public Growth() {
      super(DuplicatePolicy.SHARE);
      range4(1, 40);
    }

    /** Inserts the address behind the last one. */
    @Actor
    public void writer() {
      bulk4(41, 1);
    }

    /** Looks, then searches. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(40) == 41 ? 1 : 0;
      r.r2 = find4(41) == 40 ? 1 : 0;
    }
  }

  /** Consecutive addresses come in bulk, beside entries with slots. */
  @JCStressTest
  @Outcome(id = "0, 9", expect = ACCEPTABLE, desc = "There throughout.")
  @Outcome(expect = FORBIDDEN, desc = "Lost while others came.")
  @State
  public static class RowsBesideOthers extends StressedStore {
    /** Makes the store. */
    public RowsBesideOthers() {
      super(DuplicatePolicy.SHARE);
      insert4(900);
      fill(1, 10);
    }

    /** Goes on, and begins elsewhere. */
    @Actor
    public void writer() {
      bulk4(10, 30);
      bulk4(500, 30);
    }

    /** Searches for two that have slots. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(900);
      r.r2 = find4(9);
    }
  }

  /** A range comes, and what it begins with shows that it came. */
  @JCStressTest
  @Outcome(id = "-1, (70|-1)", expect = ACCEPTABLE, desc = "Searched before it came.")
  @Outcome(id = "5, 70", expect = ACCEPTABLE, desc = "Both saw the entry.")
  @Outcome(expect = FORBIDDEN, desc = "There for a search and then not for a lookup.")
  @State
  public static class Arrival extends StressedStore {
    /** Makes the store. */
    public Arrival() {
      super(DuplicatePolicy.SHARE);
      fill(1, 3);
    }

    /** Inserts a range. */
    @Actor
    public void writer() {
      range4(67, 30);
    }

    /** Searches, then looks. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(70);
      r.r2 = lookup4(5);
    }
  }

  /** One entry of many goes. */
  @JCStressTest
  @Outcome(id = "1, 1", expect = ACCEPTABLE, desc = "Both before the removal.")
  @Outcome(id = "1, 0", expect = ACCEPTABLE, desc = "Removed between search and look.")
  @Outcome(id = "0, 0", expect = ACCEPTABLE, desc = "Both after the removal.")
  @Outcome(expect = FORBIDDEN, desc = "Gone for a search and then there for a lookup.")
  @State
  public static class Hole extends StressedStore {
    /** Makes the store. */
    public Hole() {
      super(DuplicatePolicy.SHARE);
      range4(1, 40);
    }

    /** Removes. */
    @Actor
    public void writer() {
      store.remove(20);
    }

    /** Searches, then looks. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(21) == 20 ? 1 : 0;
      r.r2 = store.isLive(20) ? 1 : 0;
    }
  }

  /** Another address in the hole, seen by index. */
  @JCStressTest
  @Outcome(id = "21, (21|500|-1)", expect = ACCEPTABLE, desc = "First seen before the removal.")
  @Outcome(id = "-1, (500|-1)", expect = ACCEPTABLE, desc = "First seen as a hole.")
  @Outcome(id = "500, 500", expect = ACCEPTABLE, desc = "Both saw the other one.")
  @Outcome(expect = FORBIDDEN, desc = "An entry came back, or one that never was.")
  @State
  public static class Refill extends StressedStore {
    /** Makes the store. */
    public Refill() {
      super(DuplicatePolicy.SHARE);
      range4(1, 40);
    }

    /** Removes, and inserts another. */
    @Actor
    public void writer() {
      store.remove(20);
      insert4(500);
    }

    /** Looks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(20);
      r.r2 = lookup4(20);
    }
  }

  /** Another address in the hole, seen by address. */
  @JCStressTest
  @Outcome(id = "-1, (20|-1)", expect = ACCEPTABLE, desc = "The other one was not yet there.")
  @Outcome(id = "20, -1", expect = ACCEPTABLE, desc = "The other one is there, the first is not.")
  @Outcome(expect = FORBIDDEN, desc = "Two addresses with one index.")
  @State
  public static class RefillFound extends StressedStore {
    /** Makes the store. */
    public RefillFound() {
      super(DuplicatePolicy.SHARE);
      range4(1, 40);
    }

    /** Removes, and inserts another. */
    @Actor
    public void writer() {
      store.remove(20);
      insert4(500);
    }

    /** Searches for the other one, then for the first. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(500);
      r.r2 = find4(21);
    }
  }

  /** Whatever becomes of the entries around, these two stay. */
  @JCStressTest
  @Outcome(id = "19, 22", expect = ACCEPTABLE, desc = "There all the time.")
  @Outcome(expect = FORBIDDEN, desc = "Lost while others came and went.")
  @State
  public static class Neighbours extends StressedStore {
    /** Makes the store. */
    public Neighbours() {
      super(DuplicatePolicy.SHARE);
      range4(1, 40);
    }

    /** A hole, another address in it, the old one again; then everything else goes. */
    @Actor
    public void writer() {
      store.remove(20);
      insert4(500);
      store.remove(20);
      insert4(21);
      for (int i = 0; i < 40; i++) {
        if (i != 19 && i != 21) {
          store.remove(i);
        }
      }
    }

    /** Searches for the one and looks at the other. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(20);
      r.r2 = lookup4(21);
    }
  }

  /** A part is inserted again and shared, then removed once. */
  @JCStressTest
  @Outcome(id = "19, 30", expect = ACCEPTABLE, desc = "There all the time.")
  @Outcome(expect = FORBIDDEN, desc = "Lost while it was shared, or beside what was shared.")
  @State
  public static class SharedPart extends StressedStore {
    /** Makes the store. */
    public SharedPart() {
      super(DuplicatePolicy.SHARE);
      range4(1, 60);
    }

    /** Shares twenty in the middle, takes some of it back. */
    @Actor
    public void writer() {
      range4(15, 20);
      for (int i = 14; i < 24; i++) {
        store.remove(i);
      }
    }

    /** Searches for one that is shared for a while, looks at one that stays shared. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(20);
      r.r2 = lookup4(29);
    }
  }

  /** Everything a second time as entries of its own, and the lower one of two goes. */
  @JCStressTest
  @Outcome(id = "(19|59), (19|59)", expect = ACCEPTABLE, desc = "One of the entries that had it.")
  @Outcome(expect = FORBIDDEN, desc = "Lost, though an entry had it all the time.")
  @State
  public static class Duplicates extends StressedStore {
    /** Makes the store. */
    public Duplicates() {
      super(DuplicatePolicy.NEW_INDEX);
      range4(1, 40);
    }

    /** Inserts the range again and removes one entry of the first. */
    @Actor
    public void writer() {
      range4(1, 40);
      store.remove(19);
    }

    /** Searches twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(20);
      r.r2 = find4(20);
    }
  }

  /** Rows of ports, one node after the other. */
  @JCStressTest
  @Outcome(id = "12, (28|-1)", expect = ACCEPTABLE, desc = "The first row all the time.")
  @Outcome(expect = FORBIDDEN, desc = "Lost, or in the wrong place, while rows were put together.")
  @State
  public static class Rows extends StressedStore {
    /** Makes the store. */
    public Rows() {
      super(DuplicatePolicy.SHARE);
      ports4(1, 6000, 16);
    }

    /** Inserts the rows of two more nodes. */
    @Actor
    public void writer() {
      ports4(2, 6000, 16);
      ports4(3, 6000, 16);
    }

    /** Searches in the first row, then in the second. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = findPort4(1, 6012);
      r.r2 = findPort4(2, 6012);
    }
  }

  /** The next entry of an index inherits neither user id nor generation. */
  @JCStressTest
  @Outcome(id = "21, (7|-1)", expect = ACCEPTABLE, desc = "Seen before the removal.")
  @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "Seen as a hole.")
  @Outcome(id = "500, -1", expect = ACCEPTABLE, desc = "The new entry has none.")
  @Outcome(expect = FORBIDDEN, desc = "A user id outlived its entry.")
  @State
  public static class Inheritance extends StressedStore {
    /** Makes the store. */
    public Inheritance() {
      super(DuplicatePolicy.SHARE);
      range4(1, 40);
      store.setUserId(20, 7);
    }

    /** Removes, and inserts another. */
    @Actor
    public void writer() {
      store.remove(20);
      insert4(500);
    }

    /** Looks, then asks for the user id. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(20);
      r.r2 = (int) store.userId(20, -1);
    }
  }

  /** Whoever sees the second entry of an index sees another generation than with the first. */
  @JCStressTest
  @Outcome(id = "(21|-1), -?[0-9]+", expect = ACCEPTABLE, desc = "Seen before the second entry.")
  @Outcome(id = "500, -?[1-9][0-9]*", expect = ACCEPTABLE, desc = "A generation of its own.")
  @Outcome(expect = FORBIDDEN, desc = "A directed receive would match the wrong generation.")
  @State
  public static class Generation extends StressedStore {
    /** Makes the store. */
    public Generation() {
      super(DuplicatePolicy.SHARE);
      range4(1, 40);
    }

    /** Removes, and inserts another. */
    @Actor
    public void writer() {
      store.remove(20);
      insert4(500);
    }

    /** Looks, then asks for the generation. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(20);
      r.r2 = (int) store.generation(20);
    }
  }
}
