// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.process.FreshJvmProcess;

/** This library in a JVM that does nothing but the work that it is for. */
final class JvmContender implements Contender {
  private final FreshJvmProcess process;
  private final String loading;

  JvmContender(FreshJvmProcess process, WarmUp warmUp) {
    this.process = process;
    this.loading = warmUp.nanos() + " " + warmUp.rounds();
  }

  @Override
  public Side side() {
    return Side.OFI4J;
  }

  /** Does nothing if the JVM has that loaded already. */
  @Override
  public void load(RoundWork work, int peers) {
    process.tell("load " + peers + " " + work.name() + " " + loading);
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
