// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What is done with an open file. */
interface FileUse<T extends @Nullable Object> {
  /** Uses the file; again from the beginning, or from where it was, if it was interrupted. */
  T of(FileChannel channel) throws IOException;

  /**
   * Opens a file for one use. A channel is closed by the interruption of a thread that uses it; the
   * thread stays interrupted, and what it does is done all the same.
   */
  static <T extends @Nullable Object> T uninterrupted(
      Path path, Set<? extends OpenOption> options, FileUse<T> use) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        try (FileChannel channel = FileChannel.open(path, options)) {
          return use.of(channel);
        } catch (ClosedByInterruptException again) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
