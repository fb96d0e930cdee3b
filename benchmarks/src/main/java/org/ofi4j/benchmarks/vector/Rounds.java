// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.util.List;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Side;

/**
 * Runs work in rounds: in each round every side does it once, one after the other, so that all see
 * the same machine. Memory alone does it in every sixth.
 */
record Rounds(List<Contender> contenders, FigureSink figures) {
  private static final int MEMORY_SHARE = 6;

  /**
   * Does work with so many peers.
   *
   * @param most how many rounds
   * @param nanos after this time no further round begins
   */
  void run(RoundWork work, int peers, int most, long nanos) {
    contenders.forEach(contender -> contender.load(work, peers));
    long begin = System.nanoTime();
    for (int round = 0; round < most; round++) {
      if (round > 0 && System.nanoTime() - begin >= nanos) {
        return;
      }
      for (Contender contender : contenders) {
        if (contender.side() != Side.MEMORY || round % MEMORY_SHARE == 0) {
          contender.round(round, figures);
        }
      }
    }
  }
}
