// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** Tells a number that is searched for from others; for any thread, and any number. */
public interface Match<K> {
  /** The answer if a search has to be made again. */
  int CHANGED = -2;

  /**
   * Looks at the meaning of a number.
   *
   * @param block memory with its cell
   * @param at where in that memory the cell is
   * @param cell the value of the cell
   * @param key what is searched for, as it was passed to {@link HashLookups#find}; so is {@code
   *     wanted}
   * @return the number, if it is the one; -1 if not; {@link #CHANGED} if the look came to nothing
   *     because of a change
   */
  int look(MemorySegment block, long at, int cell, int number, @Nullable K key, long wanted);
}
