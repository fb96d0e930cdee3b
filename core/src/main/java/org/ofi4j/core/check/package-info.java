// SPDX-License-Identifier: Apache-2.0
/**
 * Checks of all invariants of a store, from outside. The structures that readers use are checked
 * one by one, and their memory is noted. The structures that only writers use are compared with
 * those that follow from them. A repair begins with a check of what readers use, which also tells
 * which memory is free.
 *
 * <p>Other rooms use the check of a whole store, and its findings. This room uses {@code store} and
 * the rooms that it is made of. Read {@link org.ofi4j.core.check.StoreCheck} first.
 */
package org.ofi4j.core.check;
