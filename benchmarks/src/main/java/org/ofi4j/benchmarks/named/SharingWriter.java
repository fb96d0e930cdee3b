// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.vector.AddressList;
import org.ofi4j.benchmarks.vector.AddressParts;
import org.ofi4j.benchmarks.vector.Subject;
import org.ofi4j.benchmarks.vector.VectorFactory;

/**
 * One of several processes that insert into a vector at the same time, for a while, each addresses
 * of its own; what it inserted it removes afterwards.
 *
 * <pre>
 *   open NAME PEERS NUMBER           opens the vector; number 0 makes it, with so many peers
 *   private PEERS                    takes a private vector instead
 *   insert WRITERS BATCH NANOS       inserts so many at a time, for so long
 *   remove                           removes them
 * </pre>
 */
final class SharingWriter {
  /** Addresses that each writer has. */
  private static final int OWN = 1_000_000;

  private final VectorFactory domain;
  private final int number;
  private final Arena arena = Arena.ofShared();
  private final AddressList addresses = AddressList.allocate(arena, Family.IPV4, OWN);
  private final MemorySegment handles = arena.allocate(8L * OWN, 64);
  private final int peers;
  private AddressVector vector;
  private Side side = Side.OFI4J;
  private int inserted;
  private long worst;

  SharingWriter(VectorFactory domain, String name, int peers, int number) {
    this.domain = domain;
    this.peers = peers;
    this.number = number;
    vector = domain.open(VectorOptions.table().withName(name));
    if (number == 0) {
      AddressParts.fill(vector, AddressPattern.SCATTERED, peers);
    }
    long first = peers + (long) number * OWN;
    addresses.fill(AddressList.Filler.of(AddressPattern.SCATTERED, Family.IPV4), first);
  }

  void obey(String[] words, FigureSink figures) {
    switch (words[1]) {
      case "private" -> {
        vector.close();
        vector = domain.open(VectorOptions.table());
        AddressParts.fill(vector, AddressPattern.SCATTERED, peers);
        side = Side.PRIVATE;
      }
      case "insert" -> {
        int writers = Integer.parseInt(words[2]);
        int batch = Integer.parseInt(words[3]);
        long nanos = insert(batch, Long.parseLong(words[4]));
        add(figures, Quantity.insertShared(writers, batch), (double) nanos / inserted);
        add(figures, Quantity.insertSharedWorst(writers, batch), worst / 1e6);
      }
      case "remove" -> {
        vector.remove(handles, inserted, 0);
        inserted = 0;
      }
      default -> throw new IllegalArgumentException("unknown command writer " + words[1]);
    }
  }

  private void add(FigureSink figures, Quantity quantity, double value) {
    figures.add(new Figure(quantity, peers, side, value));
  }

  /** Answers how long it took. */
  private long insert(int batch, long nanos) {
    MemorySegment packed = addresses.packed();
    int length = Family.IPV4.length();
    long begin = System.nanoTime();
    long now = begin;
    worst = 0;
    int done = 0;
    do {
      int count = Math.min(batch, OWN - done);
      int added =
          vector.insert(
              packed.asSlice((long) done * length, (long) count * length),
              count,
              handles.asSlice(8L * done, 8L * count),
              null,
              0,
              null);
      Subject.check(added, count, "addresses inserted by writer " + number);
      done += count;
      long before = now;
      now = System.nanoTime();
      worst = Math.max(worst, now - before);
    } while (now - begin < nanos && done < OWN);
    inserted = done;
    return now - begin;
  }
}
