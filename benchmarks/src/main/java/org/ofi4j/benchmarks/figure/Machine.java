// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where the figures come from, in words, and what this process takes of it. */
public final class Machine {
  private static final Path PROCESSOR = Path.of("/proc/cpuinfo");
  private static final Path MEMORY = Path.of("/proc/meminfo");
  private static final Path MAPPED = Path.of("/proc/self/smaps_rollup");
  private static final Path STATUS = Path.of("/proc/self/status");

  private Machine() {}

  /** Processor, cores, memory and system. */
  public static String describe() {
    return String.format(
        Locale.ROOT,
        "%s, %d cores, %.0f GiB, %s %s",
        first(PROCESSOR, "model name\\s*: (.*)", System.getProperty("os.arch", "unknown")),
        Runtime.getRuntime().availableProcessors(),
        Long.parseLong(first(MEMORY, "MemTotal:\\s*(\\d+) kB", "0")) / 1048576.0,
        System.getProperty("os.name"),
        System.getProperty("os.version"));
  }

  /** The JVM. */
  public static String java() {
    return System.getProperty("java.vm.name") + " " + Runtime.version();
  }

  /** Private memory of this process in bytes, or -1 where the system does not tell. */
  public static long resident() {
    return Long.parseLong(first(STATUS, "RssAnon:\\s*(\\d+) kB", "-1")) * 1024;
  }

  /**
   * Memory of this process in bytes, in which what several have mapped counts for each of them as
   * its share; or -1 where the system does not tell.
   */
  public static long proportional() {
    return Long.parseLong(first(MAPPED, "(?m)^Pss:\\s*(\\d+) kB", "-1")) * 1024;
  }

  private static String first(Path file, String pattern, String otherwise) {
    try {
      Matcher matcher = Pattern.compile(pattern).matcher(Files.readString(file));
      return matcher.find() ? matcher.group(1).strip() : otherwise;
    } catch (IOException e) {
      return otherwise;
    }
  }
}
