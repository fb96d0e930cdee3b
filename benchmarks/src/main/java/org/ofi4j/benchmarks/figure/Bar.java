// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import org.jspecify.annotations.Nullable;

/**
 * What a figure has to reach, and whether it does.
 *
 * @param quantity the row that it is about
 * @param size the size, or 0 if nothing was measured
 * @param text the bar for people, such as {@code at least 15 times faster}
 * @param measured the figure, or null if nothing was measured
 * @param limit what the figure is held against
 * @param atLeast whether the figure must not be smaller; otherwise it must not be larger
 * @param allowed which figure of ours in the row would just meet the bar; null if nobody knows
 */
public record Bar(
    Quantity quantity,
    long size,
    String text,
    @Nullable Double measured,
    double limit,
    boolean atLeast,
    @Nullable Double allowed) {
  /** One about a row, or about nothing if there is none. */
  public static Bar of(
      Quantity quantity,
      @Nullable Row row,
      String text,
      @Nullable Double measured,
      double limit,
      boolean atLeast,
      @Nullable Double allowed) {
    long size = row == null ? 0 : row.size();
    return new Bar(quantity, size, text, measured, limit, atLeast, allowed);
  }

  /** Whether the bar is met; null if nothing was measured. */
  public @Nullable Boolean met() {
    if (measured == null) {
      return null;
    }
    return atLeast ? measured >= limit : measured <= limit;
  }
}
