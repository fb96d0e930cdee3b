// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;

/** Addresses that are made and inserted in parts: a list of all would take more than the vector. */
public final class AddressParts {
  private final AddressList.Filler filler;
  private final AddressList part;
  private final MemorySegment handles;

  /** Parts of at most so many addresses. */
  AddressParts(Arena arena, AddressPattern pattern, Family family, int most) {
    filler = AddressList.Filler.of(pattern, family);
    part = AddressList.allocate(arena, family, most);
    handles = arena.allocate(8L * most, 64);
  }

  /** Inserts so many IPv4 addresses. */
  public static void fill(AddressVector vector, AddressPattern pattern, int peers) {
    try (Arena arena = Arena.ofConfined()) {
      int most = Math.min(1_000_000, peers);
      new AddressParts(arena, pattern, Family.IPV4, most).insert(vector, 0, peers);
    }
  }

  /** Inserts those from one position up to another. */
  void insert(AddressVector vector, long from, long to) {
    for (long done = from; done < to; done += part.count()) {
      int count = (int) Math.min(part.count(), to - done);
      AddressList some = new AddressList(part.family(), part.packed(), count);
      some.fill(filler, done);
      int inserted = vector.insert(some.packed(), count, handles, null, 0, null);
      Subject.check(inserted, count, "addresses inserted");
    }
  }
}
