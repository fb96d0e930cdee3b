// SPDX-License-Identifier: Apache-2.0
/**
 * One concurrent hash table of 4-byte cells, which leads from addresses to indices. A cell holds a
 * number; the owner of the table gives it a meaning, through {@link
 * org.ofi4j.core.hash.HashedNumbers}. A table that is full is moved into a larger one in steps, so
 * that no insertion waits for a rehash of the whole table.
 *
 * <p>Other rooms use the table, and its layout for {@code check}. This room uses {@code memory}.
 * Read {@link org.ofi4j.core.hash.HashTable} first.
 */
package org.ofi4j.core.hash;
