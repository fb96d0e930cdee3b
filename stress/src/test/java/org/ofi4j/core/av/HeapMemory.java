package org.ofi4j.core.av;

import java.lang.foreign.MemorySegment;

/**
 * Memory that the garbage collector frees: jcstress makes stores by the thousand and closes none.
 * What is a plain, acquire or release access of native memory is the same here.
 */
final class HeapMemory implements MemorySource {
  private long held;

  @Override
  public MemorySegment allocate(long bytes) {
    held += bytes;
    return MemorySegment.ofArray(new long[Math.toIntExact((bytes + 7) / 8)]);
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
