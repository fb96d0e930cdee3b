// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.named;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressVector;
import org.ofi4j.VectorOptions;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.process.JvmCommand;
import org.ofi4j.benchmarks.vector.AddressParts;
import org.ofi4j.benchmarks.vector.VectorFactory;

/**
 * The classes that the thread loads which opens the first vector of a JVM; times are left to the
 * benchmark. The thread that begins to listen loads a provider of security, and delays no other.
 */
class FirstOpeningTest {
  @ParameterizedTest
  @EnumSource(names = {"NAMED", "SAVED_READ", "SAVED_COPY"})
  void noVectorLooksForProvidersOfSecurityOrOtherProcesses(Opening opening, @TempDir Path directory)
      throws Exception {
    assertThat(loaded(opening, directory))
        .contains("org.ofi4j.core.store.EntryStore")
        .doesNotContain(
            "java.security.SecureRandom", "java.security.Provider", "java.lang.ProcessHandleImpl");
  }

  /** What is loaded from the first class of the engine on. */
  private static List<String> loaded(Opening opening, Path directory) throws Exception {
    Path file = directory.resolve("saved");
    try (VectorFactory domain = VectorFactory.sharing(Family.IPV4);
        AddressVector vector = domain.open(VectorOptions.table())) {
      AddressParts.fill(vector, AddressPattern.SCATTERED, 1000);
      vector.save(file);
    }
    Path shared = Files.createTempDirectory(directory, "shared");
    Path log = directory.resolve("classes.log");
    List<String> options = new ArrayList<>();
    options.add("-Xlog:class+load:file=" + log + ":tid");
    options.add("-Dofi4j.share.directory=" + shared);
    List<String> command = JvmCommand.of(FirstOpening.class, options);
    command.addAll(List.of(opening.name(), "first", file.toString()));
    Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(jvm.getInputStream().readAllBytes());
    assertThat(jvm.waitFor()).as(output).isZero();

    // Each line is "[THREAD] CLASS source: ...".
    List<String[]> lines =
        Files.readAllLines(log).stream().map(line -> line.split("[\\[\\] ]+", -1)).toList();
    String engine = "org.ofi4j.core.store.EntryStore";
    String opener =
        lines.stream().filter(line -> line[2].equals(engine)).findAny().orElseThrow()[1];
    return lines.stream()
        .filter(line -> line[1].equals(opener))
        .map(line -> line[2])
        .dropWhile(name -> !name.startsWith("org.ofi4j.core."))
        .toList();
  }
}
