// SPDX-License-Identifier: Apache-2.0
/**
 * Which indices are free, the lowest first. {@link org.ofi4j.core.free.FreeIndices} is the
 * writer's: it hands out the next index, and records those that entries leave. {@link
 * org.ofi4j.core.free.FreeIndexLookups} tells any thread whether an index is free. The free ones
 * among each 65,536 consecutive indices are kept in a bitmap.
 *
 * <p>Other rooms use these two, and the layout for {@code check}. This room uses {@code memory}.
 * Read {@code FreeIndices} first.
 */
package org.ofi4j.core.free;
