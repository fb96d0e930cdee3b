// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.IOException;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Progress;
import org.ofi4j.cli.output.Terminal;
import org.ofi4j.stress.chaos.Chaos;
import org.ofi4j.stress.chaos.ChaosOptions;
import org.ofi4j.stress.chaos.ChaosReport;
import tools.jackson.core.JsonGenerator;

/** Kills processes of a named vector and prints what became of it. Apart from the command. */
record ChaosRun(Terminal terminal, boolean json) {
  int run(ChaosOptions options) throws IOException, InterruptedException {
    ChaosReport report;
    try (Progress progress = new Progress(terminal, "chaos", "kills", options.kills())) {
      report = Chaos.run(options, (what, done, kills) -> progress.at(done));
    }
    if (json) {
      try (JsonGenerator document = new JsonDocument(terminal.out())) {
        print(document, report);
      }
    } else {
      print(report);
    }
    return report.isSound() ? ExitCode.OK : ExitCode.FAILED;
  }

  private void print(ChaosReport report) {
    report
        .violations()
        .forEach(violation -> terminal.err().println(violation + seed(report.options())));
    terminal.err().flush();
    row("processes killed", Numbers.count(report.kills()));
    row("of them in a change", Numbers.count(report.killedInChange()));
    row("repairs", Numbers.count(report.repairs()));
    row("stopped for a while", Numbers.count(report.stops()));
    row("confirmed changes", Numbers.count(report.changes()));
    row("their looks", Numbers.count(report.looks()));
    row("judged entries", Numbers.count(report.judged()));
    row("checks of the files", Numbers.count(report.verifications()));
    row(
        "from kill to change",
        "%s in the median, %s at most"
            .formatted(
                Numbers.duration(report.medianRecoveryNanos()),
                Numbers.duration(report.worstRecoveryNanos())));
    row("entries at the end", Numbers.count(report.entries()));
    terminal
        .out()
        .println(
            "%s after %s%s"
                .formatted(
                    terminal.verdict(report.violations()),
                    Numbers.duration((long) (report.seconds() * 1e9)),
                    seed(report.options())));
  }

  private static String seed(ChaosOptions options) {
    return " (--seed " + options.seed() + ")";
  }

  private void row(String what, String value) {
    String line = Numbers.format("%-20s %s", what, value);
    terminal.printFolded(line, 21);
  }

  private static void print(JsonGenerator document, ChaosReport report) {
    document
        .writeStartObject()
        .writeNumberProperty("processes", report.options().processes())
        .writeNumberProperty("seed", report.options().seed())
        .writeNumberProperty("kills", report.kills())
        .writeNumberProperty("killedInChange", report.killedInChange())
        .writeNumberProperty("repairs", report.repairs())
        .writeNumberProperty("stops", report.stops())
        .writeNumberProperty("changes", report.changes())
        .writeNumberProperty("looks", report.looks())
        .writeNumberProperty("judged", report.judged())
        .writeNumberProperty("verifications", report.verifications())
        .writeNumberProperty("medianRecoveryNanos", report.medianRecoveryNanos())
        .writeNumberProperty("worstRecoveryNanos", report.worstRecoveryNanos())
        .writeNumberProperty("entries", report.entries())
        .writeNumberProperty("seconds", report.seconds())
        .writeBooleanProperty("sound", report.isSound())
        .writeArrayPropertyStart("violations");
    report.violations().forEach(document::writeString);
    document.writeEndArray().writeEndObject();
  }
}
