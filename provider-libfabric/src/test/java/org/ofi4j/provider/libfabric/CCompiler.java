// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;

/**
 * The compiler of C and libfabric as they are installed. What needs them is skipped where they are
 * missing, or fails if the system property {@code ofi4j.interop} is {@code required}.
 */
public final class CCompiler {
  /** The C sources of these tests; Surefire starts in any directory. */
  public static final Path SOURCES =
      Path.of(System.getProperty("basedir", "provider-libfabric"), "src", "test", "c");

  private static final String HOW =
      "apt-get install gcc libc6-dev libfabric-dev, or run without -Dofi4j.interop=required";

  private CCompiler() {}

  /** Skips or fails the test unless C with the headers of libfabric can be compiled. */
  public static void need(Path directory) throws Exception {
    Path probe = Files.writeString(directory.resolve("probe.c"), "#include <rdma/fabric.h>\n");
    String complaint;
    try {
      complaint = run(directory, "gcc", "-E", "-o", "probe.i", probe.toString());
    } catch (IOException absent) {
      complaint = "there is no gcc";
    }
    needed(complaint);
  }

  /** Skips or fails the test unless the installed libfabric has a provider. */
  public static void needProvider(String name) {
    InfoAnswer answer = new LibfabricProvider().info(Hints.latest().withProvider(name));
    needed(answer.offers().isEmpty() ? answer.refusals().toString() : "");
  }

  /**
   * Skips or fails the test unless the installed libfabric has one of some providers; no release
   * has all.
   *
   * @return those that it has
   */
  static List<String> needSome(List<String> names) {
    List<String> refusals = new ArrayList<>();
    List<String> present = new ArrayList<>();
    for (String name : names) {
      InfoAnswer answer = new LibfabricProvider().info(Hints.latest().withProvider(name));
      if (answer.offers().isEmpty()) {
        refusals.add(answer.refusals().toString());
      } else {
        present.add(name);
      }
    }
    needed(present.isEmpty() ? String.join(", ", refusals) : "");
    return present;
  }

  private static void needed(String complaint) {
    if ("required".equals(System.getProperty("ofi4j.interop"))) {
      assertThat(complaint).as(HOW).isEmpty();
    }
    assumeTrue(complaint.isEmpty(), complaint);
  }

  /** Compiles with all warnings, which are errors. */
  public static void compile(Path directory, String output, String... arguments) throws Exception {
    List<String> command =
        new ArrayList<>(
            List.of("gcc", "-O1", "-g", "-Wall", "-Wextra", "-Werror", "-pthread", "-o", output));
    command.addAll(List.of(arguments));
    assertThat(run(directory, command.toArray(String[]::new))).isEmpty();
  }

  /**
   * Runs a program in a directory; its output goes to the file {@code out} there.
   *
   * @return what it complains about if it fails; nothing if it does not
   */
  public static String run(Path directory, String... command) throws Exception {
    Path errors = directory.resolve("err");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectOutput(directory.resolve("out").toFile())
            .redirectError(errors.toFile())
            .start();
    try {
      return process.waitFor() == 0
          ? ""
          : "%s ends with %s: %s"
              .formatted(String.join(" ", command), process.exitValue(), Files.readString(errors));
    } finally {
      process.destroyForcibly();
    }
  }
}
