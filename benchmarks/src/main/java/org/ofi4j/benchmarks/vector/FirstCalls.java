// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.util.List;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.TimeSource;
import org.ofi4j.benchmarks.schedule.Prepared;

/**
 * The first call of each kind in a JVM that has done nothing else yet but make up addresses. Once
 * is all: afterwards nothing is the first any more.
 */
final class FirstCalls implements Prepared {
  private static final AddressPattern PATTERN = AddressPattern.SCATTERED;

  private final FigureSink figures;
  private final int peers;
  private final Arena arena = Arena.ofShared();
  private final Ofi4jSubject subject;

  FirstCalls(FigureSink figures, TimeSource time, int peers) {
    this.figures = figures;
    this.peers = peers;
    subject = new Ofi4jSubject(time);
    subject.load(Workload.of(arena, PATTERN, Family.IPV4, peers));
  }

  @Override
  public void measure() {
    List<Figure> found =
        List.of(
            figure(Quantity.insert(PATTERN, Family.IPV4, true), subject.insert(true)),
            figure(Quantity.LOOKUP, subject.firstLookup()),
            figure(Quantity.FIND, subject.firstFind() * peers / subject.searched()),
            figure(Quantity.REMOVE_IN_ORDER, subject.removeInOrder()));
    found.forEach(figures::add);
  }

  private Figure figure(Quantity quantity, long nanos) {
    return new Figure(quantity, peers, Side.OFI4J_FIRST, (double) nanos / peers);
  }

  @Override
  public void close() {
    subject.close();
    arena.close();
  }
}
