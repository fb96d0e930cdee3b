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

/** User ids and generations beside a writer. */
public class SideStress {
  private SideStress() {}

  /** The next entry of an index does not inherit the user id. */
  @JCStressTest
  @Outcome(id = "1, (7|-1)", expect = ACCEPTABLE, desc = "Seen before the removal.")
  @Outcome(id = "-1, -1", expect = ACCEPTABLE, desc = "Seen without entry.")
  @Outcome(id = "2, -1", expect = ACCEPTABLE, desc = "The new entry has none.")
  @Outcome(expect = FORBIDDEN, desc = "A user id outlived its entry.")
  @State
  public static class Inheritance extends StressedStore {
    /** Makes the store. */
    public Inheritance() {
      super(DuplicatePolicy.SHARE);
      insert4(1);
      store.setUserId(0, 7);
    }

    /** Removes and inserts. */
    @Actor
    public void writer() {
      store.remove(0);
      insert4(2);
    }

    /** Looks, then asks for the user id. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(0);
      r.r2 = (int) store.userId(0, -1);
    }
  }

  /** Each generation of an index has its own user id. */
  @JCStressTest
  @Outcome(id = "7, (7|9|-1)", expect = ACCEPTABLE, desc = "First seen in the first generation.")
  @Outcome(id = "-1, (9|-1)", expect = ACCEPTABLE, desc = "First seen between.")
  @Outcome(id = "9, 9", expect = ACCEPTABLE, desc = "Seen in the second generation.")
  @Outcome(expect = FORBIDDEN, desc = "The user id of a generation that was over, or of nobody.")
  @State
  public static class Change extends StressedStore {
    /** Makes the store. */
    public Change() {
      super(DuplicatePolicy.SHARE);
      insert4(1);
      store.setUserId(0, 7);
    }

    /** Gives another index an id in between. */
    @Actor
    public void writer() {
      store.remove(0);
      insert4(2);
      insert4(3);
      store.setUserId(1, 8);
      store.remove(1);
      store.setUserId(0, 9);
    }

    /** Asks twice. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = (int) store.userId(0, -1);
      r.r2 = (int) store.userId(0, -1);
    }
  }

  /** A reservation shows address and user id together. */
  @JCStressTest
  @Outcome(id = "-1, (-1|7)", expect = ACCEPTABLE, desc = "Looked before it was published.")
  @Outcome(id = "1, 7", expect = ACCEPTABLE, desc = "Both there.")
  @Outcome(expect = FORBIDDEN, desc = "An address without the user id that was given before.")
  @State
  public static class Publication extends StressedStore {
    /** Makes the store. */
    public Publication() {
      super(DuplicatePolicy.SHARE);
      store.reserve();
    }

    /** Attaches and publishes. */
    @Actor
    public void writer() {
      store.setUserId(0, 7);
      publish4(0, 1);
    }

    /** Looks, then asks for the user id. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(0);
      r.r2 = (int) store.userId(0, -1);
    }
  }

  /** The generation is never older than the entry that was seen. */
  @JCStressTest
  @Outcome(id = "1, [012]", expect = ACCEPTABLE, desc = "First entry seen.")
  @Outcome(id = "-1, [12]", expect = ACCEPTABLE, desc = "Seen without entry.")
  @Outcome(id = "2, [12]", expect = ACCEPTABLE, desc = "Second entry seen.")
  @Outcome(expect = FORBIDDEN, desc = "A directed receive would match the wrong generation.")
  @State
  public static class Generation extends StressedStore {
    /** Makes the store. */
    public Generation() {
      super(DuplicatePolicy.SHARE);
      insert4(1);
      store.setUserId(0, 7);
    }

    /** Removes, inserts, removes. */
    @Actor
    public void writer() {
      store.remove(0);
      insert4(2);
      store.setUserId(0, 8);
      store.remove(0);
    }

    /** Looks, then asks for the generation. */
    @Actor
    public void reader(II_Result r) {
      r.r1 = lookup4(0);
      r.r2 = (int) store.generation(0);
    }
  }
}
