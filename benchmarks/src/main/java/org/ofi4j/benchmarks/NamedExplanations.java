// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Explains bars on named vectors that are not met, from figures of the same run. */
final class NamedExplanations {
  private static final String WHERE = "See docs/benchmarks.md#where-named-vectors-stand";

  private final List<Row> rows;

  NamedExplanations(List<Row> rows) {
    this.rows = rows;
  }

  /** The bar with its explanation if it is not met, else the bar. */
  Bar explained(Bar bar) {
    Double measured = bar.measured();
    if (measured == null || !Boolean.FALSE.equals(bar.met())) {
      return bar;
    }
    Row row =
        rows.stream()
            .filter(each -> each.quantity().equals(bar.quantity()) && each.size() == bar.size())
            .findFirst()
            .orElseThrow();
    return bar.with(
        row.quantity().unit() == Unit.MILLIS
            ? ofOpening(bar, row, measured)
            : ofLookups(bar, row, measured));
  }

  private static Explanation ofOpening(Bar bar, Row row, double measured) {
    Map<String, Double> figures = figures(measured * 1e6, bar.limit() * 1e6);
    Double warm = median(row, Side.OFI4J);
    Double memory = median(row, Side.MEMORY);
    StringBuilder text = new StringBuilder();
    if (warm != null && warm < measured) {
      figures.put("warm", warm * 1e6);
      text.append(
          format(
              "In a JVM that has opened vectors before it takes %s ms; the rest is loading and"
                  + " interpreting classes. ",
              Explanations.digits(warm)));
    }
    if (memory != null) {
      figures.put("memory", memory * 1e6);
      text.append(
          format(
              "To map the file and sum it, and copy it where the vector is a copy, takes %s ms"
                  + " without anything else. ",
              Explanations.digits(memory)));
    }
    Series series = row.of(warm != null && warm < measured ? Side.OFI4J_FIRST : Side.OFI4J);
    if (series != null && series.rounds().size() > 1) {
      text.append(
          format(
              "Its %d rounds are from %s to %s ms. ",
              series.rounds().size(),
              Explanations.digits(series.least()),
              Explanations.digits(series.most())));
    }
    return new Explanation(bar.quantity(), text + WHERE, figures);
  }

  private static Explanation ofLookups(Bar bar, Row row, double measured) {
    double shared = nanos(row, Side.OFI4J);
    double own = nanos(row, Side.PRIVATE);
    double allowed = own * bar.limit();
    Map<String, Double> figures = figures(shared, allowed);
    figures.put("private", own);
    figures.put("times", measured);
    return new Explanation(
        bar.quantity(),
        format(
                "It takes %s ns, by turns with %s in a private vector: %s would meet the bar. Both"
                    + " have the same entries, so the difference is what a reader does because"
                    + " others write. ",
                Explanations.digits(shared), Explanations.digits(own), Explanations.digits(allowed))
            + WHERE,
        figures);
  }

  private static Map<String, Double> figures(double measured, double allowed) {
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("measured", measured);
    figures.put(Explanation.ALLOWED, allowed);
    return figures;
  }

  private static double nanos(Row row, Side side) {
    Double median = median(row, side);
    if (median == null) {
      throw new IllegalArgumentException("nothing was measured that the bar is about: " + row);
    }
    return median;
  }

  private static @Nullable Double median(Row row, Side side) {
    Series series = row.of(side);
    return series == null ? null : series.median();
  }

  @SuppressWarnings("AnnotateFormatMethod") // would need a dependency for one annotation
  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
