// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All figures, in the order in which their rows began. */
public final class Results implements FigureSink {
  private record Key(Quantity quantity, long peers) {}

  private final Map<Key, Map<Side, List<Double>>> rows = new LinkedHashMap<>();

  /** No results yet. */
  public Results() {}

  @Override
  public void add(Figure figure) {
    rows.computeIfAbsent(
            new Key(figure.quantity(), figure.peers()), key -> new EnumMap<>(Side.class))
        .computeIfAbsent(figure.side(), side -> new ArrayList<>())
        .add(figure.value());
  }

  /** Returns the rows. */
  public List<Row> rows() {
    List<Row> found = new ArrayList<>();
    rows.forEach((key, sides) -> {
      Map<Side, Series> series = new EnumMap<>(Side.class);
      sides.forEach((side, rounds) -> series.put(side, new Series(rounds)));
      found.add(new Row(key.quantity(), key.peers(), series));
    });
    return found;
  }
}
