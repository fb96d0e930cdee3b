// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.bench;

import java.util.List;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.messaging.MessagingOptions;

/** Numbers of peers, and lengths of messages, on the command line. */
final class BenchSizes {
  private static final List<Long> DEFAULT = List.of(1_000L, 64_000L, 1_000_000L, 16_000_000L);
  private static final long LARGE = 100_000_000;
  private static final long MOST = Integer.MAX_VALUE - 1;
  private static final int LONGEST_BY_DEFAULT = 1 << 20;
  private static final Pattern SIZE = Pattern.compile("([0-9][0-9_]{0,11})([kM]?)");

  private BenchSizes() {}

  /** Reads a number such as 1000, 64k or 16M. */
  static long parse(String text) {
    long size = parse(text, 1000);
    if (size < 1 || size > MOST) {
      throw new IllegalArgumentException(
          "\""
              + text
              + "\" is no number of peers: a number from 1 to 2147483646, such as 64k or 16M");
    }
    return size;
  }

  /** Reads a number such as 1000, 64k or 1M, which are powers of two. */
  static long parseBytes(String text) {
    long size = parse(text, 1024);
    if (size < 1 || size > MessagingOptions.LONGEST) {
      throw new IllegalArgumentException(
          "\"" + text + "\" is no length of a message: a number from 1 to 64M, such as 64k");
    }
    return size;
  }

  /** The number; -1 if it is none. */
  private static long parse(String text, long thousand) {
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      return -1;
    }
    long factor =
        switch (matcher.group(2)) {
          case "k" -> thousand;
          case "M" -> thousand * thousand;
          default -> 1;
        };
    return Long.parseLong(matcher.group(1).replace("_", "")) * factor;
  }

  /** The lengths of messages to measure, each once, the smallest first. */
  static List<Integer> ofMessages(List<Long> sizes) {
    TreeSet<Integer> chosen = new TreeSet<>();
    sizes.forEach(size -> chosen.add((int) (long) size));
    for (int size = 1; size <= LONGEST_BY_DEFAULT && sizes.isEmpty(); size *= 4) {
      chosen.add(size);
    }
    return List.copyOf(chosen);
  }

  /** Which of the usual sizes there is room for; at least the smallest. */
  static List<Long> fitting(long most) {
    List<Long> fitting = DEFAULT.stream().filter(size -> size <= most).toList();
    return fitting.isEmpty() ? DEFAULT.subList(0, 1) : fitting;
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
