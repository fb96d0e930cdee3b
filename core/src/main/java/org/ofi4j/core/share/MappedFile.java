// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricException;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.object.Waiting;

/**
 * A file with the memory of a store, which is opened for one use at a time, such as to map a part.
 *
 * <p>Mapped parts become segments of the class that all other native memory has. Segments that a
 * channel maps are of another one. Code that comes upon both is compiled for both, and becomes too
 * large for its callers: searches in named vectors took half as long again as in private ones.
 */
abstract class MappedFile implements MemorySource {
  /** The most bytes of one segment, as a buffer has no more than 2^31 - 1. */
  static final long MOST = 1 << 30;

  final Path path;
  final Arena arena = Arena.ofShared();

  MappedFile(Path path) {
    this.path = path;
  }

  /** The use of an open file. */
  interface Use<T extends @Nullable Object> {
    /** Uses the file; again from the beginning if it was interrupted. */
    T of(FileChannel channel) throws IOException;
  }

  /**
   * Opens a file for one use. A channel is closed by the interruption of a thread that uses it; the
   * thread stays interrupted, and the use is completed all the same.
   */
  static <T extends @Nullable Object> T use(Path path, Use<T> use, OpenOption... options)
      throws IOException {
    return Waiting.<T, IOException>uninterrupted(() -> {
      try (FileChannel channel = FileChannel.open(path, options)) {
        return use.of(channel);
      } catch (ClosedByInterruptException again) {
        Thread.interrupted();
        throw new InterruptedException();
      }
    });
  }

  /**
   * Returns mapped memory as a segment of the usual class. A buffer of longs over mapped bytes is
   * mapped memory still, with the same lifetime and the same faults. It only cannot be asked to
   * write itself to the disk, which nothing does.
   *
   * @param mapped less than 2^31 bytes
   * @return the same bytes, without those at the end that do not fill a long
   */
  static MemorySegment plain(MemorySegment mapped) {
    return MemorySegment.ofBuffer(mapped.asByteBuffer().asLongBuffer());
  }

  @Override
  public boolean isMapped() {
    return true;
  }

  @Override
  public MemorySegment allocate(long bytes) {
    throw new IllegalStateException("memory of a file is taken for something, if it is not saved");
  }

  boolean isOpen() {
    return arena.scope().isAlive();
  }

  @Override
  public void checkOpen() {
    if (!isOpen()) {
      throw new IllegalStateException("the address vector's file is closed");
    }
  }

  FabricException damaged(String why) {
    return FileHeader.damaged("file " + path, why);
  }

  /** Unmaps the file, which stays where it is. Again does nothing. */
  @Override
  public synchronized void close() {
    if (isOpen()) {
      arena.close();
    }
  }

  @Override
  public String toString() {
    return path.toString();
  }
}
