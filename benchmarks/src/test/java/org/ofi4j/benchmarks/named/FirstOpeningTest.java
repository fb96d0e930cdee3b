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

/** What a JVM loads to open its first vector; times are left to the benchmark. */
class FirstOpeningTest {
  @ParameterizedTest
  @EnumSource(names = {"NAMED", "SAVED_READ", "SAVED_COPY"})
  void noVectorLooksForProvidersOfSecurityOrOtherProcesses(Opening opening, @TempDir Path directory)
      throws Exception {
    assertThat(loaded(opening, directory))
        .contains("org.ofi4j.core.store.SegmentEntryStore")
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
    options.add("-Xlog:class+load:file=" + log + ":none");
    options.add("-Dofi4j.share.directory=" + shared);
    List<String> command = JvmCommand.of(FirstOpening.class, options);
    command.addAll(List.of(opening.name(), "first", file.toString()));
    Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(jvm.getInputStream().readAllBytes());
    assertThat(jvm.waitFor()).as(output).isZero();

    List<String> names = new ArrayList<>();
    for (String line : Files.readAllLines(log)) {
      names.add(line.substring(0, Math.max(0, line.indexOf(' '))));
    }
    return names.stream().dropWhile(name -> !name.startsWith("org.ofi4j.core.")).toList();
  }
}
