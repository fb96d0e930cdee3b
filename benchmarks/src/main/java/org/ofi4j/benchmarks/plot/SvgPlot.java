// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.plot;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.Bar;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Unit;

/**
 * Draws a report ({@link PlotContent}) as bars on logarithmic scales. The colours follow the
 * reader's light or dark mode.
 *
 * <pre>
 *   title, legend
 *   panel of times:    label | bar of ofi4j  value
 *                            | bar of udp    value, how many times as much
 *                            | bar of tcp    value
 *   panel of memory:   the same; of messages: round trips, messages and bytes in a second
 *   where it was measured
 * </pre>
 */
public final class SvgPlot {
  private static final int WIDTH = 860;
  private static final int LEFT = 262;
  private static final int RIGHT = 736;
  private static final int BAR = 11;
  private static final int STEP = 14;
  private static final int GAP = 9;

  private static final String STYLE =
      """
      <style>
        text { font: 12px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #24292f }
        .title { font-size: 16px; font-weight: 600 }
        .panel { font-size: 13px; font-weight: 600 }
        .small, .value { font-size: 11px; fill: #57606a }
        .line { stroke: #d0d7de; stroke-width: 1 }
        .memory { stroke: #0550ae; stroke-width: 2 }
        .missed { stroke: #cf222e; stroke-width: 2; stroke-dasharray: 3 2 }
        .whisker { stroke: #24292f; stroke-opacity: 0.5; stroke-width: 1 }
        .times { font-weight: 600 }
        .back { fill: #ffffff }
        .ofi4j { fill: #1a7f5a }
        .udp, .private { fill: #c27a1a }
        .tcp, .ofi4jFirst { fill: #8a6fb8 }
        @media (prefers-color-scheme: dark) {
          text { fill: #e6edf3 }
          .small, .value { fill: #9ea7b3 }
          .line { stroke: #343b44 }
          .memory { stroke: #79c0ff }
          .missed { stroke: #ff7b72 }
          .whisker { stroke: #e6edf3 }
          .back { fill: #0d1117 }
          .ofi4j { fill: #3fb98a }
          .udp, .private { fill: #e0a04a }
          .tcp, .ofi4jFirst { fill: #a98fdc }
        }
      </style>
      """;

  private final BenchmarkReport report;
  private final PlotContent content;
  private final StringBuilder body = new StringBuilder();
  private int y;

  private SvgPlot(BenchmarkReport report) {
    this.report = report;
    this.content = PlotContent.of(report);
  }

  /**
   * Draws a report.
   *
   * @param report the figures
   * @return an SVG document
   */
  public static String of(BenchmarkReport report) {
    return new SvgPlot(report).draw();
  }

  private String draw() {
    y = 30;
    String subject = content.title();
    text(LEFT - 246, y, "title", subject);
    legend();
    y += 34;
    content.panels().forEach(this::panel);
    y += 4;
    text(16, y, "small", report.machine());
    y += 16;
    text(
        16,
        y,
        "small",
        report.java()
            + (report.libfabric() == null ? "" : "; libfabric " + report.libfabric())
            + "; medians, whiskers from least to most; ~ beside other work");
    explainMarks();
    int height = y + 14;
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 "
        + WIDTH
        + " "
        + height
        + "\" width=\""
        + WIDTH
        + "\" height=\""
        + height
        + "\" role=\"img\">\n<title>"
        + subject
        + "</title>\n"
        + STYLE
        + format("<rect class=\"back\" width=\"%d\" height=\"%d\" rx=\"6\"/>%n", WIDTH, height)
        + body
        + "</svg>\n";
  }

  private void explainMarks() {
    List<String> marks = new ArrayList<>();
    if (body.indexOf("class=\"memory\"") >= 0) {
      marks.add("blue line: the same loads and stores with nothing else");
    }
    if (body.indexOf("class=\"missed\"") >= 0) {
      marks.add("dashed red line: what would meet a bar that is not met");
    }
    if (!marks.isEmpty()) {
      y += 16;
      text(16, y, "small", String.join("; ", marks));
    }
  }

  private void legend() {
    int x = RIGHT + 108;
    for (Side side : content.sides().reversed()) {
      if (report.rows().stream().anyMatch(row -> row.of(side) != null)) {
        x -= 22 + 7 * side.title().length();
        rect(side, x, y - 10, 11);
        text(x + 16, y, "small", side.title());
      }
    }
  }

