// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.plot;

import static org.ofi4j.benchmarks.plot.PlotContent.format;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;

/**
 * Draws a report ({@link PlotContent}): a line for each quantity, with a point for each side on a
 * logarithmic scale and the figures beside it. Points, because the length of a bar says nothing
 * where the scale has no zero. The colours follow the reader's light or dark mode.
 *
 * <pre>
 *   title                                          ofi4j    libfabric udp   libfabric tcp
 *   panel
 *   label |   -o-        -o-     -o-                63.8       555  8.70×           2,249
 *         10        100        1,000
 *   where it was measured
 * </pre>
 */
public final class SvgPlot {
  private static final int LEAST_WIDTH = 960;
  private static final int LEFT = 262;
  private static final int RIGHT = 600;
  private static final int COLUMN = 115;
  private static final int STEP = 19;

  private static final String STYLE = "plot.css";

  private final BenchmarkReport report;
  private final PlotContent content;
  private final StringBuilder body = new StringBuilder();
  private int y = 30;

  private SvgPlot(BenchmarkReport report) {
    this.report = report;
    this.content = PlotContent.of(report);
  }

  /** Draws a report as an SVG document. */
  public static String of(BenchmarkReport report) {
    return new SvgPlot(report).draw();
  }

  private String draw() {
    text(16, "title", "start", content.title());
    y += 26;
    for (Side side : content.sides()) {
      if (report.rows().stream().anyMatch(row -> row.of(side) != null)) {
        point(side, column(side) - 7.0 * side.title().length() - 4);
        text(column(side), "small", "end", side.title());
      }
    }
    y += 24;
    content.panels().forEach(this::panel);
    text(16, "small", "start", report.machine());
    y += 16;
    String libfabric = report.libfabric() == null ? "" : "; libfabric " + report.libfabric();
    text(16, "small", "start", report.java() + libfabric + "; medians from least to most");
    y += 16;
    text(
        16,
        "small",
        "start",
        "× times ofi4j; blue line: the same loads and stores with nothing else;"
            + " dashed red line: a bar that is not met");
    int height = y + 14;
    return """
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %1$d %2$d" width="%1$d" height="%2$d" role="img">
    <title>%3$s</title>
    <style>
    %4$s</style>
    <rect class="back" width="%1$d" height="%2$d" rx="6"/>
    %5$s</svg>
    """
        .formatted(width(), height, escape(content.title()), style(), body);
  }

  private static String style() {
    try (InputStream file = SvgPlot.class.getResourceAsStream(STYLE)) {
      return new String(Objects.requireNonNull(file, STYLE).readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Wide enough for the figures of all sides. */
  private int width() {
    return Math.max(LEAST_WIDTH, RIGHT + COLUMN * content.sides().size() + 16);
  }

  private int column(Side side) {
    return RIGHT + COLUMN * (1 + content.sides().indexOf(side));
  }

  private void panel(PlotContent.Panel panel) {
    List<Row> rows = panel.rows();
    if (rows.isEmpty()) {
      return;
    }
    text(16, "panel", "start", panel.heading());
    y += 10;
    Scale scale = Scale.of(rows, content.sides());
    int bottom = y + STEP * rows.size() + 6;
    for (int power = scale.low(); power <= scale.high(); power++) {
      double at = Math.pow(10, power);
      line("grid", scale.x(at), y, scale.x(at), bottom);
      String unit = power == scale.high() ? " " + rows.getFirst().quantity().unit().text() : "";
      body.append(
          format(
              "<text class=\"small\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
              scale.x(at), bottom + 13, escape(number(at) + unit)));
    }
    for (Row row : rows) {
      y += STEP;
      row(row, panel.label().apply(row), scale);
    }
    y = bottom + 42;
  }

  private void row(Row row, String label, Scale scale) {
    text(LEFT - 10, "label", "end", label);
    limits(row, scale);
    for (Side side : content.sides()) {
      Series series = row.of(side);
      if (series != null) {
        line("whisker", scale.x(series.least()), y - 4, scale.x(series.most()), y - 4);
        point(side, scale.x(series.median()));
        text(column(side), "value", "end", value(row, side, series));
      }
    }
  }

  private String value(Row row, Side side, Series series) {
    OptionalDouble ratio = side == content.compared() ? row.ratio(side) : OptionalDouble.empty();
    return number(series.median())
        + (ratio.isPresent() ? "  " + number(ratio.getAsDouble()) + "×" : "");
  }

  /** What memory alone takes, and what would meet a bar that is not met. */
  private void limits(Row row, Scale scale) {
    Series memory = row.of(Side.MEMORY);
    if (memory != null && row.of(Side.OFI4J) != null) {
      line("memory", scale.x(memory.median()), y - 12, scale.x(memory.median()), y + 4);
    }
    for (Bar bar : report.bars()) {
      Double allowed = bar.allowed();
      if (allowed != null
          && Boolean.FALSE.equals(bar.met())
          && bar.size() == row.size()
          && bar.quantity().equals(row.quantity())) {
        line("missed", scale.x(allowed), y - 12, scale.x(allowed), y + 4);
      }
    }
  }

  private void point(Side side, double x) {
    body.append(
        format("<circle class=\"%s\" cx=\"%.1f\" cy=\"%d\" r=\"4.5\"/>%n", side.id(), x, y - 4));
  }

  private void line(String style, double x1, int y1, double x2, int y2) {
    body.append(
        format(
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>%n",
            style, x1, y1, x2, y2));
  }

  private void text(int x, String style, String anchor, String text) {
    body.append(
        format(
            "<text class=\"%s\" x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>%n",
            style, x, y, anchor, escape(text)));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String number(double value) {
    if (value >= 100 || value == Math.rint(value)) {
      return format("%,.0f", value);
    }
    return value >= 10 ? format("%.1f", value) : format("%.2g", value);
  }

  /** From 10 to the power of {@code low} on the left to 10 to that of {@code high} on the right. */
  private record Scale(int low, int high) {
    /** Anything less stands at the left end. */
    private static final double LEAST_SHOWN = 0.01;

    static Scale of(List<Row> rows, List<Side> sides) {
      double least = Double.MAX_VALUE;
      double most = LEAST_SHOWN;
      for (Row row : rows) {
        for (Side side : sides) {
          Series series = row.of(side);
          if (series != null) {
            least = Math.min(least, series.least());
            most = Math.max(most, series.most());
          }
        }
      }
      int high = (int) Math.ceil(Math.log10(most));
      int low = (int) Math.floor(Math.log10(Math.clamp(least, LEAST_SHOWN, most)));
      return new Scale(Math.min(low, high - 1), high);
    }

    double x(double value) {
      double place = value <= 0 ? 0 : (Math.log10(value) - low) / (high - low);
      return LEFT + Math.clamp(place, 0.0, 1.0) * (RIGHT - LEFT);
    }
  }
}
