// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** A process of the stress test, as the test sees it. */
final class StressChild {
  private static final Path DEBUGGER = Path.of("/usr/bin/gdb");

  final int number;
  final ChildJvm jvm;

  /** Its offers to other processes, as lines. */
  final Map<String, String> offers = new LinkedHashMap<>();

  /** Its answers that were not awaited yet. */
  final List<String> answers = new ArrayList<>();

  /** Whether it has opened an endpoint. */
  boolean begun;

  /** When others are told that it has ended. */
  long toldAt;

  boolean expectsEnd;
  boolean killed;
  long operations;
  long received;

  StressChild(int number, ChildJvm jvm) {
    this.number = number;
    this.jvm = jvm;
  }

  void say(String line) {
    jvm.say(line);
  }

  /** Whether it made a file in shared memory: names of shm begin with the process number. */
  boolean owns(Path file) {
    return file.getFileName().toString().matches(jvm.pid() + "\\D.*");
  }

  String report() throws IOException {
    return "process %d (%d): %s".formatted(number, jvm.pid(), jvm.errors());
  }

  /** The C frames of its threads, if there is a debugger; Java does not report them. */
  String nativeStacks() throws IOException {
    if (!Files.isExecutable(DEBUGGER)) {
      return "";
    }
    Process debugger =
        new ProcessBuilder(
                DEBUGGER.toString(),
                "--batch",
                "--pid=" + jvm.pid(),
                "--eval-command=thread apply all backtrace 12")
            .redirectErrorStream(true)
            .start();
    try (BufferedReader output = debugger.inputReader(StandardCharsets.UTF_8)) {
      return output.lines().collect(Collectors.joining("\n"));
    }
  }
}
