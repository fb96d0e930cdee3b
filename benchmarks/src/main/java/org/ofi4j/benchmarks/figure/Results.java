// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All figures, in the order in which their rows began. */
public final class Results {
  /** No results yet. */
  public Results() {}

  private record Key(Quantity quantity, long peers) {}

  /** The rounds of one side so far. */
  private static final class Rounds {
    private final List<Double> figures = new ArrayList<>();
    private boolean quiet = true;
  }

  private final Map<Key, Map<Side, Rounds>> rows = new LinkedHashMap<>();

  /** Adds a figure; quiet, if nothing else of the run was at work meanwhile. */
  public void add(Figure figure, boolean quiet) {
    Rounds rounds =
        rows.computeIfAbsent(
                new Key(figure.quantity(), figure.peers()), key -> new EnumMap<>(Side.class))
            .computeIfAbsent(figure.side(), side -> new Rounds());
    rounds.figures.add(figure.value());
    rounds.quiet &= quiet;
  }

  public List<Row> rows() {
    List<Row> found = new ArrayList<>();
    rows.forEach((key, sides) -> {
      Map<Side, Series> series = new EnumMap<>(Side.class);
      sides.forEach((side, rounds) -> series.put(side, new Series(rounds.figures, rounds.quiet)));
      found.add(new Row(key.quantity(), key.peers(), series));
    });
    return found;
  }
}
