// SPDX-License-Identifier: Apache-2.0
/**
 * The entries of {@code store} in mapped files. The processes of a user share them, save and copy
 * them, and repair them after a process has died in the middle of a change.
 *
 * <p>Uses {@code store} and what that is made of, {@code check}, and {@code share}, which has the
 * files and their locks. Read {@link org.ofi4j.core.mapped.MappedStore} first, then {@link
 * org.ofi4j.core.mapped.NamedStore}.
 */
package org.ofi4j.core.mapped;
