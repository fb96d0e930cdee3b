// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.MemoryUse;
import org.ofi4j.VectorStatistics;

/** Compares what a vector says with what a {@link LargeReference} says. */
final class LargeComparison {
  private static final int HOLES_COMPARED = 24;

  private final LargeReference reference;
  private final Subject subject;
  private final AddressVector vector;
  private final MemorySegment buffer = MemorySegment.ofArray(new byte[32]);

  LargeComparison(LargeReference reference, Subject subject) {
    this.reference = reference;
    this.subject = subject;
    vector = subject.vector();
  }

  /** Counts, and whether the memory adds up. */
  void totals() {
    Run.same("size", reference.size(), vector.size());
    VectorStatistics statistics = vector.statistics();
    Run.same("entries", reference.size(), statistics.entries());
    Run.same("most entries ever", reference.mostEntries(), statistics.highWaterMark());
    Subject.check(statistics.capacity() >= vector.size(), "capacity below size");
    MemoryUse memory = statistics.memory();
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
    long handle = subject.handleOf(index);
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
    long expected = lowest < 0 ? Handles.NOT_AVAILABLE : subject.handleOf(lowest);
    long found = vector.find(address);
    if (found != expected) {
      Run.same("find of " + address, expected, found);
    }
  }

  /** An index that names nothing; opaque handles of such are not known. */
  void hole(int index) {
    if (subject.handlesAreIndices()) {
      Run.same(
          "lookup of dead " + index,
          Errno.EINVAL.number(),
          Subject.errnoOf(() -> vector.lookup(index, buffer)));
    }
  }
}
