// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Why a bar is not met, as far as figures of the same run tell.
 *
 * @param work what takes too long or too much; of a bar about a ratio that which it is about
 * @param text a few sentences for people
 * @param figures what they rest on, by name, for programs: those of time in nanoseconds
 * @param profile which parts of this library the work is done in, in hundredths, the largest first;
 *     empty if nobody asked for it
 */
public record Explanation(
    Quantity work, String text, Map<String, Double> figures, Map<String, Double> profile) {
  /** What would meet the bar. */
  static final String ALLOWED = "allowed";

  /** Keeps copies, in order. */
  public Explanation {
    figures = new LinkedHashMap<>(figures);
    profile = new LinkedHashMap<>(profile);
  }

  /** One without a profile. */
  Explanation(Quantity work, String text, Map<String, Double> figures) {
    this(work, text, figures, Map.of());
  }

  /** The same with a profile. */
  Explanation with(Map<String, Double> parts) {
    return new Explanation(work, text, figures, parts);
  }
}
