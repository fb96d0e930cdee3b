// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.DuplicatePolicy;

/**
 * As {@link EntryStoreLincheckTest}, of a store with wide slots: entries come and go, and get other
 * addresses, so that the slot has its own address, or names a record.
 */
@Param(name = "address", gen = IntGen.class, conf = "1:2")
@Param(name = "index", gen = IntGen.class, conf = "0:1")
@Tag("AV-083")
@Timeout(300)
public class WideSlotsLincheckTest {
  /** How many programs; a long run: {@code -Dofi4j.lincheck=1000}. */
  private static final int ITERATIONS = Integer.getInteger("ofi4j.lincheck", 5);

  private final StressedStore subject = new StressedStore(DuplicatePolicy.SHARE, true);

  /** Inserts. */
  @Operation(nonParallelGroup = "writer")
  public int insert(@Param(name = "address") int address) {
    return subject.insert6(address);
  }

  /** Removes. */
  @Operation(nonParallelGroup = "writer")
  public int remove(@Param(name = "index") int index) {
    return subject.store.remove(index);
  }

  /** Gives an entry another address. */
  @Operation(nonParallelGroup = "writer")
  public int replace(@Param(name = "index") int index, @Param(name = "address") int address) {
    return subject.replace6(index, address);
  }

  /** Searches. */
  @Operation(nonParallelGroup = "reader")
  public int find(@Param(name = "address") int address) {
    return subject.find6(address);
  }

  /** Looks up in few instructions. */
  @Operation(nonParallelGroup = "reader")
  public int lookupWide(@Param(name = "index") int index) {
    return subject.lookupWide(index);
  }

  /** Looks up. */
  @Operation(nonParallelGroup = "reader")
  public int lookup(@Param(name = "index") int index) {
    return subject.lookup(index);
  }

  @Test
  void lookupsAndSearchesAreAtomicBesideAWriter() {
    new StressOptions()
        .iterations(ITERATIONS)
        .invocationsPerIteration(1_500)
        .threads(2)
        .actorsPerThread(4)
        .actorsBefore(4)
        .actorsAfter(2)
        .minimizeFailedScenario(false)
        .check(WideSlotsLincheckTest.class);
  }
}
