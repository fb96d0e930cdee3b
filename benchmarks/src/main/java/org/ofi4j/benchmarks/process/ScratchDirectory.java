// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A directory for the time of a run. It goes with the process too if a signal ends the run. */
public final class ScratchDirectory implements AutoCloseable {
  /** How names begin: they say whose directory it is. */
  public static final String NAME = "ofi4j-bench-" + ProcessHandle.current().pid() + "-";

  private final Path path;
  private final Thread atExit = new Thread(this::clear, "ofi4j bench scratch directory");

  public ScratchDirectory() throws IOException {
    this(Path.of(System.getProperty("java.io.tmpdir")));
  }

  /** One in that directory. */
  public ScratchDirectory(Path parent) throws IOException {
    path = Files.createTempDirectory(parent, NAME);
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  public Path path() {
    return path;
  }

  private void clear() {
    try {
      List<Path> files;
      try (Stream<Path> found = Files.walk(path)) {
        files = found.sorted(Comparator.reverseOrder()).toList();
      }
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("cannot clear " + path + ": " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException ending) {
      // The hook runs already.
      return;
    }
    clear();
  }
}
