// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;

/**
 * Mapped parts of files, as segments of the class that all other native memory has. Segments that a
 * channel maps are of another one. Code that comes upon both is compiled for both, and becomes too
 * large for its callers: searches in named vectors took half as long again as in private ones.
 *
 * <p>A buffer of longs over mapped bytes is mapped memory still, with the same lifetime and the
 * same faults. All that it has lost is being asked to write itself to the disk, and nobody does.
 */
final class FileMemory {
  /** The most bytes of one segment, as a buffer has no more than 2^31 - 1. */
  static final long MOST = 1 << 30;

  private FileMemory() {}

  /**
   * Maps a part of a file.
   *
   * @param mode for reading or for writing
   * @param bytes its length, a multiple of 8, at most {@link #MOST}
   * @return its bytes
   * @throws IOException if it cannot be mapped
   */
  static MemorySegment map(FileChannel channel, MapMode mode, long start, long bytes, Arena arena)
      throws IOException {
    return plain(channel.map(mode, start, bytes, arena));
  }

  /**
   * Mapped memory as a segment of the usual class.
   *
   * @param mapped less than 2^31 bytes
   * @return the same bytes, without those at the end that do not fill a long
   */
  static MemorySegment plain(MemorySegment mapped) {
    return MemorySegment.ofBuffer(mapped.asByteBuffer().asLongBuffer());
  }
}
