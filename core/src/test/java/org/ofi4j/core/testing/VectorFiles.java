// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The files of the vectors in a directory, without the sockets of those that are attached. */
public final class VectorFiles {
  private VectorFiles() {}

  /** Returns the files in a directory, sorted. */
  public static List<Path> of(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> !file.toString().endsWith(".alive")).sorted().toList();
    }
  }

  /** Returns the names of the files in a directory, sorted. */
  public static List<String> names(Path directory) throws IOException {
    return of(directory).stream().map(file -> String.valueOf(file.getFileName())).toList();
  }
}
