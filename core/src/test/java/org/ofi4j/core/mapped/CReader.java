// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.core.share.ShareDirectory;

/**
 * The reader of named vectors in C, {@code src/test/c/named-vector.c}. Tests with it are skipped
 * where there is no C compiler, unless the system property {@code ofi4j.interop} is {@code
 * required}: then they fail.
 */
final class CReader {
  private static final Path SOURCE =
      Path.of(System.getProperty("basedir", ""), "src", "test", "c", "named-vector.c");
  private final Path directory;
  private final Path program;

  /**
   * Compiles it.
   *
   * @param directory where the program goes, and what it says
   * @param options of the compiler
   */
  CReader(Path directory, String... options) throws IOException, InterruptedException {
    this.directory = directory;
    this.program = directory.resolve("named-vector");
    Path probe = Files.writeString(directory.resolve("probe.c"), "int main(void) { return 0; }\n");
    String missing = gcc(probe, directory.resolve("probe"));
    if ("required".equals(System.getProperty("ofi4j.interop"))) {
      assertThat(missing).as("a C compiler is there: apt-get install gcc libc6-dev").isEmpty();
    }
    assumeTrue(missing.isEmpty(), "no C program can be made: " + missing);
    assertThat(gcc(SOURCE, program, options)).isEmpty();
  }

  /** The control file of the vector of {@link NamedStores} in a directory. */
  static Path control(Path directory) {
    return ShareDirectory.at(directory.resolve("own")).control("domain", "vector");
  }

  /** What it prints of a vector. */
  List<String> read(Path control, int times) throws IOException, InterruptedException {
    assertThat(run(control, times)).as(errors()).isZero();
    return Files.readAllLines(directory.resolve("out"));
  }

  /** Why it refuses a vector; it prints nothing then. */
  String refusal(Path control) throws IOException, InterruptedException {
    assertThat(run(control, 1)).isEqualTo(1);
    assertThat(directory.resolve("out")).isEmptyFile();
    return errors();
  }

  private int run(Path control, int times) throws IOException, InterruptedException {
    return execute(List.of(program.toString(), control.toString(), Integer.toString(times)));
  }

  /** What the compiler has to complain about. */
  private String gcc(Path source, Path target, String... options)
      throws IOException, InterruptedException {
    try {
      List<String> command =
          new ArrayList<>(List.of("gcc", "-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic"));
      command.addAll(List.of(options));
      command.addAll(List.of("-Werror", "-o", target.toString(), source.toString()));
      int exit = execute(command);
      return exit == 0 ? "" : "gcc ends with " + exit + ": " + errors();
    } catch (IOException absent) {
      return "there is no gcc";
    }
  }

  private int execute(List<String> command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command)
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
    return Files.readString(directory.resolve("err"));
  }
}
