// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;

/**
 * What a JVM loads to open its first vector, which is most of what that takes; times are left to
 * the benchmark.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class FirstOpeningTest {
  /** A few more of the engine than there are, those for vectors with names among them. */
  private static final int MOST_CLASSES = 190;

  /** So many of the engine may be loaded while a vector is opened; all in all there are 130. */
  private static final int MOST_OWN_CLASSES = 50;

  @Test
  void aSavedVectorIsReadWithFewClasses(@TempDir Path directory) throws Exception {
    List<String> loaded = loaded(Opening.SAVED_READ, directory);

    List<String> own = loaded.stream().filter(name -> name.startsWith("org.ofi4j.core.")).toList();
    assertThat(own).hasSizeLessThan(MOST_CLASSES);
    assertThat(own)
        .filteredOn(name -> name.contains("$$Lambda"))
        .as("those of size() and close()")
        .hasSizeLessThanOrEqualTo(3);
    assertThat(loaded)
        .doesNotContain("org.ofi4j.core.av.StoreChanges", "org.ofi4j.core.av.NameResolution");
  }

  @ParameterizedTest
  @EnumSource(names = {"NAMED", "SAVED_READ", "SAVED_COPY"})
  void noVectorLooksForProvidersOfSecurityOrOtherProcesses(Opening opening, @TempDir Path directory)
      throws Exception {
    assertThat(loaded(opening, directory))
        .contains("org.ofi4j.core.av.SegmentEntryStore")
        .doesNotContain(
            "java.security.SecureRandom", "java.security.Provider", "java.lang.ProcessHandleImpl");
  }

  /** Most of the engine is there when a vector is opened: a thread has loaded it meanwhile. */
  @ParameterizedTest
  @EnumSource(names = {"NAMED", "SAVED_READ", "SAVED_COPY"})
  void hardlyAnythingIsLoadedByWhoOpensAVector(Opening opening, @TempDir Path directory)
      throws Exception {
    Assumptions.assumeTrue(Runtime.getRuntime().availableProcessors() > 1);
    List<String> loaded =
        loaded(
            PreparedOpening.class,
            "org.ofi4j.benchmarks.PreparedOpening$Begin",
            opening,
            directory);

    assertThat(loaded.stream().filter(name -> name.startsWith("org.ofi4j.core.")))
        .hasSizeLessThan(MOST_OWN_CLASSES);
    assertThat(loaded).doesNotContain("java.lang.foreign.Arena");
  }

  /** What is loaded from the first class on that only vectors need. */
  private static List<String> loaded(Opening opening, Path directory) throws Exception {
    return loaded(FirstOpening.class, "org.ofi4j.core.av.FirstVector", opening, directory);
  }

  private static List<String> loaded(Class<?> main, String from, Opening opening, Path directory)
      throws Exception {
    Path file = directory.resolve("saved");
    try (SharingDomain domain = new SharingDomain();
        AddressVector vector = domain.open(AvAttributes.table())) {
      NamedWork.fill(vector, AddressPattern.SCATTERED, 1000);
      vector.save(file);
    }
    Path shared = Files.createTempDirectory(directory, "shared");
    Path log = directory.resolve("classes.log");
    List<String> options = new ArrayList<>();
    options.add("-Xlog:class+load:file=" + log + ":none");
    options.add("-Dofi4j.share.directory=" + shared);
    if (main.getModule().isNamed()) {
      // So that it has what is of the tests.
      options.add("--patch-module=" + main.getModule().getName() + "=" + root(main));
    }
    List<String> command = JvmCommand.of(main, options);
    command.addAll(List.of(opening.name(), "first", file.toString()));
    Process jvm = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(jvm.getInputStream().readAllBytes());
    assertThat(jvm.waitFor()).as(output).isZero();

    List<String> names = new ArrayList<>();
    for (String line : Files.readAllLines(log)) {
      names.add(line.substring(0, Math.max(0, line.indexOf(' '))));
    }
    int first = names.indexOf(from);
    assertThat(first).as(output).isPositive();
    return names.subList(first, names.size());
  }

  /** The directory that a class comes from. */
  private static Path root(Class<?> type) throws Exception {
    String file = type.getName().replace('.', '/') + ".class";
    Path root = Path.of(requireNonNull(type.getResource("/" + file)).toURI());
    for (String ignored : file.split("/", -1)) {
      root = requireNonNull(root.getParent());
    }
    return root;
  }
}
