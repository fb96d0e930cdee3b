// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.StoreOptions;

/** Memory that has entries already: that of a file. */
final class BegunMemory {
  private BegunMemory() {}

  /** A store that begins with what there is in memory, and has the seed of that. */
  static SegmentEntryStore store(MemorySource memory, StoreOptions options) {
    MemorySegment root = memory.piece(0, SlabAllocator.slabBytes(0));
    return new SegmentEntryStore(options.withSeed(root.get(JAVA_LONG, Superblock.SEED)), memory);
  }
}
