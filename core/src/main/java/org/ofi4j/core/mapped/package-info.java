// SPDX-License-Identifier: Apache-2.0
/**
 * The entries of {@code store} in mapped files: named vectors, which the processes of one user of
 * the machine share, and saved ones. Files are saved and opened here, and repaired in place after a
 * process has died in the middle of a change.
 *
 * <p>Other rooms use the stores over named and saved files, and the verifier. This room uses {@code
 * share}, for the files and their locks, {@code check}, and {@code store} with the rooms that
 * {@code store} is made of. Read {@link org.ofi4j.core.mapped.NamedStore} first, then {@link
 * org.ofi4j.core.mapped.SavedStore}.
 */
package org.ofi4j.core.mapped;
