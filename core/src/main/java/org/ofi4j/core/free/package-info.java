// SPDX-License-Identifier: Apache-2.0
/**
 * Free indices, of which the lowest is used next. Only the thread that writes reads and changes
 * them; other threads learn from slots and runs whether an index is in use.
 *
 * <p>Other packages use {@link org.ofi4j.core.free.FreeIndices}; {@code check} also reads the
 * layout that is drawn there. This package uses {@code memory}.
 */
package org.ofi4j.core.free;
