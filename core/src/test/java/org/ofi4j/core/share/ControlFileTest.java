// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Control files that come and go, and the names that a control file is for. */
class ControlFileTest {
  private static final String LONG = "a name of more than four and twenty bytes, ";
  private static final byte[] TRAITS = NamedVectorTest.TRAITS;
  private static final int OPENED = 20_000;

  @TempDir private Path directory;

  private ControlFile begun(String domain, String name) throws IOException {
    ControlFile file = new ControlFile(Files.createFile(directory.resolve("file")));
    file.clear();
    file.begin(domain, name, TRAITS);
    file.ready();
    return file;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "\u00e4\u00f6\ud83d\ude00", LONG + 1})
  void fitsItsNamesOnly(String name) throws IOException {
    try (ControlFile file = begun("lo", name)) {
      file.check("lo", name);
      for (String other : new String[] {"y", name + "\0", LONG + 2, "z" + name}) {
        assertThatThrownBy(() -> file.check("lo", other))
            .hasMessageContaining("EINVAL (22)")
            .hasMessageContaining("is not of vector \"" + other.replace("\0", "\\u0000") + "\"");
        assertThatThrownBy(() -> file.check(other, name))
            .hasMessageContaining("is not of domain \"" + other.replace("\0", "\\u0000") + "\"");
      }
    }
  }

  @Test
  void theNextFieldStaysAsItIs() throws IOException {
    try (ControlFile file = begun(LONG, LONG)) {
      file.check(LONG, LONG);
      assertThat(file.traits()).isEqualTo(TRAITS);
      byte[] salt = file.salt();
      assertThat(salt).hasSize(32).isNotEqualTo(new byte[32]);
      try (ControlFile copy = new ControlFile(file.path)) {
        copy.map();
        assertThat(copy.salt()).isEqualTo(salt);
        copy.check(LONG, LONG);
      }
    }
  }

  /** Callers try again after a NoSuchFileException; any other one would reach the application. */
  @Test
  @Tag("AV-041")
  void aFileThatGoesWhenItIsOpenedIsNotThere() throws IOException, InterruptedException {
    Path file = directory.resolve("file");
    AtomicBoolean over = new AtomicBoolean();
    Thread others =
        new Thread(() -> {
          try {
            while (!over.get()) {
              Files.createFile(file);
              // Long enough now and then for all that opening looks at.
              LockSupport.parkNanos(1);
              Files.delete(file);
            }
          } catch (IOException e) {
            throw new IllegalStateException(e);
          }
        });
    others.start();
    int found = 0;
    try {
      for (int i = 0; i < OPENED; i++) {
        try (ControlFile opened = new ControlFile(file)) {
          found += opened.channel.size() == 0 ? 1 : 0;
        } catch (NoSuchFileException gone) {
          continue;
        }
      }
    } finally {
      over.set(true);
      others.join();
    }
    assertThat(found).isPositive();
  }
}
