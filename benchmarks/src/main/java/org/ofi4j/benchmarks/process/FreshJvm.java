// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.io.PrintStream;
import java.util.concurrent.BlockingQueue;
import org.ofi4j.benchmarks.figure.FigureSink;

/**
 * A JVM that measures, as it sees itself: it obeys lines on standard input one after the other. The
 * answer to each is a line for each figure, which begins with {@link #FIGURE}, followed by {@link
 * LineProcess#OK} and a result, or by {@link #ERROR} and the reason.
 */
public final class FreshJvm {
  /** Begins the line of a figure. */
  static final String FIGURE = "figure ";

  /** Begins the line that says what went wrong. */
  static final String ERROR = "error ";

  /** What a JVM can do. */
  @FunctionalInterface
  public interface Commands {
    /** Does what the words of a line say, and returns the result, perhaps an empty one. */
    String obey(String[] words) throws Exception;
  }

  private FreshJvm() {}

  /** Where figures go that commands give. */
  public static FigureSink figures() {
    return figure -> say(FIGURE + figure.line());
  }

  /** Prints a line of an answer. */
  @SuppressWarnings("SystemOut") // read by the process that started this one
  public static void say(String line) {
    PrintStream out = System.out;
    out.println(line);
    out.flush();
  }

  /** Obeys until standard input ends. */
  public static void run(Commands commands) throws InterruptedException {
    BlockingQueue<String> lines = StandardInput.lines();
    while (true) {
      String line = lines.take();
      try {
        say(LineProcess.OK + " " + commands.obey(line.split(" ", -1)));
      } catch (Exception | Error e) {
        say(ERROR + e.toString().replace('\n', ' '));
      }
    }
  }
}
