// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Mixing;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.schedule.Prepared;
import org.ofi4j.benchmarks.schedule.Recorder;
import org.ofi4j.benchmarks.vector.AddressList;
import org.ofi4j.benchmarks.vector.AddressParts;
import org.ofi4j.benchmarks.vector.Subject;
import org.ofi4j.benchmarks.vector.VectorFactory;
import org.ofi4j.benchmarks.vector.VectorWork;

/**
 * The same lookups in a named vector and in a private one, by turns in one JVM: of handles and of
 * addresses in random order, of entries in slots and in runs.
 */
final class SharingLookups implements Prepared {
  /** The most lookups of a pass. */
  private static final int MOST = 1_000_000;

  /** The most searches of a pass: they take longer. */
  private static final int MOST_SEARCHES = 250_000;

  /** The fewest in a pass: with few peers it goes round. */
  private static final int FEWEST = 100_000;

  private static final int FEW_PEERS = 50_000;
  private static final long WARM_UP_NANOS = 1_500_000_000;

  /** With fewer rounds, which is for a quick look, it warms up for less time. */
  private static final int USUAL_ROUNDS = 11;

  private final FigureSink figures;
  private final int rounds;
  private final List<Pair> pairs;

  /** Fills vectors and warms up. */
  SharingLookups(FigureSink figures, VectorFactory domain, String name, int peers, int rounds) {
    this.figures = figures;
    this.rounds = rounds;
    List<Pair> few = pairs(domain, name + " few", Math.min(FEW_PEERS, peers));
    long warmUp = WARM_UP_NANOS * Math.min(rounds, USUAL_ROUNDS) / USUAL_ROUNDS;
    long begin = System.nanoTime();
    for (int round = 0; round < 2 || System.nanoTime() - begin < warmUp; round++) {
      for (Pair pair : few) {
        pair.round(round, figure -> {});
      }
    }
    few.forEach(Pair::close);
    pairs = pairs(domain, name, peers);
    pairs.forEach(pair -> pair.round(0, figure -> {}));
  }

  private static List<Pair> pairs(VectorFactory domain, String name, int peers) {
    return List.of(
        new Pair(
            domain,
            name + " scattered",
            AddressPattern.SCATTERED,
            peers,
            Quantity.SHARED_LOOKUP,
            Quantity.SHARED_FIND),
        new Pair(
            domain,
            name + " consecutive",
            AddressPattern.CONSECUTIVE,
            peers,
            Quantity.SHARED_LOOKUP_IN_RUN,
            Quantity.SHARED_FIND_IN_RUN));
  }

  @Override
  public void measure() {
    for (int round = 0; round < rounds; round++) {
      for (Pair pair : pairs) {
        pair.round(round, figures);
      }
    }
  }

  @Override
  public void close() {
    pairs.forEach(Pair::close);
  }

  /** Two vectors with the same entries under the same handles. */
  private static final class Pair implements AutoCloseable {
    private final Arena arena = Arena.ofConfined();
    private final AddressVector shared;
    private final AddressVector own;
    private final Quantity lookup;
    private final Quantity find;
    private final int peers;
    private final long[] handles;
    private final long addresses;
    private final AddressList searched;
    private final long found;
    private final MemorySegment buffer = arena.allocate(64, 64);

    Pair(
        VectorFactory domain,
        String name,
        AddressPattern pattern,
        int peers,
        Quantity lookup,
        Quantity find) {
      this.peers = peers;
      this.lookup = lookup;
      this.find = find;
      shared = domain.open(VectorOptions.table().withName(name));
      own = domain.open(VectorOptions.table());
      AddressParts.fill(shared, pattern, peers);
      AddressParts.fill(own, pattern, peers);
      handles = sample(peers, MOST, 1);
      addresses = listed(pattern, handles).sum();
      long[] wanted = sample(peers, MOST_SEARCHES, 2);
      searched = listed(pattern, wanted);
      long sum = 0;
      for (long handle : wanted) {
        sum += handle;
      }
      found = sum;
    }

    /** Handles in random order: of the vectors each is the position in the list of addresses. */
    private static long[] sample(int peers, int most, int seed) {
      int[] order = Mixing.order(peers, seed);
      long[] sample = new long[Math.min(most, peers)];
      for (int i = 0; i < sample.length; i++) {
        sample[i] = order[i];
      }
      return sample;
    }

    private AddressList listed(AddressPattern pattern, long[] positions) {
      AddressList.Filler filler = AddressList.Filler.of(pattern, Family.IPV4);
      AddressList list = AddressList.allocate(arena, Family.IPV4, positions.length);
      for (int i = 0; i < positions.length; i++) {
        filler.write(positions[i], list.packed(), (long) i * Family.IPV4.length());
      }
      return list;
    }

    /** One round of both, in which the other one begins than in the round before. */
    void round(int number, FigureSink into) {
      Recorder sharing = new Recorder(into, Side.OFI4J, peers, number);
      Recorder alone = new Recorder(into, Side.PRIVATE, peers, number);
      if (number % 2 == 0) {
        lookups(shared, sharing);
        lookups(own, alone);
        searches(shared, sharing);
        searches(own, alone);
      } else {
        lookups(own, alone);
        lookups(shared, sharing);
        searches(own, alone);
        searches(shared, sharing);
      }
      sharing.flush();
      alone.flush();
    }

    /** As a vector that is in use: the second pass counts. */
    private void lookups(AddressVector vector, Recorder recorder) {
      int passes = Math.ceilDiv(FEWEST, handles.length);
      VectorWork.lookup(vector, handles, buffer);
      long begin = System.nanoTime();
      long sum = 0;
      for (int pass = 0; pass < passes; pass++) {
        sum += VectorWork.lookup(vector, handles, buffer);
      }
      recorder.nanos(lookup, System.nanoTime() - begin, (long) passes * handles.length);
      Subject.check(sum, passes * addresses, "sum of addresses looked up");
    }

    private void searches(AddressVector vector, Recorder recorder) {
      int passes = Math.ceilDiv(FEWEST, searched.count());
      long begin = System.nanoTime();
      long sum = 0;
      for (int pass = 0; pass < passes; pass++) {
        sum += VectorWork.find(vector, searched);
      }
      recorder.nanos(find, System.nanoTime() - begin, (long) passes * searched.count());
      Subject.check(sum, passes * found, "sum of handles found");
    }

    @Override
    public void close() {
      shared.close();
      own.close();
      arena.close();
    }
  }
}
