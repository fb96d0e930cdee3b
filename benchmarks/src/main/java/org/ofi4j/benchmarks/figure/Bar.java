// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.util.LinkedHashMap;
import java.util.Map;
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
 * @param profile which parts of this library the work is done in, in hundredths, the largest first;
 *     empty if nobody asked for it
 */
public record Bar(
    Quantity quantity,
    long size,
    String text,
    @Nullable Double measured,
    double limit,
    boolean atLeast,
    @Nullable Double allowed,
    Map<String, Double> profile) {
  /** Keeps a copy of the profile, in order. */
  public Bar {
    profile = new LinkedHashMap<>(profile);
  }

  /** One without a profile. */
  public Bar(
      Quantity quantity,
      long size,
      String text,
      @Nullable Double measured,
      double limit,
      boolean atLeast,
      @Nullable Double allowed) {
    this(quantity, size, text, measured, limit, atLeast, allowed, Map.of());
  }

  /** The same with a profile. */
  public Bar with(Map<String, Double> parts) {
    return new Bar(quantity, size, text, measured, limit, atLeast, allowed, parts);
  }

  /**
   * Whether the bar is met.
   *
   * @return null if nothing was measured
   */
  public @Nullable Boolean met() {
    if (measured == null) {
      return null;
    }
    return atLeast ? measured >= limit : measured <= limit;
  }
}
