// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that are opened while they come and go. */
@Tag("AV-041")
class UndisturbedChannelTest {
  private static final int OPENED = 20_000;

  @TempDir private Path directory;

  /** Callers try again after a NoSuchFileException; any other one would reach the application. */
  @Test
  void aFileThatGoesWhenItIsOpenedIsNotThere() throws IOException, InterruptedException {
    Path file = directory.resolve("file");
    AtomicBoolean over = new AtomicBoolean();
    Thread others =
        new Thread(() -> {
          try {
            while (!over.get()) {
              Files.createFile(file);
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
        try (UndisturbedChannel opened = new UndisturbedChannel(file)) {
          found += opened.size() == 0 ? 1 : 0;
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
