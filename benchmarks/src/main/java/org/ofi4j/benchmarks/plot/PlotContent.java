// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.plot;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.BenchmarkReport;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Quantity;
import org.ofi4j.benchmarks.figure.Row;
import org.ofi4j.benchmarks.figure.Series;
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
      case CLUSTER -> throw new IllegalArgumentException("there is no plot of groups");
    };
  }

  private static PlotContent vectors(List<Row> rows) {
    long peers = size(rows);
    long others =
        rows.stream()
            .filter(row -> row.of(Side.TCP) != null)
            .mapToLong(Row::size)
            .max()
            .orElse(peers);
    String title = "Address vectors, " + format("%,d", peers) + " IPv4 peers";
    return new PlotContent(
        others == peers ? title : title + format(" (tcp: %,d)", others),
        List.of(Side.OFI4J, Side.UDP, Side.TCP),
        Side.UDP,
        List.of(
            new Panel(
                "nanoseconds for each peer, less is better (logarithmic)",
                chosen(rows, times(), peers),
                row -> label(row, peers)),
            new Panel(
                "bytes for each peer, less is better (logarithmic)",
                chosen(rows, memory(), peers),
                row -> label(row, peers))));
  }

  /** A million if it was measured, else the most that both sides did, else the most. */
  private static long size(List<Row> rows) {
    List<Row> lookups =
        rows.stream().filter(row -> row.quantity().equals(Quantity.LOOKUP)).toList();
    if (lookups.stream().anyMatch(row -> row.size() == Row.USUAL_SIZE)) {
      return Row.USUAL_SIZE;
    }
    Comparator<Row> byComparison = Comparator.comparingInt(row -> row.ratio().isPresent() ? 1 : 0);
    return lookups.stream()
        .max(byComparison.thenComparingLong(Row::size))
        .map(Row::size)
        .orElse(Row.USUAL_SIZE);
  }

  /** What takes time, in the order of a peer's life. */
  private static List<Quantity> times() {
    AddressPattern scattered = AddressPattern.SCATTERED;
    AddressPattern consecutive = AddressPattern.CONSECUTIVE;
    return List.of(
        Quantity.insert(scattered, Family.IPV4, true),
        Quantity.insert(scattered, Family.IPV4, false),
        Quantity.INSERT_SINGLY,
        Quantity.insert(consecutive, Family.IPV4, false),
        Quantity.SYMMETRIC_ARRAY,
        Quantity.LOOKUP,
        Quantity.FIND,
        Quantity.REMOVE_IN_ORDER,
        Quantity.REMOVE_RANDOMLY,
        Quantity.CHURN);
  }

  private static List<Quantity> memory() {
    AddressPattern scattered = AddressPattern.SCATTERED;
    AddressPattern consecutive = AddressPattern.CONSECUTIVE;
    return List.of(
        Quantity.live(scattered, Family.IPV4),
        Quantity.resident(scattered, Family.IPV4),
        Quantity.live(consecutive, Family.IPV4),
        Quantity.resident(consecutive, Family.IPV4),
        Quantity.live(scattered, Family.IPV6));
  }

  private static String label(Row row, long size) {
    String title = row.quantity().title();
    return row.size() == size ? title : title + ", " + inShort(row.size());
  }

  /** Those with that many peers; of what is done with fewer those, with the most. */
  private static List<Row> chosen(List<Row> rows, List<Quantity> quantities, long size) {
    List<Row> chosen = new ArrayList<>();
    for (Quantity quantity : quantities) {
      most(rows, quantity, Side.OFI4J, size).map(row -> withTcp(rows, row)).ifPresent(chosen::add);
    }
    return chosen;
  }

  private static Optional<Row> most(List<Row> rows, Quantity quantity, Side side, long size) {
    return rows.stream()
        .filter(row -> row.quantity().equals(quantity) && row.size() <= size)
        .filter(row -> row.of(side) != null)
        .max(Comparator.comparingLong(Row::size));
  }

  /** A row with tcp's figure, if only with fewer peers. */
  private static Row withTcp(List<Row> rows, Row row) {
    Series tcp =
        most(rows, row.quantity(), Side.TCP, row.size())
            .map(most -> most.of(Side.TCP))
            .orElse(null);
    if (tcp == null) {
      return row;
    }
    Map<Side, Series> sides = new EnumMap<>(row.sides());
    sides.put(Side.TCP, tcp);
    return new Row(row.quantity(), row.size(), sides);
  }

  private static PlotContent namedVectors(List<Row> rows) {
    List<Row> openings = new ArrayList<>();
    for (Opening opening : Opening.values()) {
      rows.stream().filter(row -> row.quantity().equals(opening.quantity())).forEach(openings::add);
    }
    List<Row> lookups =
        rows.stream().filter(row -> NamedBars.LOOKUPS.contains(row.quantity())).toList();
    List<Row> memory =
        rows.stream().filter(row -> row.quantity().unit() == Unit.BYTES_IN_ALL).toList();
    List<Row> insertions =
        rows.stream()
            .filter(row -> row.quantity().unit() == Unit.NANOS && !lookups.contains(row))
            .toList();
    String peers = lookups.isEmpty() ? "" : format(" of %,d IPv4 peers", lookups.getFirst().size());
    return new PlotContent(
        "Named vectors" + peers,
        List.of(Side.OFI4J, Side.OFI4J_FIRST, Side.PRIVATE),
        Side.PRIVATE,
        List.of(
            new Panel(
                "milliseconds to open a vector, less is better (logarithmic)",
                openings,
                row -> row.quantity().title() + ", " + inShort(row.size())),
            new Panel("nanoseconds for each peer, less is better (logarithmic)", lookups),
            new Panel("bytes of a process, less is better (logarithmic)", memory),
            new Panel("nanoseconds for each insertion, less is better (logarithmic)", insertions)));
  }

  private static String inShort(long size) {
    return size >= 1_000_000 && size % 1_000_000 == 0
        ? size / 1_000_000 + "M"
        : size >= 1000 && size % 1000 == 0 ? size / 1000 + "k" : format("%,d", size);
  }

  private static PlotContent messages(List<Row> rows) {
    return new PlotContent(
        "Messages over TCP between two processes of one machine",
        List.of(Side.OFI4J, Side.UDP, Side.TCP),
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

  /** One quantity at all sizes at which it says something. */
  private static Panel ofMessages(String heading, List<Row> rows, Quantity quantity) {
    return new Panel(
        heading,
        rows.stream()
            .filter(row -> row.quantity().equals(quantity))
            .filter(row -> !quantity.equals(Quantity.MESSAGES) || row.size() <= MessagingBars.SHORT)
            .filter(
                row -> !quantity.equals(Quantity.BANDWIDTH) || row.size() >= MessagingBars.SHORT)
            .toList(),
        row -> format("%,d %s", row.size(), row.size() == 1 ? "byte" : "bytes"));
  }

  @SuppressWarnings("AnnotateFormatMethod") // would need a dependency for one annotation
  static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }
}
