// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.av;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.ofi4j.Printable;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.cli.av.SharedVectorSearch.Found;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.spi.VectorDomain;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.core.JsonGenerator;

/** {@code ofi4j av verify}: checks the files of a named vector. */
@Command(
    name = "verify",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = {"Checks everything that the files of a named vector must be.", ""},
    description =
        "Looks at a vector that is in use, or at what killed processes left of one. Changes of"
            + " other processes wait meanwhile; lookups go on. Every finding is a line on standard"
            + " error, and the exit status is 1 then.",
    footer = {"  ofi4j av verify job17", "  ofi4j av verify job17 --json"})
public final class AvVerifyCommand implements Callable<Integer> {
  private final Terminal terminal;

  @Parameters(paramLabel = "NAME", description = "The name of the vector.")
  private String name = "";

  @Mixin private final WhichVectors where = new WhichVectors();

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description =
          "How long to wait for a process that changes the vector. Default: ${DEFAULT-VALUE}.")
  private int wait = 10;

  @Option(names = "--json", description = "Print one JSON document.")
  private boolean json;

  public AvVerifyCommand(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public Integer call() {
    List<Found> found = where.find(name);
    List<SharedVectorReport> reports =
        found.stream()
            .map(each -> each.where().vectors().verify(name, Duration.ofSeconds(wait)))
            .toList();
    if (json) {
      try (JsonGenerator document = new JsonDocument(terminal.out())) {
        document.writeStartObject().writeArrayPropertyStart("vectors");
        for (int i = 0; i < reports.size(); i++) {
          print(document, found.get(i).where(), reports.get(i));
        }
      }
    } else {
      for (int i = 0; i < reports.size(); i++) {
        print(NamedVector.domain(found.get(i).where()), reports.get(i));
      }
    }
    return reports.stream().allMatch(SharedVectorReport::isSound) ? ExitCode.OK : ExitCode.FAILED;
  }

  private void print(String where, SharedVectorReport report) {
    report
        .violations()
        .forEach(
            violation -> terminal.err().println(Printable.line(report.name() + ": " + violation)));
    terminal.err().flush();
    terminal
        .out()
        .println(
            "%s (%s): %s, %s: %s entries, %s, %s"
                .formatted(
                    Printable.line(report.name()),
                    where,
                    terminal.verdict(report.violations()),
                    state(report),
                    Numbers.count(report.entries()),
                    Numbers.count(report.runs(), "run"),
                    Numbers.bytes(report.bytes())));
  }

  private static String state(SharedVectorReport report) {
    return switch (report.state()) {
      case IN_USE -> "in use by processes " + report.processes();
      case INTERRUPTED ->
          "interrupted by the death or a failure of process " + report.interrupted().orElseThrow();
      case LEFT -> "left by processes that were killed";
    };
  }

  private static void print(JsonGenerator document, VectorDomain where, SharedVectorReport report) {
    document
        .writeStartObject()
        .writeStringProperty("name", report.name())
        .writeStringProperty("provider", where.provider())
        .writeStringProperty("domain", where.domain())
        .writeStringProperty("fabric", where.fabric())
        .writeBooleanProperty("sound", report.isSound())
        .writeStringProperty("state", report.state().name())
        .writeNumberProperty("repairs", report.repairs())
        .writeNumberProperty("changes", report.changes())
        .writeNumberProperty("entries", report.entries())
        .writeNumberProperty("reserved", report.reserved())
        .writeNumberProperty("runs", report.runs())
        .writeNumberProperty("bytes", report.bytes())
        .writeNumberProperty("interrupted", report.interrupted().orElse(0))
        .writeArrayPropertyStart("processes");
    report.processes().forEach(document::writeNumber);
    document.writeEndArray().writeArrayPropertyStart("violations");
    report.violations().forEach(document::writeString);
    document.writeEndArray().writeEndObject();
  }
}
