// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Who asks for a version knows where to look for what depends on it. */
class VersionComparisonsTest {
  /** A comparison with a version or an edition, or the choice of one. */
  private static final Pattern COMPARISON =
      Pattern.compile(
          "\\.isAtLeast\\s*\\(|\\bProfile\\s*\\.|\\.profile\\(\\)\\s*(==|!=|\\.)"
              + "|[vV]ersion(\\(\\))?\\s*\\.\\s*(compareTo|equals|major|minor)\\b"
              + "|\\bswitch\\s*\\([^)]*\\b(profile|[vV]ersion)\\b");

  private static final List<Path> SOURCES =
      List.of(
          Path.of("../core/src/main/java"),
          Path.of("../provider-kit/src/main/java"),
          Path.of("src/main/java"));

  @Test
  void oneClassOfEachModuleComparesVersions() throws IOException {
    TreeSet<String> found = new TreeSet<>();
    for (Path sources : SOURCES) {
      try (Stream<Path> files = Files.walk(sources)) {
        for (Path file : files.filter(path -> path.toString().endsWith(".java")).toList()) {
          if (COMPARISON.matcher(Files.readString(file)).find()) {
            found.add(file.getFileName().toString());
          }
        }
      }
    }
    assertThat(found).containsExactly("HintCheck.java", "VectorRules.java");
  }
}
