// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.ofi4j.core.free.FreeIndexLookups;
import org.ofi4j.core.memory.SegmentAccess;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/** What any thread may ask of {@link OverflowSlots}, lock-free. */
public final class OverflowSlotLookups {
  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(OverflowSlotLookups.class, "count", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final MemorySegment root;

  /** Whether other processes change the number in the root too. */
  private final boolean shared;

  private final FreeIndexLookups free;
  private final SideRecordLookups side;

  /** How many there are, if no other process changes it: sooner found than in the root. */
  private int count;

  OverflowSlotLookups(SlabAllocator allocator, FreeIndexLookups free, SideRecordLookups side) {
    this.root = allocator.root();
    this.shared = allocator.isShared();
    this.free = free;
    this.side = side;
  }

  public int count() {
    return shared
        ? SegmentAccess.intAcquire(root, Superblock.OVERFLOW_SLOTS)
        : (int) COUNT.getAcquire(this);
  }

  /** The same, for the writer. */
  int stored() {
    return shared ? root.get(JAVA_INT, Superblock.OVERFLOW_SLOTS) : count;
  }

  /** Says how many there are from now on; for the writer. */
  void count(int now) {
    COUNT.setRelease(this, now);
  }

  /** The word of an index without a page; 0 if it has no overflow slot. */
  long word(int index) {
    if (count() == 0 || index < 0 || !free.hasOverflowSlots(index)) {
      return 0;
    }
    return side.slot(index);
  }
}
