// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/**
 * What one round of one side measured. As a line it goes from a process that measures to the one
 * that reports.
 *
 * @param quantity what was measured
 * @param peers with how many addresses
 * @param side on which side
 * @param value the figure
 */
public record Figure(Quantity quantity, long peers, Side side, double value) {
  private static final String SEPARATOR = "\t";

  /** The figure as a line. */
  public String line() {
    return String.join(
        SEPARATOR,
        side.name(),
        Long.toString(peers),
        quantity.unit().name(),
        quantity.id(),
        quantity.title(),
        Double.toString(value));
  }

  /** The figure of a line. */
  public static Figure of(String line) {
    String[] words = line.split(SEPARATOR, -1);
    return new Figure(
        new Quantity(words[3], words[4], Unit.valueOf(words[2])),
        Long.parseLong(words[1]),
        Side.valueOf(words[0]),
        Double.parseDouble(words[5]));
  }
}
