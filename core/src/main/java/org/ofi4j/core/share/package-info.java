// SPDX-License-Identifier: Apache-2.0
/**
 * The files that the processes of one user of the machine share: their directory, the processes
 * that have a file open, and the lock of those that write. This room does not know what the entries
 * in a file look like.
 *
 * <p>Other rooms use named vectors with their locks, and the two files with entries, which are
 * memory sources. This room uses {@code object} and {@code memory}. Read {@link
 * org.ofi4j.core.share.NamedVector} first, then {@link org.ofi4j.core.share.VectorLocks}, which
 * each change passes, and {@link org.ofi4j.core.share.ControlFile}, whose comment has the layout of
 * the control file.
 */
package org.ofi4j.core.share;
