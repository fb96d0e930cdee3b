// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A JVM of its own, on the class path of the tests, and what signals do to it. */
final class ChildJvm implements AutoCloseable {
  private final Process process;

  private ChildJvm(Process process) {
    this.process = process;
  }

  /**
   * Starts one.
   *
   * @param main what it runs
   * @param options options of the JVM besides those that make it small
   * @param log where its error output goes
   * @param arguments of the main class
   */
  static ChildJvm start(String main, List<String> options, Redirect log, List<String> arguments) {
    String classPath =
        Stream.of("jdk.module.path", "java.class.path")
            .map(System::getProperty)
            .filter(Objects::nonNull)
            .collect(Collectors.joining(System.getProperty("path.separator")));
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath, main));
    command.addAll(arguments);
    try {
      return new ChildJvm(new ProcessBuilder(command).redirectError(log).start());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Its input and output, and whether it lives. */
  Process process() {
    return process;
  }

  /** Stops it; nothing of it runs until {@link #resume}. */
  void stop() {
    signal("STOP");
  }

  /** Lets it go on. */
  void resume() {
    signal("CONT");
  }

  private void signal(String name) {
    try {
      int status = new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().waitFor();
      if (status != 0) {
        throw new AssertionError("kill -" + name + " " + process.pid() + " ended with " + status);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  /** Ends it as {@code kill -9} does, also one that is stopped. What it has said can be read. */
  void kill() {
    // By its handle: the process itself would close the stream, with lines in it that count.
    process.toHandle().destroyForcibly();
    try {
      // onExit() of a process that is dead already would wait for whatever has its number now.
      process.waitFor();
    } catch (InterruptedException interrupted) {
      throw new AssertionError(interrupted);
    }
  }

  @Override
  public void close() {
    kill();
  }
}
