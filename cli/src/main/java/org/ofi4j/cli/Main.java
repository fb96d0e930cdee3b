// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Terminal;

/** The entry point of the {@code ofi4j} command. */
public final class Main {
  private Main() {}

  /** Runs a command and ends the process with its exit status. */
  public static void main(String[] args) {
    Terminal terminal = Terminal.system();
    int code = run(terminal, args);
    terminal.flush();
    System.exit(code);
  }

  /** Runs a command; its exit status is one of {@link org.ofi4j.cli.output.ExitCode}. */
  static int run(Terminal terminal, String... args) {
    int code = CommandLines.of(terminal, args).execute(args);
    String lost = terminal.lostOutput();
    if (lost != null) {
      terminal.err().println("ofi4j: cannot write to standard output: " + lost);
      return code == ExitCode.OK ? ExitCode.FAILED : code;
    }
    return code;
  }
}
