// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import java.io.File;
import java.util.List;
import java.util.stream.Stream;

/** The class path and module path of this JVM, for processes that a test starts. */
public final class ClassPath {
  private ClassPath() {}

  /** Returns the files and directories of both paths. */
  public static List<String> entries() {
    return Stream.of("jdk.module.path", "java.class.path")
        .map(System::getProperty)
        .filter(path -> path != null && !path.isEmpty())
        .flatMap(path -> Stream.of(path.split(File.pathSeparator)))
        .toList();
  }

  /** Returns both paths as one class path. */
  public static String text() {
    return String.join(File.pathSeparator, entries());
  }
}
