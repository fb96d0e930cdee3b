// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.io.IOException;
import java.io.PrintStream;
import java.util.concurrent.BlockingQueue;
import org.ofi4j.benchmarks.figure.FigureSink;

/**
 * A JVM that measures, as it sees itself: it obeys lines on standard input one after the other. The
 * answer to each is a line for each figure, which begins with {@link #FIGURE}, followed by {@link
 * #DONE}, or by {@link #FAILURE} and the reason.
 */
public final class FreshJvm {
  /** Begins the line of a figure. */
  static final String FIGURE = "figure ";

  /** Ends the answer to a command. */
  static final String DONE = "done";

  /** Begins the line that says what went wrong. */
  static final String FAILURE = "failed ";

  /** What a JVM can do. */
  public interface Commands {
    /** Does what the words of a line say. */
    void obey(String[] words) throws IOException, InterruptedException;
  }

  private FreshJvm() {}

  /** Where figures go that commands give. */
  @SuppressWarnings("SystemOut") // read by the process that started this one
  public static FigureSink figures() {
    return figure -> System.out.println(FIGURE + figure.line());
  }

  /** Obeys until standard input ends. */
  @SuppressWarnings("SystemOut")
  public static void run(Commands commands) throws InterruptedException {
    PrintStream out = System.out;
    BlockingQueue<String> lines = StandardInput.lines();
    while (true) {
      String line = lines.take();
      try {
        commands.obey(line.split(" ", -1));
        out.println(DONE);
      } catch (Exception | Error e) {
        out.println(FAILURE + e.toString().replace('\n', ' '));
      }
      out.flush();
    }
  }
}
