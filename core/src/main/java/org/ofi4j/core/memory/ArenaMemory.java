// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory from one shared arena, up to a limit.
 *
 * <p>Closing the arena is atomic towards threads that read its segments: each access either
 * completes before or throws {@link IllegalStateException}.
 */
public class ArenaMemory implements MemorySource {
  private final Arena arena = Arena.ofShared();
  private volatile long limit;
  private volatile long held;

  /**
   * A source with a limit, so that running out of memory can be had at any size.
   *
   * @param limit the most bytes that may be held
   */
  public ArenaMemory(long limit) {
    this.limit = limit;
  }

  /**
   * Moves the limit.
   *
   * @param bytes the most bytes that may be held from now on; less than are held stops all growth
   */
  public final void limit(long bytes) {
    limit = bytes;
  }

  @Override
  public final synchronized MemorySegment allocate(long bytes) {
    if (bytes > limit - held) {
      throw new OutOfMemoryError(
          "address vector: " + bytes + " bytes more than " + held + " exceed the limit " + limit);
    }
    MemorySegment piece = arena.allocate(bytes, ALIGNMENT);
    held += bytes;
    return piece;
  }

  @Override
  public final long held() {
    return held;
  }

  @Override
  public final void checkOpen() {
    if (!arena.scope().isAlive()) {
      throw new IllegalStateException("the address vector's memory is closed");
    }
  }

  @Override
  public final synchronized void close() {
    if (arena.scope().isAlive()) {
      arena.close();
      held = 0;
    }
  }
}
