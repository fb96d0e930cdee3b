// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.util.Locale;

/** Numbers as people read them. */
public final class Numbers {
  private Numbers() {}

  /** Formats without regard to the language of the system, so that output can be compared. */
  @SuppressWarnings("AnnotateFormatMethod") // would need a dependency for one annotation
  public static String format(String format, Object... arguments) {
    return String.format(Locale.ROOT, format, arguments);
  }

  /** A count with separators, such as {@code 1,000,000}. */
  public static String count(long count) {
    return format("%,d", count);
  }

  /** A count with the thing that is counted, such as {@code 1 peer} or {@code 2 peers}. */
  public static String count(long count, String one) {
    return count(count) + " " + one + (count == 1 ? "" : "s");
  }

  /** A rate such as {@code 12.5 million/s}; {@code -} if it did not happen. */
  public static String rate(long count, long nanos) {
    if (count == 0 || nanos <= 0) {
      return "-";
    }
    double perSecond = perSecond(count, nanos);
    return perSecond >= 1e6
        ? format("%.1f million/s", perSecond / 1e6)
        : format("%,.0f/s", perSecond);
  }

  /** A rate per second, 0 if it did not happen. */
  public static double perSecond(long count, long nanos) {
    return nanos <= 0 ? 0 : count * 1e9 / nanos;
  }

  /** A duration such as {@code 12 ms}. */
  public static String duration(long nanos) {
    if (nanos < 10_000_000_000L) {
      return nanos < 1_000_000
          ? format("%.0f us", nanos / 1e3)
          : nanos < 1_000_000_000 ? format("%.0f ms", nanos / 1e6) : format("%.2f s", nanos / 1e9);
    }
    return format("%.0f s", nanos / 1e9);
  }

  /** An amount of memory such as {@code 13.4 MiB}. */
  public static String bytes(long bytes) {
    if (bytes < 1 << 10) {
      return count(bytes, "byte");
    }
    return bytes < 1 << 20
        ? format("%.1f KiB", bytes / 1024.0)
        : format("%.1f MiB", bytes / 1048576.0);
  }
}
