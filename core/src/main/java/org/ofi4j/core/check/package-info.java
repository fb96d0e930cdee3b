// SPDX-License-Identifier: Apache-2.0
/**
 * Every invariant of a store, looked at from outside: each check reads the memory that one room
 * writes, and says what is wrong in words. Nothing is changed or repaired here.
 *
 * <p>Uses {@code store} and what that is made of. Read {@link org.ofi4j.core.check.StoreCheck}
 * first.
 */
package org.ofi4j.core.check;
