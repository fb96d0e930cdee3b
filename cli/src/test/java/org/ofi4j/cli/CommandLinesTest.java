package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
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
    if (subcommand.summary() != null && subcommand != Subcommand.HELP) {
      assertThat(run.out()).contains("Exit status:", "Examples:", "ofi4j " + subcommand.text());
      assertThat(command.getCommandSpec().findOption("--json")).isNotNull();
    }
    assertThat(run.out().lines()).allMatch(line -> line.length() <= 80);
  }

  @Test
  void helpIsACommandToo() {
    assertThat(CommandRun.of("help", "av")).isEqualTo(CommandRun.of("av", "--help"));
    CommandRun unknown = CommandRun.of("help", "avv");
    assertThat(unknown.code()).isEqualTo(2);
    assertThat(unknown.err()).contains("avv");
  }

  @Test
  void unknownCommandsAndOptionsAreUsageErrors() {
    CommandRun command = CommandRun.of("avv");
    assertThat(command.code()).isEqualTo(2);
    assertThat(command.err()).contains("no command \"avv\"", "Did you mean", "ofi4j --help");
    assertThat(command.out()).isEmpty();

    CommandRun option = CommandRun.of("av", "--frobnicate");
    assertThat(option.code()).isEqualTo(2);
    assertThat(option.err()).contains("--frobnicate", "Try 'ofi4j av --help'");

    CommandRun value = CommandRun.of("av", "--duplicates", "sometimes");
    assertThat(value.code()).isEqualTo(2);
    assertThat(value.err()).contains("sometimes", "reject", "share", "new-index");
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
