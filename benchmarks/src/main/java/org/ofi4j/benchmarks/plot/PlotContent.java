// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.plot;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Side;
import org.ofi4j.benchmarks.figure.Unit;
import org.ofi4j.benchmarks.messaging.MessagingBars;
import org.ofi4j.benchmarks.named.NamedBars;
import org.ofi4j.benchmarks.named.Opening;

/**
 * What a plot of a report shows.
 *
 * @param title its title
 * @param sides who has a bar in each row, in this order
 * @param compared whose bar says how many times that of ofi4j it is
 * @param panels one under the other
 */
record PlotContent(String title, List<Side> sides, Side compared, List<Panel> panels) {
  /** The timed kinds of work, in the order of a peer's life. */
  private static final List<Quantity> TIMES =
      List.of(
          Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, true),
          Quantity.insert(AddressPattern.SCATTERED, Family.IPV4, false),
          Quantity.INSERT_SINGLY,
          Quantity.insert(AddressPattern.CONSECUTIVE, Family.IPV4, false),
          Quantity.SYMMETRIC_ARRAY,
          Quantity.LOOKUP,
          Quantity.FIND,
          Quantity.REMOVE_IN_ORDER,
          Quantity.REMOVE_RANDOMLY,
          Quantity.CHURN);

  private static final List<Quantity> MEMORY =
      List.of(
          Quantity.live(AddressPattern.SCATTERED, Family.IPV4),
          Quantity.resident(AddressPattern.SCATTERED, Family.IPV4),
          Quantity.live(AddressPattern.CONSECUTIVE, Family.IPV4),
          Quantity.resident(AddressPattern.CONSECUTIVE, Family.IPV4),
          Quantity.live(AddressPattern.SCATTERED, Family.IPV6));

  /**
   * Rows of one unit under a heading.
   *
   * @param heading says what they count
   * @param rows the rows, perhaps none
   * @param label the label of each
   */
  record Panel(String heading, List<Row> rows, Function<Row, String> label) {
    Panel(String heading, List<Row> rows) {
      this(heading, rows, row -> row.quantity().title());
    }
  }

  static PlotContent of(BenchmarkReport report) {
    List<Row> rows = report.rows();
    return switch (report.topic()) {
      case VECTORS -> vectors(rows);
      case NAMED_VECTORS -> namedVectors(rows);
      case MESSAGES -> messages(rows);
      case COSTS -> costs(rows);
      case CLUSTER -> throw new IllegalArgumentException("there is no plot of groups");
    };
  }

  private static PlotContent vectors(List<Row> rows) {
    long peers = size(rows);
    return new PlotContent(
        "Address vectors, " + format("%,d", peers) + " IPv4 peers",
        List.of(Side.OFI4J, Side.UDP, Side.TCP),
        Side.UDP,
        List.of(
            new Panel(
                "nanoseconds for each peer, less is better (logarithmic)",
                chosen(rows, TIMES, peers),
                row -> label(row, peers)),
            new Panel(
                "bytes for each peer, less is better (logarithmic)",
                chosen(rows, MEMORY, peers),
                row -> label(row, peers))));
  }

  /** A million if it was measured, else the most that both sides did, else the most. */
  private static long size(List<Row> rows) {
    Comparator<Row> order =
        Comparator.comparing((Row row) -> row.size() == Row.USUAL_SIZE)
            .thenComparing(row -> row.ratio().isPresent())
            .thenComparingLong(Row::size);
    return rows.stream()
        .filter(row -> row.quantity().equals(Quantity.LOOKUP))
        .max(order)
        .map(Row::size)
        .orElse(Row.USUAL_SIZE);
  }

  private static String label(Row row, long size) {
    String title = row.quantity().title();
    return row.size() == size ? title : title + ", " + inShort(row.size());
  }

  /** Those with that many peers; of what is done with fewer those, with the most. */
  private static List<Row> chosen(List<Row> rows, List<Quantity> quantities, long size) {
    return quantities.stream()
        .flatMap(quantity ->
            rows.stream()
                .filter(row -> row.quantity().equals(quantity) && row.size() <= size)
                .filter(row -> row.of(Side.OFI4J) != null)
                .max(Comparator.comparingLong(Row::size))
                .stream())
        .toList();
  }

  private static PlotContent namedVectors(List<Row> rows) {
    List<Quantity> openings = Arrays.stream(Opening.values()).map(Opening::quantity).toList();
    List<Row> lookups = rows(rows, row -> NamedBars.LOOKUPS.contains(row.quantity()));
    String peers = lookups.isEmpty() ? "" : format(" of %,d IPv4 peers", lookups.getFirst().size());
    return new PlotContent(
        "Named vectors" + peers,
        List.of(Side.OFI4J, Side.OFI4J_FIRST, Side.PRIVATE),
        Side.PRIVATE,
        List.of(
            new Panel(
                "milliseconds to open a vector, less is better (logarithmic)",
                rows(rows, row -> openings.contains(row.quantity())),
                row -> row.quantity().title() + ", " + inShort(row.size())),
            new Panel("nanoseconds for each peer, less is better (logarithmic)", lookups),
            new Panel(
                "bytes of a process, less is better (logarithmic)",
                rows(rows, row -> row.quantity().unit() == Unit.BYTES_IN_ALL)),
            new Panel(
                "nanoseconds for each insertion, less is better (logarithmic)",
                rows(rows, row -> row.quantity().unit() == Unit.NANOS && !lookups.contains(row)))));
  }

  private static List<Row> rows(List<Row> rows, Predicate<Row> chosen) {
    return rows.stream().filter(chosen).toList();
  }

  private static String inShort(long size) {
    return size >= 1_000_000 && size % 1_000_000 == 0
        ? size / 1_000_000 + "M"
        : size >= 1000 && size % 1000 == 0 ? size / 1000 + "k" : format("%,d", size);
  }

  private static PlotContent messages(List<Row> rows) {
    return new PlotContent(
        "Messages over TCP between two processes of one machine",
        rows.stream().flatMap(row -> row.sides().keySet().stream()).distinct().sorted().toList(),
        Side.TCP,
        List.of(
            ofMessages(
                "round trip in microseconds, less is better (logarithmic)",
                rows,
                Quantity.ROUND_TRIP),
            ofMessages(
                "messages in a second, one way, more is better (logarithmic)",
                rows,
                Quantity.MESSAGES),
            ofMessages(
                "bytes in a second, one way, more is better (logarithmic)",
                rows,
                Quantity.BANDWIDTH)));
  }

  private static PlotContent costs(List<Row> rows) {
    List<Panel> panels =
        rows.stream()
            .map(row ->
                new Panel(
                    row.quantity().title() + ", less is better (logarithmic)",
                    List.of(row),
                    each ->
                        format("%,d", each.size())
                            + (each.size() == 1 ? " connection" : " connections")))
            .toList();
    return new PlotContent("Costs of messages", sides(rows), Side.TCP, panels);
  }

  /** All that have figures. */
  private static List<Side> sides(List<Row> rows) {
    return rows.stream().flatMap(row -> row.sides().keySet().stream()).distinct().sorted().toList();
  }

  /** One quantity at all sizes at which it says something. */
  private static Panel ofMessages(String heading, List<Row> rows, Quantity quantity) {
    long least = quantity.equals(Quantity.BANDWIDTH) ? MessagingBars.SHORT : 1;
    long most = quantity.equals(Quantity.MESSAGES) ? MessagingBars.SHORT : Long.MAX_VALUE;
    return new Panel(
        heading,
        rows(
            rows,
            row -> row.quantity().equals(quantity) && row.size() >= least && row.size() <= most),
        row -> format("%,d %s", row.size(), row.size() == 1 ? "byte" : "bytes"));
  }

  @SuppressWarnings("AnnotateFormatMethod") // would need a dependency for one annotation
  static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
