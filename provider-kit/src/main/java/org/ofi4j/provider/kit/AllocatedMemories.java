// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The open memories that a domain has allocated, by address. Any thread may call; finding one takes
 * no lock and makes no garbage.
 *
 * @param <M> the memories
 */
public final class AllocatedMemories<M extends AllocatedMemory> {
  /** By address; replaced by each change. */
  private volatile List<M> sorted = List.of();

  /** Creates a list without memories. */
  public AllocatedMemories() {}

  /**
   * Adds memory.
   *
   * @param memory the memory, which is open
   */
  public synchronized void add(M memory) {
    List<M> more = new ArrayList<>(sorted);
    more.add(memory);
    more.sort(Comparator.comparingLong(AllocatedMemory::address));
    sorted = List.copyOf(more);
  }

  /**
   * Removes memory.
   *
   * @param memory the memory, which is being closed
   */
  public synchronized void remove(M memory) {
    List<M> fewer = new ArrayList<>(sorted);
    fewer.remove(memory);
    sorted = List.copyOf(fewer);
  }

  /**
   * Returns the memory that some bytes are part of.
   *
   * @param address the address of the first byte
   * @param length the number of bytes
   * @return the memory; null if there is none
   */
  public @Nullable M find(long address, long length) {
    List<M> all = sorted;
    int low = 0;
    int high = all.size();
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (all.get(middle).address() <= address) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    M before = low == 0 ? null : all.get(low - 1);
    return before != null && before.contains(address, length) ? before : null;
  }
}
