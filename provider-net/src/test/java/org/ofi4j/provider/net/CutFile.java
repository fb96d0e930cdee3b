// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Memory that faults: a mapped file that has become shorter. */
public final class CutFile {
  private CutFile() {}

  /**
   * Maps a new file, then cuts it.
   *
   * @param size how much of it is mapped
   * @param usable how much of that can be accessed still
   */
  public static MemorySegment map(Path file, int size, long usable, Arena arena)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.allocate(size));
      MemorySegment mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, size, arena);
      channel.truncate(usable);
      return mapped;
    }
  }
}
