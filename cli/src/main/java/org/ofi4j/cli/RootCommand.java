// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.cli.output.Version;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code ofi4j} without a command. */
@Command(
    name = "ofi4j",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    header = {"Address vectors of libfabric for the JVM.", ""},
    synopsisSubcommandLabel = "COMMAND",
    footer = {
      "  ofi4j demo                      the main job, end to end, in a few seconds",
      "  ofi4j info -p udp -v            everything about the udp provider",
      "  ofi4j av peers.txt              a vector, and every bad line of the list",
      "  ofi4j pingpong                  wait for one client, an fi_pingpong perhaps",
      "  ofi4j cluster serve             where processes meet, to try it out",
      "  ofi4j bench av                  how fast and how small the vector is here",
      "  ofi4j COMMAND --help            about one command, with examples"
    })
final class RootCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Spec private @Nullable CommandSpec spec;

  RootCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    Objects.requireNonNull(spec).commandLine().usage(terminal.out());
    return ExitCode.OK;
  }
}
