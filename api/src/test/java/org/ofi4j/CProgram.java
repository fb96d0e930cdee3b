// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Compiles and runs small C programs, for comparison with the headers and libraries of this
 * machine. What needs them is skipped where they are missing, or fails if the system property
 * {@code ofi4j.interop} is {@code required}.
 */
final class CProgram {
  private final Path directory;

  CProgram(Path directory) {
    this.directory = directory;
  }

  /** Skips or fails the test unless the compiler accepts a program that includes the header. */
  void need(String header) throws IOException, InterruptedException {
    String missing = "";
    try {
      Files.writeString(directory.resolve("probe.c"), "#include <" + header + ">\n");
      if (execute(List.of("gcc", "-E", "-o", "probe.i", "probe.c"), "") != 0) {
        missing = "the header " + header;
      }
    } catch (IOException e) {
      missing = "gcc";
    }
    if (System.getProperty("ofi4j.interop", "optional").equals("required")) {
      assertThat(missing).as("missing, but -Dofi4j.interop=required needs it").isEmpty();
    }
    assumeTrue(missing.isEmpty(), missing + " is missing");
  }

  /** The source with all that it includes, after the preprocessor. */
  String preprocessed(String source, String... options) throws IOException, InterruptedException {
    Files.writeString(directory.resolve("expand.c"), source);
    List<String> command = new ArrayList<>(List.of("gcc", "-E", "-o", "expand.i", "expand.c"));
    command.addAll(List.of(options));
    assertThat(execute(command, "")).as(errors()).isZero();
    return Files.readString(directory.resolve("expand.i"));
  }

  /** Compiles, runs, and gives the lines that the program printed. */
  List<String> run(String source, String input, String... options)
      throws IOException, InterruptedException {
    Files.writeString(directory.resolve("program.c"), source);
    List<String> command =
        new ArrayList<>(List.of("gcc", "-D_GNU_SOURCE", "-O1", "-o", "program", "program.c"));
    command.addAll(List.of(options));
    assertThat(execute(command, "")).as(errors()).isZero();
    assertThat(execute(List.of(directory.resolve("program").toString()), input))
        .as(errors())
        .isZero();
    return Files.readAllLines(directory.resolve("out"));
  }

  private int execute(List<String> command, String input) throws IOException, InterruptedException {
    File in = Files.writeString(directory.resolve("in"), input).toFile();
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectInput(in)
            .redirectOutput(directory.resolve("out").toFile())
            .redirectError(directory.resolve("err").toFile())
            .start();
    try {
      return process.waitFor();
    } finally {
      process.destroyForcibly();
    }
  }

  private String errors() throws IOException {
    Path errors = directory.resolve("err");
    return Files.exists(errors) ? Files.readString(errors) : "";
  }
}
