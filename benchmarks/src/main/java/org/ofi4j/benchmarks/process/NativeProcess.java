// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.benchmarks.figure.Side;

/** A program in C, running: a command in, an answer out. */
public final class NativeProcess implements AutoCloseable {
  private static final int PATIENCE_SECONDS = 120;
  private static final String OK = "ok ";

  private final LineProcess process;
  private final String version;

  /**
   * Starts one.
   *
   * @param program the executable file
   * @param side what it drives
   * @param time what time is measured by
   */
  public NativeProcess(Path program, Side side, TimeSource time) throws IOException {
    List<String> command = new ArrayList<>(List.of(program.toString()));
    if (side != Side.MEMORY) {
      command.add(side.provider());
    }
    command.add(time.word());
    process =
        new LineProcess(
            side.title(),
            PATIENCE_SECONDS,
            new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD));
    version = answer("starting");
  }

  /** What it said when it began: the version of libfabric, such as 1.17. */
  public String version() {
    return version;
  }

  /** Gives a command; answers what comes after {@code ok}. */
  public String tell(String command) {
    process.say(command);
    return answer(command);
  }

  private String answer(String command) {
    String line = process.hear(command);
    if (!line.startsWith(OK)) {
      throw process.failure("says \"" + line + "\"", command);
    }
    return line.substring(OK.length());
  }

  @Override
  public void close() {
    process.close();
  }
}
