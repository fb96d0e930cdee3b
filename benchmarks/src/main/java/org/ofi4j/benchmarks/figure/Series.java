// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.util.List;

/**
 * The figures of one row and side, one for each round.
 *
 * @param rounds in the order measured, at least one
 */
public record Series(List<Double> rounds) {
  /** Keeps a copy. */
  public Series {
    rounds = List.copyOf(rounds);
    if (rounds.isEmpty()) {
      throw new IllegalArgumentException("a series without rounds");
    }
  }

  /** The figure that half of the rounds stay below. */
  public double median() {
    return at(0.5);
  }

  /** The figure that a quarter of the rounds stay below. */
  public double lowerQuartile() {
    return at(0.25);
  }

  /** The figure that three quarters of the rounds stay below. */
  public double upperQuartile() {
    return at(0.75);
  }

  public double least() {
    return at(0);
  }

  public double most() {
    return at(1);
  }

  /** Between two rounds, as far as the fraction lies between them. */
  private double at(double fraction) {
    List<Double> sorted = rounds.stream().sorted().toList();
    double place = fraction * (sorted.size() - 1);
    int below = (int) place;
    int above = Math.min(below + 1, sorted.size() - 1);
    return sorted.get(below) + (place - below) * (sorted.get(above) - sorted.get(below));
  }
}
