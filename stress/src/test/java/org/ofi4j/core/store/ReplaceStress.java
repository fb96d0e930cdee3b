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

/** Lookups and searches beside a writer that gives an entry another address. */
public class ReplaceStress {
  private ReplaceStress() {}

  /** From slot to slot, without a second look at anything. */
  @JCStressTest
  @Outcome(id = "1, [12]", expect = ACCEPTABLE, desc = "The first look saw the old address.")
  @Outcome(id = "2, 2", expect = ACCEPTABLE, desc = "Both saw the new one.")
  @Outcome(expect = FORBIDDEN, desc = "No address, or the old one after the new one.")
  @State
  public static class InSlot extends StressedStore {
    /** Makes the store. */
    public InSlot() {
      super(DuplicatePolicy.SHARE);
      insert4(1);
    }

    /** Replaces. */
    @Actor
    public void writer() {
      replace4(0, 2);
    }

    /** Looks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(0);
      r.r2 = lookup4(0);
    }
  }

  /** From record to record and back, so that the slot is as before. */
  @JCStressTest
  @Outcome(id = "1, [123]", expect = ACCEPTABLE, desc = "The first look saw the first address.")
  @Outcome(id = "2, [23]", expect = ACCEPTABLE, desc = "The first look saw the second one.")
  @Outcome(id = "3, 3", expect = ACCEPTABLE, desc = "Both saw the last one.")
  @Outcome(expect = FORBIDDEN, desc = "No address, halves of two, or one that came back.")
  @State
  public static class InRecords extends StressedStore {
    /** Makes the store. */
    public InRecords() {
      super(DuplicatePolicy.SHARE);
      insert6(1);
    }

    /** Replaces twice: the second time, the first record is used again. */
    @Actor
    public void writer() {
      replace6(0, 2);
      replace6(0, 3);
    }

    /** Looks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup(0);
      r.r2 = lookup(0);
    }
  }

  /** Out of a run. */
  @JCStressTest
  @Outcome(id = "21, (21|500)", expect = ACCEPTABLE, desc = "The first look saw the old address.")
  @Outcome(id = "500, 500", expect = ACCEPTABLE, desc = "Both saw the new one.")
  @Outcome(expect = FORBIDDEN, desc = "No address, or the old one after the new one.")
  @State
  public static class OutOfRun extends StressedStore {
    /** Makes the store. */
    public OutOfRun() {
      super(DuplicatePolicy.SHARE);
      range4(1, 40);
    }

    /** Replaces. */
    @Actor
    public void writer() {
      replace4(20, 500);
    }

    /** Looks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup(20);
      r.r2 = lookup(20);
    }
  }

  /** What else an entry of a run has goes with it. */
  @JCStressTest
  @Outcome(id = "2, 7", expect = ACCEPTABLE, desc = "There all the time.")
  @Outcome(expect = FORBIDDEN, desc = "Lost, or counted twice.")
  @State
  public static class WhatStays extends StressedStore {
    /** Makes the store. */
    public WhatStays() {
      super(DuplicatePolicy.SHARE);
      range4(1, 40);
      range4(1, 40);
      store.setUserId(20, 7);
    }

    /** Replaces. */
    @Actor
    public void writer() {
      replace4(20, 500);
    }

    /** Asks for both. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = store.count(20);
      r.r2 = (int) store.userId(20, -1);
    }
  }

  /** Searches for both addresses. */
  @JCStressTest
  @Outcome(id = "0, (0|-1)", expect = ACCEPTABLE, desc = "The old one was there at first.")
  @Outcome(id = "-1, 0", expect = ACCEPTABLE, desc = "It was gone, and so the new one there.")
  @Outcome(expect = FORBIDDEN, desc = "The entry is found by neither.")
  @State
  public static class Found extends StressedStore {
    /** Makes the store. */
    public Found() {
      super(DuplicatePolicy.SHARE);
      insert4(1);
    }

    /** Replaces. */
    @Actor
    public void writer() {
      replace4(0, 2);
    }

    /** Searches for the old address, then for the new one. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(1);
      r.r2 = find4(2);
    }
  }

  /** One entry keeps the address that another one gives away and takes again. */
  @JCStressTest
  @Outcome(id = "[01], [01]", expect = ACCEPTABLE, desc = "One of those that had it.")
  @Outcome(expect = FORBIDDEN, desc = "Lost, though an entry had it all the time.")
  @State
  public static class Companion extends StressedStore {
    /** Makes the store. */
    public Companion() {
      super(DuplicatePolicy.NEW_INDEX);
      insert4(1);
      insert4(1);
    }

    /** Replaces three times. */
    @Actor
    public void writer() {
      replace4(0, 2);
      replace4(0, 1);
      replace4(0, 2);
    }

    /** Searches twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = find4(1);
      r.r2 = find4(1);
    }
  }
}
