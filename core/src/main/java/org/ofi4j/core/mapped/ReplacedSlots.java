// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.lang.invoke.VarHandle;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.slot.SlotChanges;
import org.ofi4j.core.slot.SlotPages;
import org.ofi4j.core.slot.SlotWord;

/**
 * The slots of a file of a named vector that another file has taken the place of. Others may have
 * it mapped still, and look up slots there without asking which file is the vector's, as that would
 * cost a fifth of a lookup. So each slot is made {@link SlotWord#MOVED}, by the one who made the
 * other file, after that is the vector's and before anything changes in it:
 *
 * <ul>
 *   <li>a slot that somebody finds live was so in both files at that moment;
 *   <li>who finds a marked one finds, in this order, that the vector has another file.
 * </ul>
 *
 * <p>If the one who marks dies, so that some slots are marked and others are not, nothing has
 * changed in the other file: the next writer repairs that one before it changes anything, and then
 * marks this one, too, which is there until all of it is marked.
 */
final class ReplacedSlots {
  private ReplacedSlots() {}

  /** Marks all slots of a file that is not the vector's any more. */
  static void mark(VectorFile file) {
    int pieces = file.pieces();
    for (int piece = 0; piece < pieces; piece++) {
      int tag = file.tag(piece);
      if (SlotPages.isPage(tag)) {
        SlotChanges.markMoved(file.piece(piece, SlotPages.bytesOf(tag)));
      }
    }
    // Whatever changes in the other file comes behind.
    VarHandle.fullFence();
  }
}
