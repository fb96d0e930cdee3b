// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.FigureSink;
import org.ofi4j.benchmarks.process.FreshJvm;
import org.ofi4j.benchmarks.process.TimeSource;
import org.ofi4j.benchmarks.schedule.Prepared;

/**
 * What a {@link FreshJvm} can do with private vectors:
 *
 * <pre>
 *   load PEERS WORK NANOS BEFORE               prepares a {@link RoundWork}, warms up
 *   round NUMBER                               does it once
 *   prepare WHAT PEERS ROUNDS                  makes something ready to be measured
 *   measure                                    measures what was prepared first
 *   resident PEERS LONG                        {@link ResidentMemory}
 *   churn PEERS ROUNDS                         {@link LongChurn}
 *   sweep PEERS                                {@link MemorySweep}
 *   large PEERS ROUNDS PATTERN                 {@link LargeSize}
 * </pre>
 */
final class VectorJvm implements FreshJvm.Commands {
  private final TimeSource time;
  private final FigureSink figures = FreshJvm.figures();
  private final WarmRounds rounds;
  private final Queue<Prepared> prepared = new ArrayDeque<>();

  private VectorJvm(TimeSource time) {
    this.time = time;
    this.rounds = new WarmRounds(time);
  }

  /** Obeys until standard input ends; the argument is the name of a {@link TimeSource}. */
  public static void main(String[] arguments) throws InterruptedException {
    FreshJvm.run(new VectorJvm(TimeSource.valueOf(arguments[0])));
  }

  @Override
  public void obey(String[] words) throws IOException, InterruptedException {
    switch (words[0]) {
      case "load" ->
          rounds.load(
              RoundWork.valueOf(words[2]),
              number(words[1]),
              new WarmUp(Long.parseLong(words[3]), number(words[4])));
      case "round" -> rounds.round(number(words[1]), figures);
      case "prepare" -> prepared.add(prepare(words[1], number(words[2]), number(words[3])));
      case "measure" -> measure();
      case "resident" -> new ResidentMemory(figures).run(number(words[1]), number(words[2]));
      case "churn" -> new LongChurn(figures).run(number(words[1]), number(words[2]));
      case "sweep" -> new MemorySweep(figures).run(number(words[1]));
      case "large" ->
          new LargeSize(figures, time, number(words[2]), number(words[1]))
              .measure(AddressPattern.valueOf(words[3]));
      default -> throw new IllegalArgumentException("unknown command " + words[0]);
    }
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private Prepared prepare(String what, int peers, int rounds) {
    return switch (what) {
      case "range" -> new SymmetricRange(figures, time, peers, rounds);
      case "reader" -> new ReaderBesideWriter(figures, time, peers, rounds);
      case "exchanges" -> new ManyExchanges(figures, time, peers, rounds);
      case "growth" -> new Growth(figures, time, peers, rounds);
      default -> throw new IllegalArgumentException("nothing is called " + what);
    };
  }

  private void measure() throws InterruptedException {
    try (Prepared next = prepared.remove()) {
      next.measure();
    }
  }
}
