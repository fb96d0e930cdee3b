// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.sharedmemory;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.ofi4j.provider.kit.SharedDirectory;

/**
 * The memory that an endpoint shares with peers on its host: those of the same user that see the
 * same directory under the same running kernel.
 *
 * @param directory of this user, for the files
 * @param host the same number in all processes that can share memory, and most likely another one
 *     elsewhere, where the files would not be found; 0 if the endpoint shares none
 * @param bytes the memory of a connection, each way
 */
public record MemorySharing(Path directory, long host, int bytes) {
  /** The endpoint shares none. */
  public static final MemorySharing NONE = new MemorySharing(Path.of(""), 0, 0);

  private static final Path BOOT = Path.of("/proc/sys/kernel/random/boot_id");

  /**
   * Returns the memory of an endpoint; {@link #NONE} if files cannot be shared here.
   *
   * @param bytes each way; 0 for none
   */
  public static MemorySharing of(int bytes) {
    if (bytes == 0) {
      return NONE;
    }
    try {
      Path directory = SharedDirectory.path();
      UUID boot = UUID.fromString(Files.readString(BOOT).trim());
      long host = boot.getMostSignificantBits() * 31 + boot.getLeastSignificantBits();
      for (String attribute : new String[] {"unix:dev", "unix:ino", "unix:uid"}) {
        Number value = (Number) Files.getAttribute(directory, attribute);
        host = host * 0x9E37_79B9_7F4A_7C15L + value.longValue();
      }
      boolean big = ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN;
      ConnectionFile.removeStale(directory);
      return new MemorySharing(directory, host << 2 | 2 | (big ? 1 : 0), bytes);
    } catch (IOException | RuntimeException foreign) {
      return NONE;
    }
  }
}
