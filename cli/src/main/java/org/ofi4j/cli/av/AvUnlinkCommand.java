// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import java.util.List;
import java.util.concurrent.Callable;
import org.ofi4j.Printable;
import org.ofi4j.cli.av.SharedVectorSearch.Found;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code ofi4j av unlink}: removes what dead processes left of a named vector. */
@Command(
    name = "unlink",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = {"Removes the files of a named vector that nobody uses any more.", ""},
    description =
        "The files of a named vector go when the last process closes it. If that was killed"
            + " instead, they stay until somebody opens the vector anew, or this command removes"
            + " them. A vector that is in use stays, and its processes are named.",
    footer = {
      "  ofi4j av stat            which vectors there are, and which nobody uses",
      "  ofi4j av unlink job17"
    })
public final class AvUnlinkCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "NAME", description = "The name of the vector.")
  private String name = "";

  @Mixin private final WhichVectors where = new WhichVectors();

  @Option(names = "--json", description = "Print one JSON document.")
  private boolean json;

  public AvUnlinkCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    List<Found> found = where.find(name);
    for (Found each : found) {
      each.where().vectors().unlink(name);
      if (!json) {
        terminal
            .out()
            .println(
                "removed " + Printable.line(name) + " (" + NamedVector.domain(each.where()) + ")");
      }
    }
    if (json) {
      new JsonDocument(terminal.out())
          .writeStartObject()
          .writeStringProperty("name", name)
          .writeNumberProperty("removed", found.size())
          .close();
    }
    return ExitCode.OK;
  }
}
