// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Whether a peer is there, as far as libfabric must not be asked. Provider {@code shm} before 2.0
 * gives all peers that are not there the same handle, and what is sent to one of them then reaches
 * another: so it is told of a peer only when the peer's file is there.
 *
 * @param looks whether to look for a file
 */
record PeerPresence(boolean looks) {
  private static final Path MEMORY = Path.of("/dev/shm");
  private static final String SEPARATOR = "://";

  /** Whether the peer of a packed address, text with its zero byte, is there. */
  boolean isThere(byte[] address) {
    if (!looks) {
      return true;
    }
    Path file = file(address);
    try {
      return file == null || Files.size(file) > 0;
    } catch (IOException absent) {
      return false;
    }
  }

  /** The file of an endpoint of {@code shm}; null if the address names none. */
  static @org.jspecify.annotations.Nullable Path file(byte[] address) {
    String text = new String(address, 0, address.length - 1, StandardCharsets.UTF_8);
    int separator = text.indexOf(SEPARATOR);
    String name = separator < 0 ? text : text.substring(separator + SEPARATOR.length());
    return name.isEmpty() || name.contains("/") ? null : MEMORY.resolve(name);
  }
}
