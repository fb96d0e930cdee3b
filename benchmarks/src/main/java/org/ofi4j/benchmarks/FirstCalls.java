package org.ofi4j.benchmarks;

import java.lang.foreign.Arena;
import java.util.List;

/** The first call of each kind in a JVM that has done nothing else yet. */
final class FirstCalls {
  private final FigureSink figures;
  private final TimeSource time;

  FirstCalls(FigureSink figures, TimeSource time) {
    this.figures = figures;
    this.time = time;
  }

  /** Measures once: afterwards nothing is the first any more. */
  void run(int peers) {
    AddressPattern pattern = AddressPattern.SCATTERED;
    try (Arena arena = Arena.ofShared();
        Ofi4jSubject subject = new Ofi4jSubject(time)) {
      subject.load(Workload.of(arena, pattern, Family.IPV4, peers));
      List<Figure> found =
          List.of(
              figure(Quantity.insert(pattern, Family.IPV4, true), peers, subject.insert(true)),
              figure(Quantity.LOOKUP, peers, subject.firstLookup()),
              figure(Quantity.FIND, peers, subject.firstFind() * peers / subject.searched()),
              figure(Quantity.REMOVE_IN_ORDER, peers, subject.removeInOrder()));
      found.forEach(figures::add);
    }
  }

  private static Figure figure(Quantity quantity, int peers, long nanos) {
    return new Figure(quantity, peers, Side.OFI4J_FIRST, (double) nanos / peers);
  }
}
