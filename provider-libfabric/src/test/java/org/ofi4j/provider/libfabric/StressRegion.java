// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Access;
import org.ofi4j.Domain;
import org.ofi4j.MemoryRegion;
import org.ofi4j.RemotePlace;
import org.ofi4j.TransferMemory;

/**
 * Memory that peers of the stress test write and read, with bytes around it that must never change.
 * It has a section for each writer.
 */
final class StressRegion {
  static final int SECTION = 4_096;
  static final int SECTIONS = 64;

  private static final long LENGTH = (long) SECTION * SECTIONS;
  private static final long GUARD = 8_192;
  private static final byte GUARDED = 0x5A;

  final String name;
  final boolean writable;
  private final TransferMemory memory;
  private final MemoryRegion region;
  private boolean closed;

  StressRegion(String name, Domain domain, boolean writable) {
    this.name = name;
    this.writable = writable;
    memory = domain.allocate(LENGTH + 2 * GUARD);
    memory.segment().fill(GUARDED);
    MemorySegment reached = memory.segment().asSlice(GUARD, LENGTH);
    region =
        writable
            ? domain.register(reached, Access.REMOTE_READ, Access.REMOTE_WRITE)
            : domain.register(reached, Access.REMOTE_READ);
  }

  RemotePlace place() {
    return region.place();
  }

  /** Ends access: from now on nothing of the memory may change. */
  void closeRegion() {
    region.close();
    closed = true;
    memory.segment().fill(GUARDED);
  }

  /** Finds what peers have written where they must not; null if there is nothing. */
  @Nullable String fault() {
    MemorySegment all = memory.segment();
    boolean whole = closed || !writable;
    for (long i = 0; i < all.byteSize(); i += Long.BYTES) {
      boolean guarded = i < GUARD || i >= GUARD + LENGTH;
      if ((whole || guarded)
          && all.get(ValueLayout.JAVA_LONG, i) != GUARDED * 0x0101010101010101L) {
        return "region "
            + name
            + (closed ? ", closed" : "")
            + (writable ? "" : ", for reading only")
            + ": byte "
            + (i - GUARD)
            + " of "
            + LENGTH
            + " was written";
      }
    }
    return null;
  }

  /** Gives the memory back. */
  void close() {
    if (!closed) {
      region.close();
    }
    memory.close();
  }
}
