// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.share.SavedFile;

/**
 * A copy of a saved vector's file, in one block of memory. To fill memory that the process has not
 * used yet takes longer than all else that copying is; so a thread does it while another one looks
 * whether the file is whole. What a file has that is not is thrown away.
 */
public final class CopiedFile implements Runnable {
  /** Fewer bytes are copied before a thread would have begun. */
  private static final long FEW = 1 << 20;

  private final SavedFile file;
  private final MemorySource memory;
  private final @Nullable Thread thread;

  /** Both are written by the thread, and read after its end. */
  private @Nullable MemorySegment copy;

  private @Nullable Throwable failure;

  /** Begins to copy a file whose header is right. */
  public CopiedFile(SavedFile file, MemorySource memory) {
    this.file = file;
    this.memory = memory;
    Thread started = null;
    if (file.bytes() > FEW) {
      try {
        started = new Thread(this, "ofi4j-copy");
        started.setDaemon(true);
        started.start();
      } catch (OutOfMemoryError noThread) {
        started = null;
      }
    }
    this.thread = started;
  }

  @Override
  public void run() {
    try {
      MemorySegment block = memory.allocate(file.bytes());
      file.copyTo(block);
      copy = block;
    } catch (Throwable failed) {
      // Thrown to who asks for the memory.
      failure = failed;
    }
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

  /**
   * The copy, in memory that goes with that of the source.
   *
   * @throws OutOfMemoryError if there is no memory for it
   * @throws InternalError if the file was cut
   */
  MemorySegment memory() {
    if (thread == null) {
      run();
    }
    await();
    MemorySegment block = copy;
    if (block != null) {
      return block;
    }
    if (failure instanceof Error error) {
      throw error;
    }
    throw new IllegalStateException(file + " was not copied", failure);
  }

  SavedFile file() {
    return file;
  }

  /** Where other memory comes from. */
  MemorySource source() {
    return memory;
  }
}
