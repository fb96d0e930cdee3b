// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Printable;
import org.ofi4j.SharedVectorStatus;
import org.ofi4j.cli.av.SharedVectorSearch.Found;
import org.ofi4j.cli.output.CommandException;
import org.ofi4j.cli.output.EnumWords;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.FabricNames;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JsonGenerator;

/** {@code ofi4j av stat}: the named vectors of this user on this host. */
@Command(
    name = "stat",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = {"Shows the named vectors of this user: entries, memory, processes, writers.", ""},
    description =
        "Attaches to each vector for reading for a moment, and prints what it finds. Without a name"
            + " it shows all vectors that have files in a domain of this host. One that nobody uses"
            + " is what killed processes left; whoever opens it next begins anew, and 'ofi4j av"
            + " unlink' removes it.",
    footer = {
      "  ofi4j av stat                     all of them",
      "  ofi4j av stat job17 --watch 1     entries and changes of one, each second",
      "  ofi4j av stat --json"
    })
public final class AvStatCommand implements Callable<Integer> {
  private final Terminal terminal;
  private final Map<List<String>, SharedVectorStatus> before = new HashMap<>();

  @Parameters(
      paramLabel = "NAME",
      arity = "0..1",
      description = "The name of the vector. Default: all.")
  private @Nullable String name;

  @Mixin private final WhichVectors where = new WhichVectors();

  @Option(
      names = "--watch",
      paramLabel = "SECONDS",
      description =
          "Look again so often, and print a line for each vector: what changed since. Ends with"
              + " Ctrl-C, or when there is no vector any more.")
  private @Nullable Double watch;

  @Option(
      names = "--times",
      paramLabel = "COUNT",
      description = "With --watch: look so many times, then end.")
  private @Nullable Long times;

  @Option(
      names = "--json",
      description = "Print one JSON document; with --watch, one for each time.")
  private boolean json;

