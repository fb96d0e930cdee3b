// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.output;

import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the first failure of a writer, which a {@link java.io.PrintWriter} in front of it would
 * forget. Safe for any thread.
 */
final class WatchedWriter extends Writer {
  private final Writer behind;
  private volatile @Nullable IOException failure;
  private volatile boolean used;

  WatchedWriter(Writer behind) {
    this.behind = behind;
  }

  /** Why output was lost, or null if none was. */
  @Nullable IOException failure() {
    return failure;
  }

  boolean used() {
    return used;
  }

  private void failed(IOException reason) {
    if (failure == null) {
      failure = reason;
    }
  }

  @Override
  public void write(char[] characters, int offset, int length) throws IOException {
    used = true;
    try {
      behind.write(characters, offset, length);
    } catch (IOException e) {
      failed(e);
      throw e;
    }
  }

  @Override
  public void flush() throws IOException {
    try {
      behind.flush();
    } catch (IOException e) {
      failed(e);
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    behind.close();
  }
}
