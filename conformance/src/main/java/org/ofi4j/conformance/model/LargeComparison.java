// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.MemoryUse;

/** Compares what a vector says with what a {@link LargeReference} says. */
final class LargeComparison {
  private static final int HOLES_COMPARED = 24;

  private final LargeReference reference;
  private final AddressVector vector;
  private final boolean handlesAreIndices;
  private final MemorySegment buffer = MemorySegment.ofArray(new byte[32]);

  /**
   * A comparison.
   *
   * @param handlesAreIndices whether handles are positions (AV-024, AV-025)
   */
  LargeComparison(LargeReference reference, AddressVector vector, boolean handlesAreIndices) {
    this.reference = reference;
    this.vector = vector;
    this.handlesAreIndices = handlesAreIndices;
  }

  /** The handle of a live index. */
  long handleOf(int index) {
    return handlesAreIndices ? index : vector.handleAt(index);
  }

  /** Counts, and whether the memory adds up. */
  void totals() {
    same("size", reference.size(), vector.size());
    same("most entries ever", reference.mostEntries(), vector.highWaterMark());
    Subject.check(vector.capacity() >= vector.size(), "capacity below size");
    MemoryUse memory = vector.memory();
    Subject.check(
        memory.held() >= memory.live() && memory.live() >= memory.side() && memory.side() >= 0,
        "of memory more lives than is held: " + memory);
  }

  /** Every entry, forwards and backwards, and both ends of many holes. */
  void entries() {
    int previous = -1;
    int dead = 0;
    for (int index : reference.indices(0, reference.end())) {
      entry(index);
      if (index != previous + 1 && dead++ < HOLES_COMPARED) { // both ends of a hole
        hole(previous + 1);
        hole(index - 1);
      }
      previous = index;
    }
    hole(previous + 1);
  }

  /** One live entry. */
  void entry(int index) {
    long number = reference.number(index);
    byte[] expected = Numbers.address(number).toBytes();
    long handle = handleOf(index);
    if (vector.lookup(handle, buffer) != expected.length
        || MemorySegment.mismatch(
                buffer, 0, expected.length, MemorySegment.ofArray(expected), 0, expected.length)
            >= 0) {
      FabricAddress seen = vector.lookup(handle);
      throw new AssertionError(
          "lookup of " + index + ": expected " + Numbers.address(number) + ", got " + seen);
    }
    search(number);
  }

  /** Where an address is, if anywhere. */
  void search(long number) {
    int lowest = reference.find(number);
    FabricAddress address = Numbers.address(number);
    long expected = lowest < 0 ? Handles.NOT_AVAILABLE : handleOf(lowest);
    long found = vector.find(address);
    if (found != expected) {
      same("find of " + address, expected, found);
    }
  }

  /** An index that names nothing; opaque handles of such are not known. */
  void hole(int index) {
    if (handlesAreIndices) {
      same(
          "lookup of dead " + index,
          Errno.EINVAL.number(),
          Subject.errnoOf(() -> vector.lookup(index, buffer)));
    }
  }

  static void same(String what, long expected, long actual) {
    if (expected != actual) {
      throw new AssertionError(what + ": expected " + expected + ", got " + actual);
    }
  }
}
