// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.List;
import org.ofi4j.benchmarks.figure.FigureSink;

/**
 * Runs work in rounds: in each round every side does it once, one after the other, so that all see
 * the same machine. A side that does fewer rounds than the others does them spread over the time.
 */
record Rounds(List<Contender> contenders, FigureSink figures) {
  /** Does work with so many peers. */
  void run(RoundWork work, int peers, Effort effort) {
    List<Contender> able =
        contenders.stream().filter(contender -> effort.of(contender.side()) > 0).toList();
    int most = 0;
    for (Contender contender : able) {
      contender.load(work, peers);
      most = Math.max(most, effort.of(contender.side()));
    }
    long begin = System.nanoTime();
    for (int round = 0; round < most; round++) {
      if (round > 0 && System.nanoTime() - begin >= effort.nanos()) {
        break;
      }
      for (Contender contender : able) {
        if (isTurn(round, most, effort.of(contender.side()))) {
          contender.round(round, figures);
        }
      }
    }
  }

  /** Whether one of a few rounds, of which the first is the first of all, is this of many. */
  private static boolean isTurn(int round, int most, int few) {
    return Math.ceilDiv(round * few, most) < Math.ceilDiv((round + 1) * few, most);
  }
}
