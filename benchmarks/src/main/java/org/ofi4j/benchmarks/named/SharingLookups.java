// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import java.lang.foreign.Arena;
import java.util.List;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Recorder;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.TimeSource;
import org.ofi4j.benchmarks.vector.Ofi4jSubject;
import org.ofi4j.benchmarks.vector.Workload;

/**
 * The same lookups in a named vector and in a private one, alternately in one JVM: of handles and
 * of addresses in random order, of entries in slots and in runs.
 */
record SharingLookups(FigureSink figures, String name, int peers, int rounds) {
  /** The fewest lookups of a round: with few peers it repeats them. */
  private static final int FEWEST = 100_000;

  private static final long WARM_UP_NANOS = 700_000_000;

  /** With fewer rounds, which is for a quick look, it warms up for less time. */
  private static final int USUAL_ROUNDS = 11;

  void run() {
    run(AddressPattern.SCATTERED, Quantity.SHARED_LOOKUP, Quantity.SHARED_FIND);
    run(AddressPattern.CONSECUTIVE, Quantity.SHARED_LOOKUP_IN_RUN, Quantity.SHARED_FIND_IN_RUN);
  }

  private void run(AddressPattern pattern, Quantity lookup, Quantity find) {
    try (Arena arena = Arena.ofShared();
        Ofi4jSubject shared = new Ofi4jSubject(Side.OFI4J, TimeSource.WALL, name);
        Ofi4jSubject own = new Ofi4jSubject(Side.PRIVATE, TimeSource.WALL, null)) {
      List<Ofi4jSubject> both = List.of(shared, own);
      Workload workload = Workload.of(arena, pattern, Family.IPV4, peers);
      both.forEach(subject -> {
        subject.load(workload);
        subject.insert(false);
      });
      long warmUp = WARM_UP_NANOS * Math.min(rounds, USUAL_ROUNDS) / USUAL_ROUNDS;
      long begin = System.nanoTime();
      do {
        both.forEach(subject -> round(subject, lookup, find, figure -> {}));
      } while (System.nanoTime() - begin < warmUp);
      for (int round = 0; round < rounds; round++) {
        for (Ofi4jSubject subject : round % 2 == 0 ? both : both.reversed()) {
          round(subject, lookup, find, figures);
        }
      }
    }
  }

  private void round(Ofi4jSubject subject, Quantity lookup, Quantity find, FigureSink into) {
    Recorder recorder = new Recorder(into, subject.side(), peers, 0);
    for (int done = 0; done < FEWEST; done += peers) {
      recorder.nanos(lookup, subject.lookup());
      recorder.nanos(find, subject.find(), subject.searched());
    }
    recorder.flush();
  }
}
