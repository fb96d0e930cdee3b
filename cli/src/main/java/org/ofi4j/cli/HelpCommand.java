// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code ofi4j help}: prints what a command does, and its options. */
@Command(
    name = "help",
    mixinStandardHelpOptions = true,
    description = "Without a command it lists them.",
    footer = {"  ofi4j help       the commands", "  ofi4j help av    the same as ofi4j av --help"})
final class HelpCommand implements Callable<Integer> {
  private final Terminal terminal;
  private final Function<List<String>, CommandLine> lines;

  @Parameters(paramLabel = "COMMAND", arity = "0..1", description = "The command to explain.")
  private @Nullable String command;

  /** The command; {@code lines} gives the command line with some commands in full. */
  HelpCommand(Terminal terminal, Function<List<String>, CommandLine> lines) {
    this.terminal = terminal;
    this.lines = lines;
  }

  @Override
  public Integer call() {
    CommandLine all = lines.apply(command == null ? List.of() : List.of(command));
    CommandLine wanted = command == null ? all : all.getSubcommands().get(command);
    if (wanted == null) {
      throw new UnmatchedArgumentException(all, List.of(String.valueOf(command)));
    }
    wanted.usage(terminal.out());
    return ExitCode.OK;
  }
}
