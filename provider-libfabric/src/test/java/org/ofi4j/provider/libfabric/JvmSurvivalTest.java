// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A JVM lives on with libfabric in it, and leaves nothing behind when it ends. */
class JvmSurvivalTest {
  private static final Path MEMORY = Path.of("/dev/shm");

  @BeforeAll
  static void needShm() {
    CCompiler.needProvider("shm");
  }

  /** The files of a process: names of shm begin with the process number. */
  private static Set<String> files(long pid) throws IOException {
    try (Stream<Path> files = Files.list(MEMORY)) {
      return files
          .map(each -> each.getFileName().toString())
          .filter(name -> name.matches(pid + "\\D.*"))
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  @Test
  @DisplayName("Faults that are exceptions in Java stay such while fabrics come and go")
  void faultsAreExceptions(@TempDir Path directory) throws Exception {
    try (ChildJvm jvm =
        ChildJvm.start(
            SurvivalProgram.class,
            List.of(ChildJvm.NATIVE),
            "faults",
            directory.resolve("mapped").toString())) {
      String said = jvm.line();
      assertThat(jvm.exitStatus()).as("%s", jvm.errors()).isZero();
      assertThat(said).isEqualTo("survived");
      assertThat(jvm.errors()).isEmpty();
      assertThat(files(jvm.pid())).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exit", "end", "terminated"})
  @DisplayName("A JVM that ends with endpoints open leaves no file of theirs")
  void nothingIsLeftBehind(String way) throws Exception {
    try (ChildJvm jvm =
        ChildJvm.start(SurvivalProgram.class, List.of(ChildJvm.NATIVE), "exit", way)) {
      List<String> said = new ArrayList<>();
      while (said.stream().filter(line -> line.startsWith("endpoint ")).count() < 2) {
        said.add(jvm.demandedLine());
      }
      if (way.equals("terminated")) {
        assertThat(files(jvm.pid())).hasSizeGreaterThanOrEqualTo(2);
        new ProcessBuilder("kill", "-TERM", Long.toString(jvm.pid())).start().waitFor();
      }
      int expected =
          switch (way) {
            case "exit" -> 3;
            case "end" -> 0;
            default -> 128 + 15;
          };
      assertThat(jvm.exitStatus()).as("%s", jvm.errors()).isEqualTo(expected);
      assertThat(jvm.errors()).isEmpty();
      assertThat(files(jvm.pid())).as("%s", said).isEmpty();
    }
  }
}