  private void panel(PlotContent.Panel panel) {
    List<Row> rows = panel.rows();
    Scale scale = Scale.of(rows, content.sides());
    if (scale == null) {
      return;
    }
    Unit unit = rows.getFirst().quantity().unit();
    text(16, y, "panel", panel.heading());
    y += 14;
    int top = y;
    StringBuilder grid = new StringBuilder();
    int begin = body.length();
    y += 8;
    for (Row row : rows) {
      bars(row, panel.label().apply(row), scale);
    }
    for (int power = scale.low(); power <= scale.high(); power++) {
      double x = scale.x(Math.pow(10, power));
      grid.append(
          format(
              "<line class=\"line\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>%n",
              x, top, x, y));
    }
    body.insert(begin, grid);
    y += 14;
    for (int power = scale.low(); power <= scale.high(); power++) {
      String label = number(Math.pow(10, power)) + (power == scale.high() ? " " + unit.text() : "");
      text(
          scale.x(Math.pow(10, power)) - 3.3 * number(Math.pow(10, power)).length(),
          y,
          "small",
          label);
    }
    y += 28;
  }

  private void bars(Row row, String label, Scale scale) {
    int first = y;
    for (Side side : content.sides()) {
      Series series = row.of(side);
      if (series != null) {
        double end = scale.x(series.median());
        rect(side, LEFT, y, Math.max(2, end - LEFT));
        double most = scale.x(series.most());
        body.append(
            format(
                "<line class=\"whisker\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>%n",
                scale.x(series.least()), y + BAR / 2, most, y + BAR / 2));
        String times =
            side == content.compared() && row.ratio(side).isPresent()
                ? format(
                    " <tspan class=\"times\">%s× ofi4j</tspan>",
                    number(row.ratio(side).getAsDouble()))
                : "";
        String value = (row.disturbed(side) ? "~" : "") + number(series.median());
        markup(Math.max(end, most) + 6, y + BAR - 1, "value", value + times);
        y += STEP;
      }
    }
    limits(row, scale, first);
    text(LEFT - 8, (first + y) / 2 + 2, "label\" text-anchor=\"end", label);
    y += GAP;
  }

  /** What memory alone takes, and what would meet a bar that is not met. */
  private void limits(Row row, Scale scale, int top) {
    Series memory = row.of(Side.MEMORY);
    if (memory != null && row.of(Side.OFI4J) != null) {
      mark("memory", scale.x(memory.median()), top);
    }
    for (Bar bar : report.bars()) {
      Double allowed = bar.allowed();
      if (allowed != null
          && Boolean.FALSE.equals(bar.met())
          && bar.size() == row.size()
          && bar.quantity().equals(row.quantity())) {
        mark("missed", scale.x(allowed), top);
      }
    }
  }

  /** A line across the bar that begins there. */
  private void mark(String style, double x, int top) {
    body.append(
        format(
            "<line class=\"%s\" x1=\"%.1f\" y1=\"%d\" x2=\"%.1f\" y2=\"%d\"/>%n",
            style, x, top - 2, x, top + BAR + 2));
  }

  private void rect(Side side, double x, int top, double width) {
    body.append(
        format(
            "<rect class=\"%s\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"1.5\"/>%n",
            side.id(), x, top, width, BAR));
  }

  private void text(double x, int baseline, String style, String text) {
    markup(x, baseline, style, escape(text));
  }

  private void markup(double x, int baseline, String style, String markup) {
    body.append(
        format("<text class=\"%s\" x=\"%.1f\" y=\"%d\">%s</text>%n", style, x, baseline, markup));
  }

  private static String escape(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }

  private static String number(double value) {
    if (value >= 100 || value == Math.rint(value)) {
      return format("%,.0f", value);
    }
    return value >= 10
        ? format("%.1f", value)
        : value >= 0.01 ? format("%.2f", value) : "less than 0.01";
  }

  @SuppressWarnings("AnnotateFormatMethod") // would need a dependency for one annotation
  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }

  /**
   * From 10 to the power of {@code low} on the left to 10 to the power of {@code high} on the
   * right.
   */
  private record Scale(int low, int high) {
    /** What is less has a bar as short as can be seen. */
    private static final double LEAST_SHOWN = 0.1;

    static @Nullable Scale of(List<Row> rows, List<Side> sides) {
      double least = Double.MAX_VALUE;
      double most = 0;
      for (Row row : rows) {
        for (Side side : sides) {
          Series series = row.of(side);
          if (series != null) {
            least = Math.min(least, series.least());
            most = Math.max(most, series.most());
          }
        }
      }
      if (most <= 0) {
        return null;
      }
      int high = (int) Math.ceil(Math.log10(most));
      int low = (int) Math.floor(Math.log10(Math.max(least, LEAST_SHOWN)));
      return new Scale(Math.min(low, high - 1), high);
    }

    double x(double value) {
      double place = value <= 0 ? 0 : (Math.log10(value) - low) / (high - low);
      return LEFT + Math.clamp(place, 0.0, 1.0) * (RIGHT - LEFT);
    }
  }
}
