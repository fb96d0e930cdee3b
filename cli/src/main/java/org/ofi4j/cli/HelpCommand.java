// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.io.InputStream;
import java.io.Writer;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.KnownWords;
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
      index = "0",
      paramLabel = "COMMAND",
      arity = "0..1",
      completionCandidates = Commands.class,
      description = "The command to explain.")
  private @Nullable String command;

  @Parameters(
      index = "1",
      paramLabel = "SUBCOMMAND",
      arity = "0..1",
      completionCandidates = Subcommands.class,
      description = "A command of COMMAND, to explain it instead.")
  private @Nullable String subcommand;

  /** The words that a shell offers as commands. */
  static final class Commands extends KnownWords {
    @Override
    protected Stream<String> words() {
      return Arrays.stream(Subcommand.values())
          .filter(each -> each.summary() != null)
          .map(Subcommand::text);
    }
  }

  /** The words that a shell offers as commands of a command. */
  static final class Subcommands extends KnownWords {
    @Override
    protected Stream<String> words() {
      Terminal nowhere =
          Terminal.of(InputStream.nullInputStream(), Writer.nullWriter(), Writer.nullWriter());
      return Arrays.stream(Subcommand.values())
          .flatMap(each -> each.children(nowhere).keySet().stream())
          .distinct();
    }
  }

  /** The command; {@code lines} gives the command line with some commands in full. */
  HelpCommand(Terminal terminal, Function<List<String>, CommandLine> lines) {
    this.terminal = terminal;
    this.lines = lines;
  }

  @Override
  public Integer call() {
    List<String> words = Stream.of(command, subcommand).filter(Objects::nonNull).toList();
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
