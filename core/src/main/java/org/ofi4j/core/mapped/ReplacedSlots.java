// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.invoke.VarHandle;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.slot.SlotChanges;
import org.ofi4j.core.slot.SlotPages;
import org.ofi4j.core.slot.SlotWord;

/**
 * Marks a file of a named vector that another file has taken the place of. Other processes may have
 * it mapped still, and look up entries there without asking which file is the vector's, as that
 * would cost a fifth of a lookup. So each slot becomes {@link SlotWord#MOVED}, and the word of the
 * runs leads to none, after the other file is the vector's and before anything changes in it:
 *
 * <ul>
 *   <li>an entry that is found here was in both files at that moment;
 *   <li>a reader that finds a marked slot finds, in this order, that the vector has another file.
 * </ul>
 *
 * <p>If a process dies while it marks, nothing has changed in the other file: the next writer
 * repairs that one before it changes anything, and then marks this one, too, which is there until
 * all of it is marked.
 */
final class ReplacedSlots {
  private ReplacedSlots() {}

  /** Marks a file that is not the vector's any more. */
  static void mark(VectorFile file) {
    int pieces = file.pieces();
    for (int piece = 0; piece < pieces; piece++) {
      int tag = file.tag(piece);
      if (SlotPages.isPage(tag)) {
        SlotChanges.markMoved(file.piece(piece, SlotPages.bytesOf(tag)));
      } else if (SlabAllocator.slabOf(tag) == 0) {
        Runs.markMoved(file.piece(piece, SlabAllocator.slabBytes(0)));
      }
    }
    // Whatever changes in the other file comes behind.
    VarHandle.fullFence();
  }
}
