// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

/** Where figures go. */
@FunctionalInterface
public interface FigureSink {
  /** Takes the figure of one round. */
  void add(Figure figure);

  /** Takes the figure of one round of this library. */
  default void add(Quantity quantity, long peers, double value) {
    add(new Figure(quantity, peers, Side.OFI4J, value));
  }
}
