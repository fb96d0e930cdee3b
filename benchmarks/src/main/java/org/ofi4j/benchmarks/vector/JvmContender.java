// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.LineProcess;

/** This library in a JVM that does nothing but the work that it is for. */
final class JvmContender implements Contender {
  private final LineProcess process;
  private final int rounds;

  /** Rounds in a JVM, which warms up for each work. */
  JvmContender(LineProcess process, int rounds) {
    this.process = process;
    this.rounds = rounds;
  }

  @Override
  public Side side() {
    return Side.OFI4J;
  }

  @Override
  public void load(RoundWork work, int peers) {
    process.tell("load " + peers + " " + work.name() + " " + rounds);
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
