// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ofi4j cluster watch}: who comes and goes in a group. */
@Command(
    name = "watch",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = {"Shows who is in a group, and who comes and goes, until Ctrl-C.", ""},
    description =
        "Waits for a group that has no member yet. On a terminal it is a table that changes"
            + " with the group; elsewhere each change is a line. It needs no vector, and so shows"
            + " no handles.",
    footer = {
      "  ofi4j cluster watch shuffle",
      "  ofi4j cluster watch shuffle | grep left",
      "  ofi4j cluster watch shuffle --json    a JSON document on each line"
    })
public final class WatchCommand extends ClusterTask {
  private final Terminal terminal;

  @Parameters(paramLabel = "GROUP", description = "The name of a job or a service.")
  private String group = "";

  @Mixin private final WhichServers where = new WhichServers();

  @Option(
      names = "--json",
      description = "Print one JSON document for each change, on a line of its own.")
  private boolean json;

  public WatchCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  void run() {
    new WatchRun(terminal, json).run(where, group);
  }
}
