// SPDX-License-Identifier: Apache-2.0
/**
 * The entries of {@code store} in mapped files: named vectors, which the processes of one user of
 * the machine share, and saved ones. Files are copied here, and repaired after a process has died
 * in the middle of a change.
 *
 * <p>Shows the stores over named and saved files, and the verifier. Uses {@code store} and the
 * rooms that it is made of, {@code check}, and {@code share}, which has the files and their locks.
 * Read {@link org.ofi4j.core.mapped.MappedStore} first, then {@link
 * org.ofi4j.core.mapped.NamedStore}.
 */
package org.ofi4j.core.mapped;
