// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.process.FreshJvm;
import org.ofi4j.benchmarks.process.TimeSource;

/**
 * What a {@link FreshJvm} can do with private vectors:
 *
 * <pre>
 *   load PEERS WORK ROUNDS      prepares a {@link RoundWork}, warms up as that many rounds deserve
 *   round NUMBER                does it once
 *   resident PEERS LONG         {@link ResidentMemory}
 * </pre>
 */
final class VectorJvm implements FreshJvm.Commands {
  private final FigureSink figures = FreshJvm.figures();
  private final WarmRounds rounds;

  private VectorJvm(TimeSource time) {
    this.rounds = new WarmRounds(time);
  }

  /** Obeys until standard input ends; the argument is the name of a {@link TimeSource}. */
  public static void main(String[] arguments) throws InterruptedException {
    FreshJvm.run(new VectorJvm(TimeSource.valueOf(arguments[0])));
  }

  @Override
  public String obey(String[] words) {
    switch (words[0]) {
      case "load" -> rounds.load(RoundWork.valueOf(words[2]), number(words[1]), number(words[3]));
      case "round" -> rounds.round(number(words[1]), figures);
      case "resident" -> new ResidentMemory(figures).run(number(words[1]), number(words[2]));
      default -> throw new IllegalArgumentException("unknown command " + words[0]);
    }
    return "";
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }
}
