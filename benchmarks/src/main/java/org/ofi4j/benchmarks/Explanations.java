// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Explains bars that are not met. What an operation takes is held against what its loads and stores
 * take alone ({@link Side#MEMORY}), measured between rounds of the operation itself: less is not to
 * be had on the machine, and the rest is instructions.
 */
final class Explanations {
  private static final String PROFILES = "docs/benchmarks.md#what-limits-it";
  private static final String LAYOUT = "docs/engine.md#cost";

  private final List<Row> rows;

  Explanations(List<Row> rows) {
    this.rows = rows;
  }

  /** The bar with its explanation if it is not met, else the bar. */
  Bar explained(Bar bar) {
    return Boolean.FALSE.equals(bar.met()) ? bar.with(of(bar)) : bar;
  }

  private Explanation of(Bar bar) {
    Quantity work =
        bar.quantity().equals(Quantity.FIND_IN_LOOKUPS) ? Quantity.FIND : bar.quantity();
    Row row = row(work, bar.size());
    MemoryTraffic traffic = MemoryTraffic.of(work, bar.size());
    Double allowed = allowed(bar);
    if (row != null && traffic != null && allowed != null && row.of(Side.MEMORY) != null) {
      return new AgainstMemory(bar, row, traffic, allowed).explanation();
    }
    if (bar.quantity().equals(Quantity.GROWTH_WORST)) {
      return beside(
          bar,
          Quantity.GROWTH_WORST,
          "The worst insert took %s ns; the worst gap of a loop that inserts nothing was %s.",
          Quantity.GROWTH_CONTROL);
    }
    if (bar.quantity().equals(Quantity.READER_RATE)) {
      return beside(
          bar,
          Quantity.READER_BESIDE_WRITER,
          "A lookup took %s ns beside a writer of the same vector, %s beside one of another.",
          Quantity.READER_BESIDE_OTHER);
    }
    return ofRounds(bar);
  }

  /** How many nanoseconds would meet a bar; null if it is about something else. */
  private @Nullable Double allowed(Bar bar) {
    Quantity quantity = bar.quantity();
    if (quantity.equals(Quantity.FIND_IN_LOOKUPS)) {
      return times(bar.limit(), median(Quantity.LOOKUP, bar.size(), Side.OFI4J));
    }
    if (quantity.unit() != Unit.NANOS) {
      return null;
    }
    if (!bar.atLeast()) {
      return bar.limit();
    }
    Quantity theirs =
        quantity.equals(Quantity.REMOVE_RANDOMLY) ? Quantity.REMOVE_IN_ORDER : quantity;
    return times(1 / bar.limit(), median(theirs, bar.size(), Side.UDP));
  }

  private static @Nullable Double times(double factor, @Nullable Double median) {
    return median == null ? null : factor * median;
  }

  /** One of our figures beside that of a control. */
  private Explanation beside(Bar bar, Quantity work, String sentence, Quantity control) {
    Double ours = median(work, bar.size(), Side.OFI4J);
    Double other = median(control, bar.size(), Side.OFI4J);
    if (ours == null || other == null) {
      return ofRounds(bar);
    }
    Map<String, Double> figures = new LinkedHashMap<>();
    figures.put("measured", ours);
    figures.put("control", other);
    return new Explanation(
        work, format(sentence, digits(ours), digits(other)) + " See " + PROFILES, figures);
  }

  /** Where the run knows no more than how its rounds differ. */
  private Explanation ofRounds(Bar bar) {
    Row row = row(bar.quantity(), bar.size());
    Series series = row == null ? null : row.of(Side.OFI4J);
    Unit unit = bar.quantity().unit();
    String where =
        unit.isTime()
            ? "Nothing was measured that it could be held against; how to look further: " + PROFILES
            : "No machine changes what the layout takes: " + LAYOUT;
    Map<String, Double> figures = new LinkedHashMap<>();
    if (series == null) {
      return new Explanation(bar.quantity(), where, figures);
    }
    figures.put("least", series.least());
    figures.put("most", series.most());
    String spread =
        series.rounds().size() == 1
            ? ""
            : format(
                "Its %d rounds are from %s to %s %s. ",
                series.rounds().size(), digits(series.least()), digits(series.most()), unit.text());
    return new Explanation(bar.quantity(), spread + where, figures);
  }

  private @Nullable Row row(Quantity quantity, long size) {
    return rows.stream()
        .filter(row -> row.quantity().equals(quantity) && row.size() == size)
        .findFirst()
        .orElse(null);
  }

  private @Nullable Double median(Quantity quantity, long size, Side side) {
    Row row = row(quantity, size);
    Series series = row == null ? null : row.of(side);
    return series == null ? null : series.median();
  }

  /** Three digits that matter, or all of a whole number. */
  static String digits(double value) {
    if (value == Math.rint(value)) {
      return format("%,.0f", value);
    }
    return value >= 100
        ? format("%,.0f", value)
        : value >= 10 ? format("%.1f", value) : format("%.2f", value);
  }

  @SuppressWarnings("AnnotateFormatMethod") // would need a dependency for one annotation
  private static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }

  /** Of time: the work, and what memory alone takes of it. */
  private final class AgainstMemory {
    private final Quantity work;
    private final MemoryTraffic traffic;
    private final double allowed;
    private final double measured;
    private final double memory;
    private final @Nullable Double inC;

    /** One operation after the other, where the work is so. */
    private final @Nullable Double inTurn;

    AgainstMemory(Bar bar, Row row, MemoryTraffic traffic, double allowed) {
      this.work = row.quantity();
      this.traffic = traffic;
      this.allowed = allowed;
      this.measured = median(row, Side.OFI4J);
      this.memory = median(row, Side.MEMORY);
      this.inC = row.of(Side.MEMORY_IN_C) == null ? null : median(row, Side.MEMORY_IN_C);
      this.inTurn =
          work.equals(Quantity.FIND)
              ? Explanations.this.median(Quantity.FIND_IN_TURN, bar.size(), Side.MEMORY)
              : null;
    }

    private static double median(Row row, Side side) {
      return Objects.requireNonNull(row.of(side)).median();
    }

    /** The less of both languages: the machine allows it. */
    private double floor() {
      return inC == null ? memory : Math.min(memory, inC);
    }

    /** What the work waits for: one operation after the other it takes longer. */
    private double waiting() {
      return inTurn != null && inTurn < measured ? inTurn : floor();
    }

    private double rest() {
      return Math.max(0, measured - waiting());
    }

    Explanation explanation() {
      return new Explanation(work, text(), figures());
    }

    private String text() {
      String languages =
          inC == null
              ? digits(memory) + " ns in this run"
              : format("%s ns in this run in C and %s in Java", digits(inC), digits(memory));
      String inTurns =
          inTurn == null ? "" : format("; %s if each waits for the one before", digits(inTurn));
      return format(
          "It takes %s ns; %s would meet the bar. The loads and stores that it cannot do without"
              + " (%s) take %s%s: it takes %s times as long. %s The other %s ns (%.0f %%) are"
              + " instructions%s: %s",
          digits(measured),
          digits(allowed),
          traffic.words(),
          languages,
          inTurns,
          digits(measured / floor()),
          verdict(),
          digits(rest()),
          100 * rest() / measured,
          waiting() == floor() ? " and misses that wait for them" : "",
          PROFILES);
    }

    private String verdict() {
      if (floor() >= allowed) {
        return "Memory alone takes more than the bar allows.";
      }
      return inTurn != null && inTurn >= allowed
          ? "Memory allows it only to operations that overlap."
          : "Memory would allow it.";
    }

    private Map<String, Double> figures() {
      Map<String, Double> figures = new LinkedHashMap<>();
      figures.put("measured", measured);
      figures.put(Explanation.ALLOWED, allowed);
      figures.put("memory", memory);
      if (inC != null) {
        figures.put("memoryInC", inC);
      }
      if (inTurn != null) {
        figures.put("memoryInTurn", inTurn);
      }
      figures.put("timesMemory", measured / floor());
      figures.put("linesAnywhere", traffic.random());
      figures.put("linesInOrder", traffic.inOrder());
      figures.put("instructions", rest());
      return figures;
    }
  }
}
