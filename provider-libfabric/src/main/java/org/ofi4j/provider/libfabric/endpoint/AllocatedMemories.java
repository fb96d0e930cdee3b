// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric.endpoint;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.provider.libfabric.memory.MessageBuffers;
import org.ofi4j.provider.libfabric.memory.MessageBuffers.Registration;
import org.ofi4j.provider.libfabric.progress.LockedFabric;

/** The memory that a domain has allocated, by address. Guarded by the lock of the domain. */
final class AllocatedMemories {
  private final LockedFabric locked;
  private final MessageBuffers.Registrar registrar;
  private long[] addresses = {};
  private NativeMemory[] memories = {};

  /** The one that was found last; null if it is closed. */
  private @Nullable NativeMemory last;

  /**
   * Creates the list of a domain, empty at first.
   *
   * @param locked has the lock of the domain
   * @param registrar registers memory where the fabric demands that
   */
  AllocatedMemories(LockedFabric locked, MessageBuffers.Registrar registrar) {
    this.locked = locked;
    this.registrar = registrar;
  }

  void lock() {
    locked.lock();
  }

  void unlock() {
    locked.unlock();
  }

  /** Registers memory; null where that is not demanded. With the lock held. */
  @Nullable Registration register(MemorySegment memory) {
    return registrar.register(memory);
  }

  void add(NativeMemory memory) {
    int place = -1 - Arrays.binarySearch(addresses, memory.address());
    int count = addresses.length;
    long[] longer = Arrays.copyOf(addresses, count + 1);
    NativeMemory[] more = Arrays.copyOf(memories, count + 1);
    System.arraycopy(addresses, place, longer, place + 1, count - place);
    System.arraycopy(memories, place, more, place + 1, count - place);
    longer[place] = memory.address();
    more[place] = memory;
    addresses = longer;
    memories = more;
  }

  void remove(NativeMemory memory) {
    int place = Arrays.binarySearch(addresses, memory.address());
    int count = addresses.length;
    long[] fewer = Arrays.copyOf(addresses, count - 1);
    NativeMemory[] rest = Arrays.copyOf(memories, count - 1);
    System.arraycopy(addresses, place + 1, fewer, place, count - 1 - place);
    System.arraycopy(memories, place + 1, rest, place, count - 1 - place);
    addresses = fewer;
    memories = rest;
    last = null;
  }

  /** The one that some memory is part of; null if there is none. */
  @Nullable NativeMemory find(long address, long length) {
    NativeMemory recent = last;
    if (recent != null && recent.contains(address, length)) {
      return recent;
    }
    if (addresses.length == 0) {
      return null;
    }
    int place = Arrays.binarySearch(addresses, address);
    int before = place >= 0 ? place : -2 - place;
    if (before < 0 || !memories[before].contains(address, length)) {
      return null;
    }
    last = memories[before];
    return last;
  }
}
