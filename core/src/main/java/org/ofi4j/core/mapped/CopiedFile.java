// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.share.SavedFile;

/**
 * Memory that begins as a copy of a saved vector's file, in one block. To fill memory that the
 * process has not used yet takes longer than all else that copying is; so a thread does it while
 * another one looks whether the file is whole. What a file has that is not is thrown away. The
 * file, which tells where pieces are, is of no use once there is a store.
 */
public final class CopiedFile implements MemorySource {
  /** Fewer bytes are copied before a thread would have begun. */
  private static final long FEW = 1 << 20;

  private final SavedFile file;
  private final MemorySource memory;
  private final FutureTask<MemorySegment> copying;
  private final @Nullable Thread thread;

  /**
   * Begins to copy a file whose header is right.
   *
   * @param memory where memory comes from; closed with this
   */
  public CopiedFile(SavedFile file, MemorySource memory) {
    this.file = file;
    this.memory = memory;
    this.copying = new FutureTask<>(() -> copy(file, memory));
    Thread started = null;
    if (file.bytes() > FEW) {
      try {
        started = new Thread(copying, "ofi4j-copy");
        started.setDaemon(true);
        started.start();
      } catch (OutOfMemoryError noThread) {
        started = null;
      }
    }
    this.thread = started;
  }

  private static MemorySegment copy(SavedFile file, MemorySource memory) {
    MemorySegment block = memory.allocate(file.bytes());
    file.copyTo(block);
    return block;
  }

  /** Waits until nothing is copied any more. */
  public void await() {
    Thread running = thread;
    if (running == null) {
      return;
    }
    Waiting.uninterrupted(() -> {
      running.join();
      return true;
    });
  }

  SavedFile file() {
    return file;
  }

  @Override
  public MemorySegment allocate(long bytes) {
    return memory.allocate(bytes);
  }

  @Override
  public int pieces() {
    return file.pieces();
  }

  @Override
  public int tag(int piece) {
    return file.tag(piece);
  }

  /**
   * {@inheritDoc}
   *
   * @throws OutOfMemoryError if there is no memory for the copy
   * @throws InternalError if the file was cut
   */
  @Override
  public MemorySegment piece(int piece, long bytes) {
    return copy().asSlice(file.position(piece, bytes), bytes, SavedFile.ALIGNMENT);
  }

  private MemorySegment copy() {
    // Without a thread; where there is one, this does nothing.
    copying.run();
    try {
      return Waiting.uninterrupted(copying::get);
    } catch (ExecutionException failed) {
      if (failed.getCause() instanceof Error error) {
        throw error;
      }
      throw new IllegalStateException(file + " was not copied", failed.getCause());
    }
  }

  @Override
  public long held() {
    return memory.held();
  }

  @Override
  public void checkOpen() {
    memory.checkOpen();
  }

  @Override
  public void close() {
    memory.close();
  }
}