  public AvStatCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (watch != null && !(watch > 0)) {
      throw new CommandException(
          ExitCode.USAGE, "--watch takes seconds, more than 0, not \"" + watch + "\"");
    }
    if (times != null && watch == null) {
      throw new CommandException(ExitCode.USAGE, "--times goes with --watch only");
    }
    if (times != null && times < 1) {
      throw new CommandException(
          ExitCode.USAGE, "--times takes a whole number from 1, not \"" + times + "\"");
    }
    List<Found> found = where.find(name);
    if (watch == null || found.isEmpty()) {
      print(found);
      return found.stream().allMatch(each -> each.error() == null) ? ExitCode.OK : ExitCode.FAILED;
    }
    for (long i = 1; !found.isEmpty(); i++) {
      tick(found);
      // Also for a reader that went away, which is no failure.
      if ((times != null && i >= times) || terminal.out().checkError()) {
        break;
      }
      Thread.sleep((long) (watch * 1000));
      found = where.look(name);
    }
    return ExitCode.OK;
  }

  private void print(List<Found> found) {
    if (json) {
      document(found);
      return;
    }
    if (found.isEmpty()) {
      terminal.out().println("This user has no named vectors on this host.");
    }
    for (Found each : found) {
      terminal.out().println(terminal.bold(Printable.line(each.name())));
      line("where", NamedVector.domain(each.where()));
      SharedVectorStatus status = each.status();
      if (status == null) {
        line("state", state(each));
      } else {
        print(status);
      }
    }
  }

  private String state(Found found) {
    String error = found.error();
    return error == null
        ? "left by processes that were killed; ofi4j av unlink removes it"
        : terminal.bad(error);
  }

  private void print(SharedVectorStatus status) {
    int bits = status.receiveContextBits();
    line(
        "is",
        "%s of %s, duplicates %s%s"
            .formatted(
                status.type(),
                FabricNames.of(status.format()),
                EnumWords.of(status.duplicates()),
                bits == 0 ? "" : ", " + bits + " receive context bits"));
    line(
        "entries",
        "%s (at most %s at once), %s"
            .formatted(
                Numbers.count(status.entries()),
                Numbers.count(status.mostEntries()),
                Numbers.count(status.runs(), "run")));
    line(
        "memory",
        "%s live, %s held, for all processes together"
            .formatted(
                Numbers.bytes(status.memory().live()), Numbers.bytes(status.memory().held())));
    line("processes", processes(status));
    line("writers", Numbers.count(status.changes(), "change") + "; " + writer(status));
    if (status.repairs() > 0) {
      line("repairs", Numbers.count(status.repairs()) + " after deaths of writers");
    }
  }

  private static String processes(SharedVectorStatus status) {
    return status.processes().isEmpty()
        ? "none but this one"
        : status.processes().size()
            + ": "
            + status.processes().stream().map(String::valueOf).collect(Collectors.joining(", "));
  }

  private static String writer(SharedVectorStatus status) {
    if (status.writer().isEmpty()) {
      return "none is at work";
    }
    return "process "
        + status.writer().getAsLong()
        + (status.writerAtWork() ? " is at work" : " died or failed at work");
  }

  private void line(String what, String value) {
    String line = Numbers.format("  %-10s", what) + value;
    terminal.printFolded(line, 12);
  }

  /** One line for each, or one document. */
  private void tick(List<Found> found) {
    if (json) {
      document(found);
      terminal.out().flush();
      return;
    }
    String time = LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS).toString();
    for (Found each : found) {
      SharedVectorStatus status = each.status();
      String what;
      if (status == null) {
        what = state(each);
      } else {
        SharedVectorStatus last =
            before.put(List.of(NamedVector.domain(each.where()), each.name()), status);
        what =
            Numbers.format(
                "%s entries%s, %s changes%s, %d processes; %s",
                Numbers.count(status.entries()),
                more(last == null ? status.entries() : last.entries(), status.entries()),
                Numbers.count(status.changes()),
                more(last == null ? status.changes() : last.changes(), status.changes()),
                status.processes().size(),
                writer(status));
      }
      String line = time + "  " + Printable.line(each.name()) + "  " + what;
      terminal.printFolded(line, 10);
    }
    terminal.out().flush();
  }

  private static String more(long before, long now) {
    return now == before ? "" : Numbers.format(" (%+d)", now - before);
  }

  private void document(List<Found> found) {
    try (JsonGenerator document = new JsonDocument(terminal.out())) {
      document.writeStartObject();
      if (watch != null) {
        document.writeStringProperty("time", Instant.now().toString());
      }
      document.writeArrayPropertyStart("vectors");
      for (Found each : found) {
        document
            .writeStartObject()
            .writeStringProperty("name", each.name())
            .writeStringProperty("provider", each.where().provider())
            .writeStringProperty("domain", each.where().domain())
            .writeStringProperty("fabric", each.where().fabric())
            .writeBooleanProperty("inUse", each.status() != null)
            .writeStringProperty("error", each.error());
        SharedVectorStatus status = each.status();
        if (status != null) {
          fields(document, status);
        }
        document.writeEndObject();
      }
    }
  }

  private static void fields(JsonGenerator document, SharedVectorStatus status) {
    document
        .writeStringProperty("type", status.type().name())
        .writeStringProperty("format", FabricNames.of(status.format()))
        .writeStringProperty("duplicates", EnumWords.of(status.duplicates()))
        .writeNumberProperty("receiveContextBits", status.receiveContextBits())
        .writeNumberProperty("maxGroup", status.maxGroup())
        .writeStringProperty("mapAddress", "0x" + Long.toHexString(status.mapAddress()))
        .writeStringProperty("apiVersion", status.apiVersion().toString())
        .writeNumberProperty("entries", status.entries())
        .writeNumberProperty("mostEntries", status.mostEntries())
        .writeNumberProperty("runs", status.runs())
        .writeObjectPropertyStart("memory")
        .writeNumberProperty("live", status.memory().live())
        .writeNumberProperty("held", status.memory().held())
        .writeNumberProperty("side", status.memory().side())
        .writeEndObject()
        .writeNumberProperty("repairs", status.repairs())
        .writeNumberProperty("changes", status.changes())
        .writeNumberProperty("writer", status.writer().orElse(0))
        .writeBooleanProperty("writerAtWork", status.writerAtWork())
        .writeArrayPropertyStart("processes");
    status.processes().forEach(document::writeNumber);
    document.writeEndArray();
  }
}
