// SPDX-License-Identifier: Apache-2.0
/**
 * A slab allocator over an arena or a mapped file. {@link org.ofi4j.core.memory.SlabAllocator}
 * allocates and frees blocks of a few sizes; all other structures of a store are made of these
 * blocks. {@link org.ofi4j.core.memory.Superblock} holds the offset at which each structure begins.
 * Memory comes from a {@link org.ofi4j.core.memory.MemorySource}.
 *
 * <p>Other rooms use the allocator, the superblock and the source. This room uses no other room.
 * Read {@code SlabAllocator} first.
 */
package org.ofi4j.core.memory;
