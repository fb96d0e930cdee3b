// SPDX-License-Identifier: Apache-2.0
/**
 * The same entries in mapped files: shared by the processes of a user, saved, copied, repaired
 * after a process has died in the middle of a change.
 *
 * <p>Uses {@code store} and what that is made of, {@code check}, and {@code share}, which has the
 * files and their locks. Read {@link org.ofi4j.core.mapped.MappedStore} first, then {@link
 * org.ofi4j.core.mapped.NamedStore}.
 */
package org.ofi4j.core.mapped;
