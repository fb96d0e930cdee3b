// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The id of this process. Where the system tells it by a link, that is read: {@link ProcessHandle}
 * makes threads ready to wait for other processes first, and takes longer than a vector to open.
 */
final class OwnProcess {
  private static final long ID = find();

  private OwnProcess() {}

  /** The id, as {@link ProcessHandle#pid()} of this process. */
  static long id() {
    return ID;
  }

  private static long find() {
    try {
      return Long.parseLong(String.valueOf(Files.readSymbolicLink(Path.of("/proc/self"))));
    } catch (IOException | UnsupportedOperationException | NumberFormatException none) {
      return ProcessHandle.current().pid();
    }
  }
}
