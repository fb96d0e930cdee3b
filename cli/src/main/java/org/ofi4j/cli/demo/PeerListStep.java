// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.demo;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.ofi4j.MemoryUse;
import org.ofi4j.cli.output.Numbers;
import org.ofi4j.cli.peers.BadLine;
import org.ofi4j.cli.peers.LoadSummary;
import org.ofi4j.cli.peers.LookupRates;
import org.ofi4j.cli.peers.PeerLoader;

/** Builds the vector from the list in the repository, in which bad lines are marked as such. */
final class PeerListStep {
  private static final String MARK = "# bad: ";
  private static final int LONGEST_REASON = 100;

  private PeerListStep() {}

  static void run(DemoStage stage) throws IOException {
    DemoReport report = stage.report();
    List<BadLine> bad = new ArrayList<>();
    LoadSummary summary;
    try (InputStream in = DemoStage.resource("peers.txt")) {
      summary = PeerLoader.load(stage.vector(), in, "peers.txt", null, bad::add);
    }
    long peers = stage.vector().size();
    report.say(
        "%s in %s: %s, of them %s from %s of addresses or names"
            .formatted(
                Numbers.count(summary.lines(), "line"),
                Numbers.duration(summary.nanos()),
                Numbers.count(peers, "peer"),
                Numbers.count(summary.rangePeers()),
                Numbers.count(summary.ranges(), "range")));
    report.check(peers == summary.inserted() && peers > 4000, "each has its own handle");
    reportBad(bad, report);
    MemoryUse memory = stage.vector().statistics().memory();
    LookupRates rates = Objects.requireNonNull(LookupRates.measure(stage.vector()));
    report.say(
        Numbers.format(
            "%.1f bytes a peer; lookup %.0f ns, reverse lookup %.0f ns",
            memory.livePerPeer(peers), rates.lookupNanos(), rates.findNanos()));
  }

  private static void reportBad(List<BadLine> bad, DemoReport report) throws IOException {
    Map<String, List<BadLine>> byKind = new TreeMap<>();
    int unmarked = 0;
    for (BadLine line : bad) {
      int mark = line.text().indexOf(MARK);
      if (mark < 0) {
        unmarked++;
        report.example("not marked as bad: " + line);
      } else {
        byKind
            .computeIfAbsent(line.text().substring(mark + MARK.length()), kind -> new ArrayList<>())
            .add(line);
      }
    }
    byKind.forEach((kind, lines) -> {
      BadLine first = lines.getFirst();
      report.say(
          Numbers.format(
              "%3d x %-26s line %d: %s", lines.size(), kind, first.line(), first.peer()));
      report.example(shortened(first.reason()));
    });
    int marked = marked();
    report.check(
        unmarked == 0 && bad.size() == marked,
        "the " + bad.size() + " lines that failed are those marked as bad, no more and no less");
  }

  /** Ranges explain each of their peers; one explanation will do here. */
  private static String shortened(String reason) {
    int more = reason.indexOf("; ");
    String first = more < 0 ? reason : reason.substring(0, more) + " ...";
    if (first.length() <= LONGEST_REASON) {
      return first;
    }
    int end = first.lastIndexOf(' ', LONGEST_REASON);
    return first.substring(0, end < 0 ? LONGEST_REASON : end) + " ...";
  }

  private static int marked() throws IOException {
    int marked = 0;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(DemoStage.resource("peers.txt"), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        marked += line.indexOf(MARK) > 0 && line.charAt(0) != '#' ? 1 : 0;
      }
    }
    return marked;
  }
}
