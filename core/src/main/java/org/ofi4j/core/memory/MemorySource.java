// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

import java.lang.foreign.MemorySegment;

/**
 * Where one store allocates its memory. Pieces are never freed one by one: a reader may still be
 * looking at them. The store's structures use them again and again, and {@link #close} ends them
 * all.
 *
 * <p>Writers allocate, one at a time; any thread may close and ask what is held.
 */
public interface MemorySource extends AutoCloseable {
  /** Alignment of every piece: that of a cache line. */
  long ALIGNMENT = 64;

  /** A new source that allocates from the system, for one store. */
  static MemorySource system() {
    return new ArenaMemory(Long.MAX_VALUE);
  }

  /**
   * Allocates memory.
   *
   * @param bytes how much, more than 0
   * @return zeros, aligned to {@link #ALIGNMENT}, that any thread may use until {@link #close}
   * @throws OutOfMemoryError if there is not enough; then nothing was allocated
   */
  MemorySegment allocate(long bytes);

  /**
   * As {@link #allocate(long)}, of what other processes are to find; it is there from {@link
   * #count} on.
   *
   * @param tag what it is for: a page as {@code SlotPages} says, a slab by {@code -1 -} its number
   * @throws OutOfMemoryError as there
   */
  default MemorySegment allocate(long bytes, int tag) {
    return allocate(bytes);
  }

  /** Lets other processes find what was allocated last. */
  default void count() {}

  /** Whether this memory is that of a file, which may be cut. */
  default boolean isMapped() {
    return false;
  }

  /** Whether other processes have this memory too, and may take pieces of it at any moment. */
  default boolean isShared() {
    return false;
  }

  /**
   * How many pieces there are: those from before, and if it is shared those that others took. They
   * are numbered in the order in which they were allocated. What is loaded after this is as new as
   * the last of them. Any thread may ask for pieces.
   */
  default int pieces() {
    return 0;
  }

  /** What one of the {@link #pieces} is for; see {@link #allocate(long, int)}. */
  default int tag(int piece) {
    throw new IndexOutOfBoundsException(piece);
  }

  /** One of the {@link #pieces}, which must have so many bytes. */
  default MemorySegment piece(int piece, long bytes) {
    throw new IndexOutOfBoundsException(piece);
  }

  /** How many bytes all pieces have; 0 once closed. */
  long held();

  /**
   * For those that have no memory to look at.
   *
   * @throws IllegalStateException if closed
   */
  void checkOpen();

  /** Frees everything. Using a piece afterwards throws {@link IllegalStateException}. */
  @Override
  void close();
}
