// SPDX-License-Identifier: Apache-2.0
/**
 * Which indices are free, the lowest first. {@link org.ofi4j.core.free.Vacancies} gives the next
 * one and takes those that are free again; blocks keep them as arrays, bitmaps or intervals,
 * whichever is shortest.
 *
 * <p>Uses {@code memory}. Read {@link org.ofi4j.core.free.Vacancies} first.
 */
package org.ofi4j.core.free;
