// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Explains bars on messages that are not met. What a message takes is held against what the same
 * bytes take over channels of the JDK with nothing around them ({@link Side#CHANNELS}), measured
 * between rounds of the others: that much is the kernel and the channels, and the rest is ours.
 */
final class PingpongExplanations {
  private static final String WHERE = "docs/benchmarks.md#where-messages-stand";

  private final List<Row> rows;

  PingpongExplanations(List<Row> rows) {
    this.rows = rows;
  }

  /** The bar with its explanation if it is not met, else the bar. */
  Bar explained(Bar bar) {
    if (!Boolean.FALSE.equals(bar.met())) {
      return bar;
    }
    Row row =
        rows.stream()
            .filter(each -> each.quantity().equals(bar.quantity()) && each.size() == bar.size())
            .findFirst()
            .orElseThrow();
    Series ours = row.of(Side.OFI4J);
    Series theirs = row.of(Side.TCP);
    if (ours == null || theirs == null) {
      throw new IllegalArgumentException("nothing was measured that the bar is about: " + bar);
    }
    return bar.with(of(bar, row, ours, theirs));
  }

  private static Explanation of(Bar bar, Row row, Series ours, Series theirs) {
    double measured = nanos(row, ours);
    double times = bar.atLeast() ? 1 / bar.limit() : bar.limit();
    double allowed = times * nanos(row, theirs);
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("measured", measured);
    figures.put(Explanation.ALLOWED, allowed);
    StringBuilder text =
        new StringBuilder(
            format(
                "%s takes %s ns; %s, %s, would meet the bar. ",
                what(row.quantity()),
                Explanations.digits(measured),
                Explanations.digits(allowed),
                times == 1 ? "as libfabric's" : format("%.1f times libfabric's", times)));
    Series bare = row.of(Side.CHANNELS);
    if (bare != null) {
      double channels = nanos(row, bare);
      double rest = Math.max(0, measured - channels);
      figures.put("channels", channels);
      figures.put("timesChannels", measured / channels);
      figures.put("rest", rest);
      text.append(
          format(
              "The same bytes over two channels of the JDK, with nothing around them, take %s in"
                  + " this run: that much is the kernel and the channels. %s ",
              Explanations.digits(channels), verdict(channels, measured, allowed, rest)));
    }
    String spread = spread(row, ours, theirs, figures);
    return new Explanation(row.quantity(), text + spread + WHERE, figures);
  }

  private static String what(Quantity quantity) {
    if (quantity.equals(Quantity.ROUND_TRIP_TAIL)) {
      return "The slowest of a hundred round trips";
    }
    return quantity.equals(Quantity.ROUND_TRIP) ? "A round trip" : "A message";
  }

  private static String verdict(double channels, double measured, double allowed, double rest) {
    if (channels >= allowed) {
      return "They alone take more than the bar allows.";
    }
    return format(
        "They would allow it; the other %s ns (%.0f %%) are ours.",
        Explanations.digits(rest), 100 * rest / measured);
  }

  /** Whether the rounds of both sides differ by more than the sides do. */
  private static String spread(Row row, Series ours, Series theirs, Map<String, Double> figures) {
    double[] our = quarters(row, ours, "", figures);
    double[] their = quarters(row, theirs, "their", figures);
    if (ours.rounds().size() == 1) {
      return "See ";
    }
    return format(
        "The middle half of our rounds is from %s to %s, of libfabric's from %s to %s: %s. See ",
        Explanations.digits(our[0]),
        Explanations.digits(our[1]),
        Explanations.digits(their[0]),
        Explanations.digits(their[1]),
        our[0] <= their[1]
            ? "they overlap, and another run may say something else"
            : "they do not overlap");
  }

  /** What the quicker and the slower quarter of the rounds leave between them. */
  private static double[] quarters(
      Row row, Series series, String whose, Map<String, Double> figures) {
    double one = nanos(row, series.lowerQuartile());
    double other = nanos(row, series.upperQuartile());
    double[] quarters = {Math.min(one, other), Math.max(one, other)};
    figures.put(whose.isEmpty() ? "lowerQuartile" : whose + "LowerQuartile", quarters[0]);
    figures.put(whose.isEmpty() ? "upperQuartile" : whose + "UpperQuartile", quarters[1]);
    return quarters;
  }

  private static double nanos(Row row, Series series) {
    return nanos(row, series.median());
  }

  /** What one message or round trip takes, whatever the row counts. */
  private static double nanos(Row row, double figure) {
    return switch (row.quantity().unit()) {
      case MICROS -> 1000 * figure;
      case MILLIONS_PER_SECOND -> 1000 / figure;
      case MEGABYTES_PER_SECOND -> 1000 * row.size() / figure;
      default -> throw new IllegalArgumentException(row + " is about no messages");
    };
  }

  @SuppressWarnings("AnnotateFormatMethod") // would need a dependency for one annotation
  private static String format(String format, @Nullable Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
