// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("system properties hold for the whole JVM")
class ShareDirectoryTest {
  private static final String NAME = "user.name";

  private final String name = System.getProperty(NAME);
  private final String directory = System.getProperty(ShareDirectory.PROPERTY);

  @TempDir private Path files;

  @AfterEach
  void restore() {
    set(NAME, name);
    set(ShareDirectory.PROPERTY, directory);
  }

  private static void set(String property, String value) {
    if (value == null) {
      System.clearProperty(property);
    } else {
      System.setProperty(property, value);
    }
  }

  /** In the locale C the same name has other characters, and without an entry it is "?". */
  @Test
  void theNumberOfTheUserNamesTheDirectoryWhateverItsName() throws Exception {
    System.clearProperty(ShareDirectory.PROPERTY);
    Object number = Files.getAttribute(files, "unix:uid");
    for (String each : new String[] {name, "M\u00FCller", "M\uFFFD\uFFFDller", "?"}) {
      set(NAME, each);
      assertThat(ShareDirectory.ofUser().path().getFileName()).hasToString("ofi4j-" + number);
    }
  }
}
