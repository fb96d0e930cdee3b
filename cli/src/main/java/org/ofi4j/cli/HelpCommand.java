// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Function;
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
    footer = {
      "  ofi4j help            the commands",
      "  ofi4j help av         the same as ofi4j av --help",
      "  ofi4j help av stat    the same as ofi4j av stat --help"
    })
final class HelpCommand implements Callable<Integer> {
  private final Terminal terminal;
  private final Function<List<String>, CommandLine> lines;

  @Parameters(
      paramLabel = "COMMAND",
      arity = "0..*",
      description = "The command to explain, with the name of its own command if it has some.")
  private List<String> words = List.of();

  /** The command; {@code lines} gives the command line with some commands in full. */
  HelpCommand(Terminal terminal, Function<List<String>, CommandLine> lines) {
    this.terminal = terminal;
    this.lines = lines;
  }

  @Override
  public Integer call() {
    CommandLine explained = lines.apply(words);
    for (String word : words) {
      CommandLine next = explained.getSubcommands().get(word);
      if (next == null) {
        throw new UnmatchedArgumentException(explained, List.of(word));
      }
      explained = next;
    }
    explained.usage(terminal.out());
    return ExitCode.OK;
  }
}
