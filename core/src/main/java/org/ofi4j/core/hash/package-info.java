// SPDX-License-Identifier: Apache-2.0
/**
 * One concurrent hash table of 4-byte cells, which finds the index of an address. It grows by
 * partitions, so that no insertion waits for a rehash of the whole table. What a cell stands for is
 * told by whoever has the entries, through {@link org.ofi4j.core.hash.HashedNumbers}.
 *
 * <p>Uses {@code memory}. Read {@link org.ofi4j.core.hash.HashTable} first.
 */
package org.ofi4j.core.hash;
