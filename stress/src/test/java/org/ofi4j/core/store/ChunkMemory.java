// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.MemorySource;

/**
 * Native memory, as stores really have it, that the garbage collector frees: jcstress makes stores
 * by the thousand and closes none. Pieces of large chunks, since each allocation of native memory
 * by itself takes longer than a test.
 */
public final class ChunkMemory implements MemorySource {
  private static final long CHUNK_BYTES = 1 << 20;

  /** A chunk of which nothing is given out twice; by one thread. */
  private static final class Chunk {
    private MemorySegment rest = MemorySegment.NULL;

    private MemorySegment take(long bytes) {
      if (rest.byteSize() < bytes) {
        rest = Arena.ofAuto().allocate(Math.max(CHUNK_BYTES, bytes), ALIGNMENT);
      }
      MemorySegment taken = rest.asSlice(0, bytes);
      rest = rest.asSlice(bytes);
      return taken;
    }
  }

  private static final ThreadLocal<Chunk> CHUNKS = ThreadLocal.withInitial(Chunk::new);

  private long held;

  @Override
  public MemorySegment allocate(long bytes) {
    held += bytes;
    return CHUNKS.get().take((bytes + ALIGNMENT - 1) & -ALIGNMENT).asSlice(0, bytes);
  }

  @Override
  public long held() {
    return held;
  }

  @Override
  public void checkOpen() {}

  @Override
  public void close() {}
}
