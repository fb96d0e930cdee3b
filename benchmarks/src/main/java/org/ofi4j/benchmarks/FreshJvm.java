// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayDeque;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import org.jspecify.annotations.Nullable;

/**
 * What runs in a JVM of its own, started by {@link FreshJvmProcess}: the compiler has seen nothing
 * but the work that is measured, as in an application that does this work. It is told what to do by
 * lines on standard input and ends with it; each command is answered by its figures and {@link
 * #DONE}, or by {@link #FAILURE} and the reason.
 *
 * <pre>
 *   load SIDE PEERS WORK ROUNDS NANOS BEFORE   prepares a {@link RoundWork}, warms up
 *   round NUMBER                               does it once
 *   prepare WHAT PEERS ROUNDS                  makes something ready to be measured
 *   measure                                    measures what was prepared first
 *   resident PEERS LONG                        {@link ResidentMemory}
 *   sweep PEERS                                {@link MemorySweep}
 *   profile PEERS WORK                         {@link ExecutionProfile} of {@link ProfiledWork}
 *   large PEERS ROUNDS PATTERN                 {@link LargeSize}
 *   named WHAT ...                             {@link NamedWork}
 * </pre>
 */
final class FreshJvm {
  /** Begins the line of a figure. */
  static final String FIGURE = "figure ";

  /** Ends the answer to a command. */
  static final String DONE = "done";

  /** Begins the line that says what went wrong. */
  static final String FAILURE = "failed ";

  private final TimeSource time;
  private final PrintStream out;
  private final FigureSink figures;
  private final Map<Side, WarmRounds> sides = new EnumMap<>(Side.class);
  private @Nullable WarmRounds work;
  private @Nullable NamedWork named;
  private final Queue<Prepared> prepared = new ArrayDeque<>();

  private FreshJvm(TimeSource time, PrintStream out) {
    this.time = time;
    this.out = out;
    this.figures = figure -> out.println(FIGURE + figure.line());
  }

  /**
   * Obeys until standard input ends.
   *
   * @param arguments the name of a {@link TimeSource}
   * @throws InterruptedException never
   */
  @SuppressWarnings("SystemOut") // read by the process that started this one
  public static void main(String[] arguments) throws InterruptedException {
    FreshJvm jvm = new FreshJvm(TimeSource.valueOf(arguments[0]), System.out);
    BlockingQueue<String> commands = StandardInput.lines();
    while (true) {
      jvm.answer(commands.take());
    }
  }

  private void answer(String command) {
    try {
      obey(command.split(" ", -1));
      out.println(DONE);
    } catch (Exception | Error e) {
      out.println(FAILURE + e.toString().replace('\n', ' '));
    }
    out.flush();
  }

  private void obey(String[] words) throws IOException, InterruptedException {
    switch (words[0]) {
      case "load" -> {
        WarmRounds next = sides.computeIfAbsent(Side.valueOf(words[1]), this::rounds);
        work = next;
        next.load(
            RoundWork.valueOf(words[3]),
            number(words[2]),
            number(words[4]),
            new WarmUp(Long.parseLong(words[5]), number(words[6])));
      }
      case "round" ->
          Objects.requireNonNull(work, "nothing was loaded").round(number(words[1]), figures);
      case "prepare" -> prepared.add(prepare(words[1], number(words[2]), number(words[3])));
      case "measure" -> measure();
      case "resident" -> new ResidentMemory(figures).run(number(words[1]), number(words[2]));
      case "sweep" -> new MemorySweep(figures).run(number(words[1]));
      case "profile" ->
          new ExecutionProfile(figures, time).run(ProfiledWork.valueOf(words[2]), number(words[1]));
      case "large" ->
          new LargeSize(figures, time, number(words[2]), number(words[1]))
              .measure(AddressPattern.valueOf(words[3]));
      case "named" -> named().obey(words);
      default -> throw new IllegalArgumentException("unknown command " + words[0]);
    }
  }

  private NamedWork named() {
    NamedWork known = named;
    if (known == null) {
      known = new NamedWork(figures);
      named = known;
    }
    return known;
  }

  private WarmRounds rounds(Side side) {
    return new WarmRounds(side == Side.MEMORY ? new MemorySubject(time) : new Ofi4jSubject(time));
  }

  private static int number(String word) {
    return Integer.parseInt(word);
  }

  private Prepared prepare(String what, int peers, int rounds) {
    return switch (what) {
      case "first" -> new FirstCalls(figures, time, peers);
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
