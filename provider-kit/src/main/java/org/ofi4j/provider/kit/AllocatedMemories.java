// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.foreign.MemorySegment;
import java.util.Map;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.TransferMemory;
import org.ofi4j.core.object.Lifetime;

/**
 * The open memories that a domain has allocated, by address. Operations refer to what they send and
 * receive into, so a closed memory is freed by the garbage collector after the last of them.
 */
final class AllocatedMemories {
  private final ConcurrentNavigableMap<Long, Allocated> byAddress = new ConcurrentSkipListMap<>();

  /** Allocates memory. */
  TransferMemory allocate(Domain domain, long bytes) {
    Allocated memory = new Allocated(domain, bytes);
    byAddress.put(memory.address, memory);
    return memory;
  }

  /** Returns the lifetime of the open memory that a segment is part of; null if there is none. */
  @Nullable Lifetime owner(MemorySegment part) {
    Map.Entry<Long, Allocated> before =
        part.isNative() ? byAddress.floorEntry(part.address()) : null;
    return before != null && part.address() < before.getKey() + before.getValue().bytes
        ? before.getValue().lifetime()
        : null;
  }

  private final class Allocated extends AllocatedMemory {
    final long address;
    final long bytes;

    Allocated(Domain domain, long bytes) {
      super(domain, bytes, false);
      this.bytes = bytes;
      address = segment().address();
    }

    @Override
    protected void release() {
      byAddress.remove(address);
    }
  }
}
