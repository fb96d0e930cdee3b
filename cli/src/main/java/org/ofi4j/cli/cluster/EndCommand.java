// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.cluster;

import java.time.Duration;
import org.ofi4j.FabricException;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ofi4j cluster end}: removes a group without members. */
@Command(
    name = "end",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = {"Ends a job or a service: removes it from ZooKeeper.", ""},
    description =
        "Refuses a group that has members, or that a process joins. A member that was killed counts"
            + " until its session ends.",
    footer = {"  ofi4j cluster end run-1", "  ofi4j cluster end run-1 --json"})
public final class EndCommand extends ClusterTask {
  private static final Duration SESSION = Duration.ofSeconds(10);

  private final Terminal terminal;

  @Parameters(paramLabel = "GROUP", description = "The name of the job or the service.")
  private String group = "";

  @Mixin private final WhichServers where = new WhichServers();

  @Option(names = "--json", description = "Print what was ended as one JSON document.")
  private boolean json;

  public EndCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  void run() {
    end();
    if (json) {
      new JsonDocument(terminal.out())
          .writeStartObject()
          .writeStringProperty("ended", group)
          .close();
    } else {
      terminal.out().println(group + " has ended");
    }
  }

  private void end() {
    try (Connection connection = Connection.open(where, SESSION)) {
      connection.cluster().end(group);
    } catch (FabricException failure) {
      throw Connection.asUsage(failure);
    }
  }
}
