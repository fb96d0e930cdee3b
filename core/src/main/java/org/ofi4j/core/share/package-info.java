// SPDX-License-Identifier: Apache-2.0
/**
 * The files that the processes of a user share, who has them open, and who may write: control file,
 * participants, locks, the directory. What the entries in a file look like is no matter of this
 * room.
 *
 * <p>Uses {@code object}. Read {@link org.ofi4j.core.share.NamedVector} first, then {@link
 * org.ofi4j.core.share.ControlBlock}, which draws the control file.
 */
package org.ofi4j.core.share;
