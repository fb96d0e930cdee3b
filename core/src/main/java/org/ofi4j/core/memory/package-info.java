// SPDX-License-Identifier: Apache-2.0
/**
 * A slab allocator over an arena or a mapped file. {@link org.ofi4j.core.memory.SlabAllocator}
 * allocates and frees blocks of a few sizes; all other structures of a store are made of these
 * blocks. {@link org.ofi4j.core.memory.Superblock} holds the offsets at which they begin. Memory
 * comes from a {@link org.ofi4j.core.memory.MemorySource}.
 *
 * <p>Shows the allocator, the superblock and the source. Uses no other room. Read {@code
 * SlabAllocator} first.
 */
package org.ofi4j.core.memory;
