// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.stress.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.benchmarks.process.JvmCommand;

/** A run that is ended by a signal leaves neither processes nor files. */
class ChaosEndTest {
  private static final long PATIENCE_MINUTES = 3;

  @TempDir Path parent;

  /** Starts a run that keeps the files of its vectors in a directory. */
  private static Process start(Path directory) throws Exception {
    // The processes of the run inherit the environment.
    List<String> command = new ArrayList<>(JvmCommand.of(ChaosProgram.class, List.of()));
    // A background process of a shell has SIGINT ignored, and its children inherit that.
    command.addAll(0, List.of("env", "--default-signal=INT"));
    ProcessBuilder builder =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.environment().put("JDK_JAVA_OPTIONS", "-Dofi4j.share.directory=" + directory);
    return builder.start();
  }

  private static List<ProcessHandle> atWork(Process run, BufferedReader lines) throws Exception {
    String line = lines.readLine();
    while (line != null && !line.equals("processes killed 2")) {
      line = lines.readLine();
    }
    assertThat(line).as("the run goes on").isNotNull();
    List<ProcessHandle> processes = run.toHandle().descendants().toList();
    assertThat(processes).isNotEmpty();
    return processes;
  }

  private static void signal(String signal, Process process) throws Exception {
    Process kill = new ProcessBuilder("sh", "-c", "kill -" + signal + " " + process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM", "KILL"})
  void signalledRunEndsItsProcessesAndRemovesFiles(String signal) throws Exception {
    Path directory =
        Files.createDirectory(
            parent.resolve("shared"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    Process run = start(directory);
    List<ProcessHandle> processes = List.of();
    try (BufferedReader lines = run.inputReader()) {
      processes = atWork(run, lines);
      assertThat(directory).isNotEmptyDirectory();
      signal(signal, run);
      assertThat(run.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES)).isTrue();
      for (ProcessHandle process : processes) {
        process.onExit().get(PATIENCE_MINUTES, TimeUnit.MINUTES);
      }
    } finally {
      run.destroyForcibly();
      processes.forEach(ProcessHandle::destroyForcibly);
    }
    // A process killed as it was started or in a change keeps the others from removing its vector.
    if (!signal.equals("KILL")) {
      try (Stream<Path> left = Files.list(directory)) {
        assertThat(left).isEmpty();
      }
    }
  }
}
