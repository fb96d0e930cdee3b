// SPDX-License-Identifier: Apache-2.0
/**
 * Which indices are free, the lowest first. {@link org.ofi4j.core.free.FreeIndices} is the
 * writer's: it hands out the next index, and records those that entries leave. {@link
 * org.ofi4j.core.free.FreeIndexLookups} tells any thread whether an index is free. A block of
 * 65,536 indices keeps them as an array or as a bitmap, whichever is shorter.
 *
 * <p>Shows these two, and the layout for {@code check}. Uses {@code memory}. Read {@code
 * FreeIndices} first.
 */
package org.ofi4j.core.free;
