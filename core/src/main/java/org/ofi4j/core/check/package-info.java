// SPDX-License-Identifier: Apache-2.0
/**
 * Every invariant of a store, checked from outside. There is one check for each kind of memory:
 * slots, cells, runs, free indices and so on. A check reads that memory and says in words what is
 * wrong; it changes nothing. A repair begins with a check of what readers use, which also tells
 * which memory is free.
 *
 * <p>Other rooms use the check of a whole store, and its findings. This room uses {@code store} and
 * the rooms that it is made of. Read {@link org.ofi4j.core.check.StoreCheck} first.
 */
package org.ofi4j.core.check;
