// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.core.free.FreeIndices;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.DuplicateHeap;
import org.ofi4j.core.slot.Entries;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.slot.SideWords;
import org.ofi4j.core.slot.Slots;

/**
 * The parts of an {@link EntryStore}, for classes that change it, read it, copy it or check it.
 * Each part says which of its methods are for which thread.
 *
 * @param allocator the memory of all but the slots
 * @param cells lead from addresses to indices
 */
public record StoreParts(
    SlabAllocator allocator,
    Slots slots,
    Entries entries,
    HashTable cells,
    FreeIndices freeIndices,
    SideWords side,
    DuplicateHeap heap,
    Runs runs,
    EntryCounts counts,
    KeySlots keys) {}
