package org.ofi4j.cli;

import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Numbers of peers on the command line. */
final class BenchSizes {
  private static final List<Long> DEFAULT = List.of(1_000L, 64_000L, 1_000_000L, 16_000_000L);
  private static final long LARGE = 100_000_000;
  private static final long MOST = Integer.MAX_VALUE - 1;
  private static final Pattern SIZE = Pattern.compile("([0-9][0-9_]{0,11})([kM]?)");

  private BenchSizes() {}

  /** Reads a number such as 1000, 64k or 16M. */
  static long parse(String text) {
    Matcher matcher = SIZE.matcher(text);
    if (matcher.matches()) {
      long factor =
          switch (matcher.group(2)) {
            case "k" -> 1000;
            case "M" -> 1_000_000;
            default -> 1;
          };
      long size = Long.parseLong(matcher.group(1).replace("_", "")) * factor;
      if (size >= 1 && size <= MOST) {
        return size;
      }
    }
    throw new IllegalArgumentException(
        "\""
            + text
            + "\" is no number of peers: a number from 1 to 2147483646, such as 64k or 16M");
  }

  /** The sizes to measure, each once, the smallest first: that one warms up for the others. */
  static List<Long> chosen(@Nullable Long peers, List<Long> sizes, boolean large) {
    TreeSet<Long> chosen =
        new TreeSet<>(peers != null ? List.of(peers) : sizes.isEmpty() ? DEFAULT : sizes);
    if (large) {
      chosen.add(LARGE);
    }
    return List.copyOf(chosen);
  }
}
