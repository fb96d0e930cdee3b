// SPDX-License-Identifier: Apache-2.0
/**
 * Which indices are free, the lowest first. {@link org.ofi4j.core.free.FreeIndices} gives the next
 * one and takes those that are free again, {@link org.ofi4j.core.free.FreeIndexLookups} tells any
 * thread which are; a block of 65,536 indices keeps them as an array or as a bitmap, whichever is
 * shorter.
 *
 * <p>Uses {@code memory}. Read {@link org.ofi4j.core.free.FreeIndices} first.
 */
package org.ofi4j.core.free;
