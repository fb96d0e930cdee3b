// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.IOException;
import org.ofi4j.benchmarks.chaos.Chaos;
import org.ofi4j.benchmarks.chaos.ChaosOptions;
import org.ofi4j.benchmarks.chaos.ChaosReport;
import org.ofi4j.cli.output.ExitCode;
import org.ofi4j.cli.output.Json;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.output.Progress;
import org.ofi4j.cli.output.Terminal;

/** Kills processes of a named vector and prints what became of it. Apart from the command. */
final class ChaosRun {
  private final Terminal terminal;
  private final boolean json;

  ChaosRun(Terminal terminal, boolean json) {
    this.terminal = terminal;
    this.json = json;
  }

  int run(ChaosOptions options) throws IOException, InterruptedException {
    ChaosReport report;
    try (Progress progress = new Progress(terminal, "chaos", "kills", options.kills())) {
      report = Chaos.run(options, (what, done, kills) -> progress.at(done));
    }
    if (json) {
      print(new Json(terminal.out()), report);
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
        Numbers.duration(report.medianRecoveryNanos())
            + " in the median, "
            + Numbers.duration(report.worstRecoveryNanos())
            + " at most");
    row("entries at the end", Numbers.count(report.entries()));
    terminal
        .out()
        .println(
            (report.isSound()
                    ? terminal.good("all is as it must be")
                    : terminal.bad(Numbers.count(report.violations().size(), "finding")))
                + " after "
                + Numbers.duration((long) (report.seconds() * 1e9))
                + seed(report.options()));
  }

  private static String seed(ChaosOptions options) {
    return " (--seed " + options.seed() + ")";
  }

  private void row(String what, String value) {
    terminal.out().printf("%-20s %s%n", what, value);
  }

  private static void print(Json document, ChaosReport report) {
    document
        .object()
        .field("processes", report.options().processes())
        .field("seed", report.options().seed())
        .field("kills", report.kills())
        .field("killedInChange", report.killedInChange())
        .field("repairs", report.repairs())
        .field("stops", report.stops())
        .field("changes", report.changes())
        .field("looks", report.looks())
        .field("judged", report.judged())
        .field("verifications", report.verifications())
        .field("medianRecoveryNanos", report.medianRecoveryNanos())
        .field("worstRecoveryNanos", report.worstRecoveryNanos())
        .field("entries", report.entries())
        .field("seconds", report.seconds())
        .field("sound", report.isSound())
        .name("violations")
        .array();
    report.violations().forEach(document::value);
    document.end().end();
  }
}
