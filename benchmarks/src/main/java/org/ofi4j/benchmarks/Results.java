package org.ofi4j.benchmarks;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All figures so far, in the order in which their rows began. For several threads. */
final class Results {
  private record Key(Quantity quantity, long peers) {}

  private final Map<Key, Map<Side, List<Double>>> figures = new LinkedHashMap<>();

  /** Adds the figure of one round. */
  synchronized void add(Quantity quantity, long peers, Side side, double figure) {
    figures
        .computeIfAbsent(new Key(quantity, peers), key -> new EnumMap<>(Side.class))
        .computeIfAbsent(side, key -> new ArrayList<>())
        .add(figure);
  }

  synchronized List<Row> rows() {
    List<Row> rows = new ArrayList<>();
    figures.forEach((key, sides) -> {
      Map<Side, Series> series = new EnumMap<>(Side.class);
      sides.forEach((side, rounds) -> series.put(side, new Series(rounds)));
      rows.add(new Row(key.quantity(), key.peers(), series));
    });
    return rows;
  }
}
