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
 * Random programs of a writer and a reader, run many times: whatever the readers saw must be
 * explained by some order of all calls, one after the other, of a store that a single thread uses.
 * With one entry for each address, as here, that holds for lookups and searches together.
 */
@Param(name = "address", gen = IntGen.class, conf = "1:2")
@Param(name = "index", gen = IntGen.class, conf = "0:1")
@Tag("AV-083")
@Timeout(300)
public class EntryStoreLincheckTest {
  /** How many programs; a long run: {@code -Dofi4j.lincheck=1000}. */
  private static final int ITERATIONS = Integer.getInteger("ofi4j.lincheck", 5);

  private final StressedStore subject = new StressedStore(DuplicatePolicy.SHARE);

  /** Inserts, of either kind. */
  @Operation(nonParallelGroup = "writer")
  public int insert(@Param(name = "address") int address) {
    return address % 2 == 0 ? subject.insert4(address) : subject.insert6(address);
  }

  /** Removes. */
  @Operation(nonParallelGroup = "writer")
  public int remove(@Param(name = "index") int index) {
    return subject.store.remove(index);
  }

  /** Gives an entry another address, of either kind. */
  @Operation(nonParallelGroup = "writer")
  public int replace(@Param(name = "index") int index, @Param(name = "address") int address) {
    return address % 2 == 0 ? subject.replace4(index, address) : subject.replace6(index, address);
  }

  /** Gives a user id. */
  @Operation(nonParallelGroup = "writer")
  public int setUserId(@Param(name = "index") int index, @Param(name = "address") int id) {
    return subject.store.setUserId(index, id);
  }

  /** Makes the index grow beyond a partition's block and back. */
  @Operation(nonParallelGroup = "writer")
  public void growAndShrink() {
    int[] indices = new int[20];
    for (int i = 0; i < indices.length; i++) {
      indices[i] = subject.insert4(100 + i);
    }
    for (int index : indices) {
      subject.store.remove(index);
    }
  }

  /** Searches. */
  @Operation
  public int find(@Param(name = "address") int address) {
    return address % 2 == 0 ? subject.find4(address) : subject.find6(address);
  }

  /** Looks up. */
  @Operation
  public int lookup(@Param(name = "index") int index) {
    int address = subject.lookup(index);
    // What growth puts in comes and goes within one call.
    return address >= 100 ? StressedStore.NONE : address;
  }

  /** Asks for the user id. */
  @Operation
  public long userId(@Param(name = "index") int index) {
    return subject.store.userId(index, -1);
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
        .check(EntryStoreLincheckTest.class);
  }
}
