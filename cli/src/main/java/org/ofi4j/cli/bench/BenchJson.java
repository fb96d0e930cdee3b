// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Topic;
import org.ofi4j.cli.output.JsonDocument;
import org.ofi4j.cli.output.Version;
import tools.jackson.core.JsonGenerator;

/** The report of {@code ofi4j bench} for programs: every round of every side. */
final class BenchJson {
  private BenchJson() {}

  static void print(PrintWriter out, BenchmarkReport report) {
    try (JsonGenerator json = new JsonDocument(out)) {
      json.writeStartObject()
          .writeStringProperty("version", Version.current())
          .writeStringProperty("machine", report.machine())
          .writeStringProperty("java", report.java())
          .writeStringProperty("libfabric", report.libfabric())
          .writeNumberProperty("seconds", report.seconds())
          .writeArrayPropertyStart("rows");
      report.rows().forEach(row -> row(json, row, report.topic()));
      json.writeEndArray().writeArrayPropertyStart("bars");
      report.bars().forEach(bar -> bar(json, bar, report.topic()));
    }
  }

  private static void row(JsonGenerator json, Row row, Topic topic) {
    json.writeStartObject()
        .writeStringProperty("id", row.quantity().id())
        .writeStringProperty("title", row.quantity().title())
        .writeStringProperty("unit", row.quantity().unit().text())
        .writeNumberProperty(topic.sizes(), row.size());
    row.ratio().ifPresent(ratio -> json.writeNumberProperty("udpToOfi4j", ratio));
    if (topic == Topic.MESSAGES || topic == Topic.COSTS) {
      ratios(json, row);
    }
    row.ratio(Side.PRIVATE).ifPresent(ratio -> json.writeNumberProperty("privateToOfi4j", ratio));
    json.writeObjectPropertyStart("sides");
    row.sides()
        .forEach((side, series) -> {
          json.writeObjectPropertyStart(side.id());
          series(json, series);
          json.writeEndObject();
        });
    json.writeEndObject().writeEndObject();
  }

  /** The median of each other side over that of each mode of ofi4j, as {@code tcpToOfi4j}. */
  private static void ratios(JsonGenerator json, Row row) {
    for (Side mode : row.sides().keySet()) {
      for (Side other : row.sides().keySet()) {
        if (mode.isMode() && !other.isMode()) {
          String name = other.id() + "To" + mode.id().replaceFirst("^o", "O");
          row.ratio(mode, other).ifPresent(ratio -> json.writeNumberProperty(name, ratio));
        }
      }
    }
  }

  private static void series(JsonGenerator json, Series series) {
    json.writeNumberProperty("median", series.median())
        .writeNumberProperty("least", series.least())
        .writeNumberProperty("lowerQuartile", series.lowerQuartile())
        .writeNumberProperty("upperQuartile", series.upperQuartile())
        .writeNumberProperty("most", series.most())
        .writeArrayPropertyStart("rounds");
    series.rounds().forEach(json::writeNumber);
    json.writeEndArray();
  }

  private static void bar(JsonGenerator json, Bar bar, Topic topic) {
    json.writeStartObject()
        .writeStringProperty("id", bar.quantity().id())
        .writeStringProperty("title", bar.quantity().title())
        .writeNumberProperty(topic.sizes(), bar.size())
        .writeStringProperty("bar", bar.text())
        .writeNumberProperty("limit", bar.limit())
        .writeBooleanProperty("atLeast", bar.atLeast());
    number(json, "measured", bar.measured());
    Boolean met = bar.met();
    if (met == null) {
      json.writeNullProperty("met");
    } else {
      json.writeBooleanProperty("met", met);
    }
    number(json, "allowed", bar.allowed());
    json.writeEndObject();
  }

  private static void number(JsonGenerator json, String name, @Nullable Double value) {
    json.writeNumberProperty(name, value == null ? Double.NaN : value);
  }
}
