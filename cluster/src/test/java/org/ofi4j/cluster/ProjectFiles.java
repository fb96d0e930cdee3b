// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cluster;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Pages and sources, wherever the tests were started. */
final class ProjectFiles {
  private static final Path HERE = Path.of("").toAbsolutePath();
  private static final Path ROOT = Files.exists(HERE.resolve("docs")) ? HERE : HERE.getParent();

  private ProjectFiles() {}

  /** The page about jobs and services. */
  static String page() throws IOException {
    return Files.readString(ROOT.resolve("docs/cluster.md"));
  }

  static String source(Class<?> test) throws IOException {
    String path = test.getName().replace('.', '/') + ".java";
    return Files.readString(ROOT.resolve("cluster/src/test/java").resolve(path));
  }
}
