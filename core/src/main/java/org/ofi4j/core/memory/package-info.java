// SPDX-License-Identifier: Apache-2.0
/**
 * A slab allocator over an arena or a mapped file. {@link org.ofi4j.core.memory.SlabAllocator}
 * allocates and frees blocks of a few sizes, of which everything else is made; {@link
 * org.ofi4j.core.memory.Superblock} is the superblock, whose fields say where all begins. Memory
 * comes from a {@link org.ofi4j.core.memory.MemorySource}.
 *
 * <p>Uses no other room. Read {@link org.ofi4j.core.memory.SlabAllocator} first.
 */
package org.ofi4j.core.memory;
