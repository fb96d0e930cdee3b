// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.messaging;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.ofi4j.benchmarks.figure.Stages;
import org.ofi4j.benchmarks.process.LineProcess;

/**
 * Counts the system calls of running processes with perf(1), which hardly slows them down.
 * strace(1) would stop them at each call, so that they would sleep where they do not otherwise.
 */
record SystemCalls(Path file) {
  private static final int PATIENCE_SECONDS = 10;

  /**
   * Does work and counts.
   *
   * @return how many calls the processes made; nothing without perf or the right to use it
   */
  OptionalLong during(List<LineProcess> processes, Stages.Work work)
      throws IOException, InterruptedException {
    String pids =
        processes.stream()
            .map(process -> Long.toString(process.pid()))
            .collect(Collectors.joining(","));
    Files.deleteIfExists(file);
    // perf counts from the start of the command to its end: cat ends with its input.
    ProcessBuilder perf =
        new ProcessBuilder(
                "perf",
                "stat",
                "-x,",
                "-e",
                "raw_syscalls:sys_enter",
                "-p",
                pids,
                "-o",
                file.toString(),
                "cat")
            .redirectError(ProcessBuilder.Redirect.DISCARD);
    LineProcess counting;
    try {
      counting = new LineProcess("perf", PATIENCE_SECONDS, perf);
    } catch (IOException missing) {
      return OptionalLong.empty();
    }
    try (counting) {
      if (!begins(counting)) {
        return OptionalLong.empty();
      }
      work.run();
    }
    return Files.readAllLines(file).stream()
        .filter(line -> line.contains("raw_syscalls"))
        .map(line -> line.split(",", 2)[0])
        .filter(count -> count.matches("[0-9]+"))
        .mapToLong(Long::parseLong)
        .findFirst();
  }

  /** Whether it counts: without the right to, it ends at once. */
  private static boolean begins(LineProcess counting) {
    try {
      counting.say("begin");
      counting.hear("begin");
      return true;
    } catch (UncheckedIOException ended) {
      return false;
    }
  }
}
