// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What messages may say. */
class MessageTextTest {
  /** A text within one line of a source that names a rule or a decision of this project. */
  private static final Pattern RULE_ID =
      Pattern.compile("\"(?:[^\"\\\\]|\\\\.)*\\b(?:AV|D|A)-\\d{2,}");

  @ParameterizedTest
  @ValueSource(strings = {"api", "core", "provider-kit", "provider-net"})
  @DisplayName("No message names a rule by its id, which means nothing to who reads it")
  void noMessageNamesARule(String module) throws IOException {
    try (Stream<Path> sources = Files.walk(Path.of("..", module, "src", "main", "java"))) {
      List<Path> all = sources.filter(path -> path.toString().endsWith(".java")).toList();
      assertThat(all).isNotEmpty();
      for (Path source : all) {
        assertThat(Files.readAllLines(source).stream().map(String::strip))
            .as(source.toString())
            .noneMatch(line -> !line.startsWith("*") && RULE_ID.matcher(line).find());
      }
    }
  }
}
