package org.ofi4j.benchmarks;

import java.io.PrintStream;
import java.util.concurrent.BlockingQueue;

/**
 * What runs in a JVM of its own, started by {@link FreshJvmProcess}: the compiler has seen nothing
 * but the work that is measured, as in an application that does this work. It is told what to do by
 * lines on standard input and ends with it; each command is answered by its figures and {@link
 * #DONE}, or by {@link #FAILURE} and the reason.
 *
 * <pre>
 *   load PEERS WORK ROUNDS NANOS BEFORE   prepares a {@link RoundWork}, warms up
 *   round NUMBER                          does it once
 *   first PEERS                           {@link FirstCalls}
 *   resident PEERS                        {@link ResidentMemory}
 *   sweep PEERS                           {@link MemorySweep}
 *   large PEERS ROUNDS PATTERN            {@link LargeSize}
 *   range PEERS ROUNDS                    {@link SymmetricRange}
 *   reader PEERS ROUNDS                   {@link ReaderBesideWriter}
 *   growth PEERS ROUNDS                   {@link Growth}
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
  private final WarmRounds work;

  private FreshJvm(TimeSource time, PrintStream out) {
    this.time = time;
    this.out = out;
    this.figures = figure -> out.println(FIGURE + figure.line());
    this.work = new WarmRounds(time);
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

  private void obey(String[] words) throws InterruptedException {
    int number = Integer.parseInt(words[1]);
    switch (words[0]) {
      case "load" ->
          work.load(
              RoundWork.valueOf(words[2]),
              number,
              Integer.parseInt(words[3]),
              Long.parseLong(words[4]),
              Integer.parseInt(words[5]));
      case "round" -> work.round(number, figures);
      case "first" -> new FirstCalls(figures, time).run(number);
      case "resident" -> new ResidentMemory(figures).run(number);
      case "sweep" -> new MemorySweep(figures).run(number);
      default -> obey(words[0], number, Integer.parseInt(words[2]), words);
    }
  }

  private void obey(String command, int number, int rounds, String[] words)
      throws InterruptedException {
    switch (command) {
      case "large" ->
          new LargeSize(figures, time, rounds, number).measure(AddressPattern.valueOf(words[3]));
      case "range" -> new SymmetricRange(figures, time, rounds).run(number);
      case "reader" -> new ReaderBesideWriter(figures, time, rounds).run(number);
      case "growth" -> new Growth(figures, time).run(number, rounds);
      default -> throw new IllegalArgumentException("unknown command " + command);
    }
  }
}
