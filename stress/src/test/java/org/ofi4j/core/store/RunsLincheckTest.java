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
 * As {@link EntryStoreLincheckTest}, with a store that begins as a range of forty entries: three of
 * them come and go, while others make the store change how it keeps the range.
 *
 * <p>A call that changes many entries changes them one after the other, so readers look at none of
 * those, only at the three.
 */
@Param(name = "index", gen = IntGen.class, conf = "9:11")
@Param(name = "address", gen = IntGen.class, conf = "10:12")
@Param(name = "id", gen = IntGen.class, conf = "1:2")
@Tag("AV-083")
@Timeout(300)
public class RunsLincheckTest {
  /** How many programs; a long run: {@code -Dofi4j.lincheck=1000}. */
  private static final int ITERATIONS = Integer.getInteger("ofi4j.lincheck", 5);

  /** Addresses from here on come and go within one call. */
  private static final int PASSING = 1000;

  private static final int STRANGER = 500;

  private final StressedStore subject = new StressedStore(DuplicatePolicy.SHARE);

  /** Begins with the range; index i has address i + 1. */
  public RunsLincheckTest() {
    subject.range4(1, 40);
  }

  /** Inserts one of the three, wherever there is room. */
  @Operation(nonParallelGroup = "writer")
  public int insert(@Param(name = "address") int address) {
    return subject.insert4(address);
  }

  /** Inserts an address that is far from all others. */
  @Operation(nonParallelGroup = "writer")
  public int insertStranger() {
    return subject.insert4(STRANGER);
  }

  /** Makes a hole, or takes a share. */
  @Operation(nonParallelGroup = "writer")
  public int remove(@Param(name = "index") int index) {
    return subject.store.remove(index);
  }

  /** Gives one of the three the address of another one, if that has it no more. */
  @Operation(nonParallelGroup = "writer")
  public int replace(@Param(name = "index") int index, @Param(name = "address") int address) {
    return subject.replace4(index, address);
  }

  /** Gives one of the three an address that is far from all others. */
  @Operation(nonParallelGroup = "writer")
  public int replaceByStranger(@Param(name = "index") int index) {
    return subject.replace4(index, STRANGER);
  }

  /** Gives a user id. */
  @Operation(nonParallelGroup = "writer")
  public int setUserId(@Param(name = "index") int index, @Param(name = "id") int id) {
    return subject.store.setUserId(index, id);
  }

  /** Shares a part of the range and takes the shares back. */
  @Operation(nonParallelGroup = "writer")
  public void share() {
    subject.range4(20, 15);
    for (int address = 20; address < 35; address++) {
      subject.store.remove(subject.find4(address));
    }
  }

  /** Inserts another range, first into the holes, and removes it again. */
  @Operation(nonParallelGroup = "writer")
  public void passingRange() {
    subject.range4(PASSING, 24);
    removePassing(24);
  }

  /** Inserts consecutive addresses together, and removes them again. */
  @Operation(nonParallelGroup = "writer")
  public void passingRow() {
    subject.bulk4(PASSING, 18);
    removePassing(18);
  }

  private void removePassing(int count) {
    for (int i = 0; i < count; i++) {
      subject.store.remove(subject.find4(PASSING + i));
    }
  }

  /** Searches. */
  @Operation
  public int find(@Param(name = "address") int address) {
    return subject.find4(address);
  }

  /** Searches for the one that is far from all others. */
  @Operation
  public int findStranger() {
    return subject.find4(STRANGER);
  }

  /** Looks up. */
  @Operation
  public int lookup(@Param(name = "index") int index) {
    int address = subject.lookup(index);
    return address >= PASSING ? StressedStore.NONE : address;
  }

  /** Asks for the user id. */
  @Operation
  public long userId(@Param(name = "index") int index) {
    return subject.store.userId(index, -1);
  }

  @Test
  void lookupsAndSearchesAreAtomicWhileRunsChange() {
    new StressOptions()
        .iterations(ITERATIONS)
        .invocationsPerIteration(1_000)
        .threads(2)
        .actorsPerThread(4)
        .actorsBefore(3)
        .actorsAfter(2)
        .minimizeFailedScenario(false)
        .check(RunsLincheckTest.class);
  }
}
