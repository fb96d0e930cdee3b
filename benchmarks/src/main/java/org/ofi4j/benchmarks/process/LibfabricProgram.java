// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** A program of ours in C, compiled against the libfabric of this machine. */
public final class LibfabricProgram {
  /** Drives the address vectors of a provider. */
  public static final String ADDRESS_VECTOR = "address-vector";

  /** Does what memory alone takes. */
  public static final String MEMORY = "memory";

  /** Exchanges messages with another one. */
  public static final String MESSAGES = "messages";

  private static final List<String> HEADERS = List.of("program.h", "libfabric.h", "lists.h");
  private static final String ADVICE =
      "To compare with libfabric, install a C compiler and libfabric's headers:"
          + " apt-get install gcc libc6-dev libfabric-dev (Debian, Ubuntu), dnf install gcc"
          + " libfabric-devel (Fedora); or set CC, CFLAGS and LDFLAGS to what finds them";
  private static final int PATIENCE_SECONDS = 300;

  private final Path directory;
  private final Path program;

  private LibfabricProgram(Path directory, Path program) {
    this.directory = directory;
    this.program = program;
  }

  /**
   * Compiles a program in a directory, which also takes its source and the compiler's messages. The
   * environment may name the compiler and its options.
   *
   * @throws LibfabricUnavailableException if compiler, headers or library are missing
   */
  public static LibfabricProgram compile(
      Path directory, String name, Map<String, String> environment)
      throws IOException, InterruptedException {
    String file = name + ".c";
    Path source = copy(file, directory);
    for (String header : HEADERS) {
      copy(header, directory);
    }
    Path program = directory.resolve(name);
    Path messages = directory.resolve("cc.txt");
    List<String> command = new ArrayList<>(words(environment, "CC", "cc"));
    command.addAll(words(environment, "CFLAGS", "-O2"));
    command.addAll(List.of("-o", program.toString(), source.toString()));
    command.addAll(words(environment, "LDFLAGS", ""));
    command.add("-lfabric");
    Process compiler;
    try {
      compiler =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(messages.toFile())
              .start();
    } catch (IOException e) {
      throw new LibfabricUnavailableException(
          "there is no C compiler " + command.getFirst() + ". " + ADVICE, e);
    }
    if (!compiler.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      compiler.destroyForcibly();
      throw new LibfabricUnavailableException(
          String.join(" ", command) + " does not end within " + PATIENCE_SECONDS + " s", null);
    }
    if (compiler.exitValue() != 0) {
      String first =
          Files.readAllLines(messages).stream()
              .filter(line -> line.contains("error") || line.contains("cannot find"))
              .findFirst()
              .orElse("exit status " + compiler.exitValue());
      throw new LibfabricUnavailableException(
          "libfabric's headers or library cannot be used ("
              + first.replace(directory + "/", "")
              + "). "
              + ADVICE,
          null);
    }
    return new LibfabricProgram(directory, program);
  }

  private static Path copy(String file, Path directory) throws IOException {
    Path copy = directory.resolve(file);
    try (InputStream resource = LibfabricProgram.class.getResourceAsStream(file)) {
      Files.copy(Objects.requireNonNull(resource, file), copy, StandardCopyOption.REPLACE_EXISTING);
    }
    return copy;
  }

  /** The executable file. */
  public Path path() {
    return program;
  }

  /** Makes an empty directory beside it. */
  public Path newDirectory(String name) throws IOException {
    return Files.createTempDirectory(directory, name);
  }

  private static List<String> words(
      Map<String, String> environment, String variable, String otherwise) {
    String value = environment.getOrDefault(variable, "");
    String chosen = value.isBlank() ? otherwise : value;
    return chosen.isBlank() ? List.of() : List.of(chosen.strip().split("\\s+"));
  }
}
