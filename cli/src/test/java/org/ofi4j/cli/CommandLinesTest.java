// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

class CommandLinesTest {
  @Test
  void helpListsEveryCommandForPeople() {
    CommandRun run = CommandRun.of("--help");
    assertThat(run.code()).isZero();
    for (Subcommand subcommand : Subcommand.values()) {
      if (subcommand.summary() == null) {
        assertThat(run.out()).doesNotContain(subcommand.text() + " ");
      } else {
        assertThat(run.out()).contains("\n  " + subcommand.text() + " ");
      }
    }
    assertThat(run.out()).contains("Exit status:", "Examples:").isEqualTo(CommandRun.of().out());
  }

  @ParameterizedTest
  @EnumSource(Subcommand.class)
  void helpOfACommandDocumentsEveryOption(Subcommand subcommand) {
    CommandRun run = CommandRun.of(subcommand.text(), "--help");
    assertThat(run.code()).isZero();
    assertThat(run.err()).isEmpty();
    CommandLine all =
        CommandLines.complete(
            Terminal.of(InputStream.nullInputStream(), new StringWriter(), new StringWriter()));
    CommandLine command = all.getSubcommands().get(subcommand.text());
    for (ArgSpec argument : command.getCommandSpec().args()) {
      assertThat(argument.description()).as("%s", argument).isNotEmpty();
      assertThat(argument.hidden()).isFalse();
    }
    for (OptionSpec option : command.getCommandSpec().options()) {
      assertThat(run.out()).contains(option.names());
    }
    if (subcommand.summary() != null) {
      assertThat(run.out())
          .contains("Exit status:", "  130 ", "Examples:", "ofi4j " + subcommand.text())
          .doesNotContain("\n\n\n");
      boolean plain = subcommand == Subcommand.HELP || subcommand == Subcommand.COMPLETION;
      assertThat(run.out().contains("no provider meets")).isEqualTo(!plain);
      assertThat(command.getCommandSpec().findOption("--json") == null)
          .isEqualTo(subcommand == Subcommand.HELP || subcommand == Subcommand.CLUSTER);
    }
    // A line of an example that is too long would go on at the left edge.
    assertThat(run.out().lines().dropWhile(line -> !line.equals("Examples:")).skip(1))
        .allMatch(line -> line.isEmpty() || line.startsWith("  "));
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 80);
  }

  @ParameterizedTest
  @ValueSource(ints = {40, 60, 80, 120})
  void helpIsAsWideAsTheTerminal(int columns) {
    commandLines()
        .forEach(words -> {
          StringWriter out = new StringWriter();
          Terminal terminal =
              Terminal.interactive(
                  InputStream.nullInputStream(),
                  out,
                  new StringWriter(),
                  Map.of("COLUMNS", String.valueOf(columns)));
          assertThat(Main.run(terminal, words)).isZero();
          String text = out.toString().replaceAll("\033\\[[0-9;]*m", "");
          assertThat(text.lines())
              .as("%s", List.of(words))
              .allMatch(line -> line.length() <= columns);
          // No word is lost, whatever the width.
          assertThat(text.split("\\s+")).isEqualTo(CommandRun.of(words).out().split("\\s+"));
        });
  }

  /** The documentation says what each status means, and the help of each command has its line. */
  @Test
  void helpHasEveryExitStatus() throws IOException {
    List<String> documented =
        Files.readString(Path.of("..", "docs", "cli.md"))
            .lines()
            .dropWhile(line -> !line.startsWith("| exit status |"))
            .skip(2)
            .takeWhile(line -> line.startsWith("|"))
            .flatMap(line -> Arrays.stream(line.split("[|]")[1].split(",")))
            .map(String::strip)
            .toList();
    assertThat(documented).contains("0", "75", "143");
    commandLines()
        .forEach(words -> {
          boolean needsProvider = !List.of("help", "completion").contains(words[0]);
          assertThat(
                  CommandRun.of(words)
                      .out()
                      .lines()
                      .dropWhile(line -> !line.equals("Exit status:"))
                      .skip(1)
                      .takeWhile(line -> !line.isEmpty())
                      .map(line -> line.strip().split(" ")[0]))
              .as("%s", List.of(words))
              .containsExactlyElementsOf(
                  documented.stream()
                      .filter(status -> !status.equals("61") || needsProvider)
                      .toList());
        });
  }

  /** Returns the words that show the help of each command, and of the whole. */
  private static Stream<String[]> commandLines() {
    CommandLine all =
        CommandLines.complete(
            Terminal.of(InputStream.nullInputStream(), new StringWriter(), new StringWriter()));
    Stream.Builder<String[]> lines = Stream.builder();
    lines.add(new String[] {"--help"});
    all.getSubcommands()
        .forEach((name, command) -> {
          lines.add(new String[] {name, "--help"});
          command
              .getSubcommands()
              .keySet()
              .forEach(below -> lines.add(new String[] {name, below, "--help"}));
        });
    return lines.build().filter(words -> !words[0].equals("demo-peer"));
  }

  @Test
  void helpIsACommandToo() {
    assertThat(CommandRun.of("help", "av")).isEqualTo(CommandRun.of("av", "--help"));
    CommandRun unknown = CommandRun.of("help", "avv");
    assertThat(unknown.code()).isEqualTo(2);
    assertThat(unknown.err()).contains("there is no command \"avv\". Did you mean av?");
    assertThat(CommandRun.of("help").out()).isEqualTo(CommandRun.of("--help").out());
    assertThat(CommandRun.of("help", "av", "stat"))
        .isEqualTo(CommandRun.of("av", "stat", "--help"));
    CommandRun unknownBelow = CommandRun.of("help", "cluster", "lits");
    assertThat(unknownBelow.code()).isEqualTo(2);
    assertThat(unknownBelow.err()).contains("there is no command \"lits\". Did you mean list?");
    CommandRun oneMore = CommandRun.of("help", "info", "all");
    assertThat(oneMore.code()).isEqualTo(2);
    assertThat(oneMore.err()).contains("\"all\"", "Try 'ofi4j info --help'");
  }

  @Test
  void unknownCommandsAndOptionsAreUsageErrors() {
    CommandRun command = CommandRun.of("avv");
    assertThat(command.code()).isEqualTo(2);
    assertThat(command.err()).contains("no command \"avv\". Did you mean av?", "ofi4j --help");
    assertThat(command.out()).isEmpty();

    CommandRun option = CommandRun.of("av", "--frobnicate");
    assertThat(option.code()).isEqualTo(2);
    assertThat(option.err()).contains("--frobnicate", "Try 'ofi4j av --help'");

    CommandRun value = CommandRun.of("av", "--duplicates", "sometimes");
    assertThat(value.code()).isEqualTo(2);
    assertThat(value.err()).contains("sometimes", "reject", "share", "new-index");
  }

  @ParameterizedTest
  @CsvSource({
    "inf, ofi4j: there is no command \"inf\". Did you mean info?",
    "pingpnog, ofi4j: there is no command \"pingpnog\". Did you mean pingpong?",
    "xyz, ofi4j: there is no command \"xyz\"",
    "demo-pee, ofi4j: there is no command \"demo-pee\". Did you mean demo?",
    "av --hots x, ofi4j av: there is no option \"--hots\". Did you mean --hosts?",
    "pingpong a extra, ofi4j pingpong: \"extra\" is one argument too many",
    "pingpong -I x, 'ofi4j pingpong: --iterations takes a whole number, not \"x\"'",
    "av verify, ofi4j av verify: NAME is missing: the name of the vector",
    "av unlink, ofi4j av unlink: NAME is missing: the name of the vector",
    "av stat --watch 0, 'ofi4j av stat: --watch takes seconds, more than 0, not \"0.0\"'",
    "av stat --watch NaN, 'ofi4j av stat: --watch takes seconds, more than 0, not \"NaN\"'",
    "av stat --times 3, ofi4j av stat: --times goes with --watch only",
    "av stat --watch 1 --times 0, 'ofi4j av stat: --times takes a whole number from 1, not \"0\"'",
    "info --endpoint, ofi4j info: --endpoint needs a value: TYPE",
    "info -n a --node b, ofi4j info: --node is given more than once",
    "info --json=x, 'ofi4j info: --json takes no value, not \"x\"'",
    "av stat --watch x, 'ofi4j av stat: --watch takes a number, not \"x\"'",
    "bench chaos --seed x, 'ofi4j bench: --seed takes a whole number, not \"x\"'",
    "cluster join g --rank x, 'ofi4j cluster join: --rank takes a whole number, not \"x\"'",
    "cluster join g --attribute a, 'ofi4j cluster join: --attribute takes NAME=VALUE, not \"a\"'",
    "av -d often, 'ofi4j av: --duplicates: \"often\" is none of [reject, share, new-index]'"
  })
  void mistakesAreToldInOneVoice(String line, String sentence) {
    CommandRun run = CommandRun.of(line.split(" "));
    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err().lines().findFirst()).contains(sentence);
  }

  @Test
  void wordsThatBeginWithAtAreNotReadAsFiles(@TempDir Path directory) throws IOException {
    String word = "@" + Files.writeString(directory.resolve("words"), "--version\n");
    CommandRun command = CommandRun.of(word);
    assertThat(command.code()).isEqualTo(2);
    assertThat(command.err()).contains("there is no command \"" + word + "\"");
    CommandRun file = CommandRun.of("av", word);
    assertThat(file.code()).isEqualTo(1);
    assertThat(file.err()).contains(word + ": no such file");
  }

  @Test
  void versionNamesTheInterfaceToo() {
    CommandRun run = CommandRun.of("--version");
    assertThat(run.code()).isZero();
    assertThat(run.out()).startsWith("ofi4j 0.").contains("libfabric API 2.7", "Java ");
  }

  @Test
  void completionKnowsCommandsAndOptions() {
    CommandRun run = CommandRun.of("completion");
    assertThat(run.code()).isZero();
    assertThat(run.out())
        .startsWith("#!/usr/bin/env bash")
        .contains("pingpong", "--duplicates", "\"new-index\"")
        .doesNotContain("demo-peer");
    assertThat(CommandRun.of("completion", "--json").json().get("script").text())
        .isEqualTo(run.out());
  }
}
