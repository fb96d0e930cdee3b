// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.FreshJvmProcess;

/** This library, or memory alone, in a JVM that does nothing but the work that it is for. */
final class JvmContender implements Contender {
  private final Side side;
  private final FreshJvmProcess process;
  private final String loading;

  /**
   * Takes over a JVM.
   *
   * @param side what works in it
   * @param process the JVM
   * @param rounds how many rounds there will be
   * @param warmUp what it does before
   */
  JvmContender(Side side, FreshJvmProcess process, int rounds, WarmUp warmUp) {
    this.side = side;
    this.process = process;
    this.loading = rounds + " " + warmUp.nanos() + " " + warmUp.rounds();
  }

  @Override
  public Side side() {
    return side;
  }

  /** Does nothing if the JVM has that loaded already. */
  @Override
  public void load(RoundWork work, int peers) {
    process.tell("load " + side.name() + " " + peers + " " + work.name() + " " + loading);
  }

  @Override
  public void round(int number, FigureSink figures) {
    process.tell("round " + number, figures);
  }

  @Override
  public void close() {
    process.close();
  }
}
