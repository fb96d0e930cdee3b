// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.SizeUnit;
import org.ofi4j.cli.output.Json;
import org.ofi4j.cli.output.Version;

/** The report of {@code ofi4j bench} for programs: every round of every side. */
final class BenchJson {
  private final PrintWriter out;

  BenchJson(PrintWriter out) {
    this.out = out;
  }

  void print(BenchmarkReport report) {
    Json json = new Json(out).object();
    json.field("version", Version.current())
        .field("machine", report.machine())
        .field("java", report.java())
        .field("libfabric", report.libfabric())
        .field("seconds", report.seconds())
        .name("rows")
        .array();
    report.rows().forEach(row -> row(json, row, report.sizes()));
    json.end().name("bars").array();
    report.bars().forEach(bar -> bar(json, bar, report.sizes()));
    json.end().end();
  }

  private static void row(Json json, Row row, SizeUnit sizes) {
    json.object()
        .field("id", row.quantity().id())
        .field("title", row.quantity().title())
        .field("unit", row.quantity().unit().text())
        .field(sizes.id(), row.size());
    row.ratio().ifPresent(ratio -> json.field("udpToOfi4j", ratio));
    if (sizes == SizeUnit.BYTES) {
      row.ratio(Side.TCP).ifPresent(ratio -> json.field("tcpToOfi4j", ratio));
    }
    row.ratio(Side.PRIVATE).ifPresent(ratio -> json.field("privateToOfi4j", ratio));
    json.name("sides").object();
    row.sides()
        .forEach((side, series) -> {
          json.name(side.id()).object();
          series(json, series);
          json.end();
        });
    json.end().end();
  }

  private static void series(Json json, Series series) {
    json.field("median", series.median())
        .field("least", series.least())
        .field("lowerQuartile", series.lowerQuartile())
        .field("upperQuartile", series.upperQuartile())
        .field("most", series.most())
        .field("quiet", series.quiet())
        .name("rounds")
        .array();
    series.rounds().forEach(json::value);
    json.end();
  }

  private static void bar(Json json, Bar bar, SizeUnit sizes) {
    json.object()
        .field("id", bar.quantity().id())
        .field("title", bar.quantity().title())
        .field(sizes.id(), bar.size())
        .field("bar", bar.text())
        .field("limit", bar.limit())
        .field("atLeast", bar.atLeast())
        .name("measured");
    Double measured = bar.measured();
    Boolean met = bar.met();
    if (measured == null || met == null) {
      json.value((String) null).field("met", (String) null);
    } else {
      json.value((double) measured).field("met", (boolean) met);
    }
    Double allowed = bar.allowed();
    json.name("allowed");
    if (allowed == null) {
      json.value((String) null);
    } else {
      json.value((double) allowed);
    }
    if (!bar.profile().isEmpty()) {
      json.name("profile").object();
      bar.profile().forEach((part, share) -> json.field(part, (double) share));
      json.end();
    }
    json.end();
  }
}
