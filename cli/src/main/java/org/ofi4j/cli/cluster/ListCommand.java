// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import org.jspecify.annotations.Nullable;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ofi4j cluster list}: groups, or the members of one. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = {"Lists the groups, or the members of one.", ""},
    footer = {
      "  ofi4j cluster list                  the groups",
      "  ofi4j cluster list shuffle          who is in it now",
      "  ofi4j cluster list shuffle --json"
    })
public final class ListCommand extends ClusterTask {
  private final Terminal terminal;

  @Parameters(
      paramLabel = "GROUP",
      arity = "0..1",
      description = "The name of a job or a service. Default: list the groups.")
  private @Nullable String group;

  @Mixin private final WhichServers where = new WhichServers();

  @Option(names = "--json", description = "Print one JSON document.")
  private boolean json;

  public ListCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  void run() {
    new ListRun(terminal, json).run(where, group);
  }
}
