// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.memory;

import java.lang.foreign.MemorySegment;

/**
 * Pieces of memory that were allocated before, by another process or for a store that was saved, in
 * the order in which they were allocated. Any thread may ask.
 */
public interface AllocatedPieces {
  /** How many there are; what is loaded next is as new as the last of them. */
  int pieces();

  /** What a piece is for; see {@link MemorySource#allocate(long, int)}. */
  int tag(int piece);

  MemorySegment piece(int piece, long bytes);
}
