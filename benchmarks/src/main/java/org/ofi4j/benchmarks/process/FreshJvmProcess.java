// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.io.IOException;
import java.util.List;
import org.ofi4j.benchmarks.figure.Figure;
import org.ofi4j.benchmarks.figure.FigureSink;

/** {@link FreshJvm}, running. */
public final class FreshJvmProcess implements AutoCloseable {
  /** A hundred million peers take minutes. */
  private static final int PATIENCE_SECONDS = 7200;

  private final LineProcess process;

  /** Starts one; its main class calls {@link FreshJvm#run}. */
  public FreshJvmProcess(Class<?> main, TimeSource time, List<String> options) throws IOException {
    this(withTime(JvmCommand.of(main, options), time));
  }

  private FreshJvmProcess(List<String> command) throws IOException {
    process = new LineProcess("a JVM that measures", PATIENCE_SECONDS, command);
  }

  /** Starts one on the class path, with arguments. */
  public static FreshJvmProcess onClassPath(
      Class<?> main, List<String> options, List<String> arguments) throws IOException {
    List<String> command = JvmCommand.onClassPath(main, options);
    command.addAll(arguments);
    return new FreshJvmProcess(command);
  }

  private static List<String> withTime(List<String> command, TimeSource time) {
    command.add(time.name());
    return command;
  }

  /** Gives a command, and returns when it is done. */
  public void tell(String command, FigureSink figures) {
    begin(command);
    end(command, figures);
  }

  /** Gives a command, which it obeys while others do. */
  public void begin(String command) {
    process.say(command);
  }

  /** Returns when a command that was given is done. */
  public void end(String command, FigureSink figures) {
    for (String line = process.hear(command);
        !line.equals(FreshJvm.DONE);
        line = process.hear(command)) {
      if (line.startsWith(FreshJvm.FIGURE)) {
        figures.add(Figure.of(line.substring(FreshJvm.FIGURE.length())));
      } else if (line.startsWith(FreshJvm.FAILURE)) {
        throw process.failure(
            "says \"" + line.substring(FreshJvm.FAILURE.length()) + "\"", command);
      } else {
        forward(line);
      }
    }
  }

  /** Gives a command that measures nothing. */
  public void tell(String command) {
    tell(
        command,
        figure -> {
          throw new IllegalStateException("a figure without a round: " + figure);
        });
  }

  /** What the JVM itself prints, if its options ask for it. */
  @SuppressWarnings("SystemOut")
  private static void forward(String line) {
    System.err.println(line);
  }

  @Override
  public void close() {
    process.close();
  }
}
