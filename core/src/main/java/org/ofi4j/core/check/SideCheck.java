// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import org.ofi4j.core.slot.SideWords;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.store.StoreParts;

/** Checks all side words ({@link SideWords}), whatever their memory has. */
final class SideCheck extends MemoryCheck {
  private final StoreParts parts;

  SideCheck(StoreParts parts, Claims claims, boolean whole) {
    super(claims, whole);
    this.parts = parts;
  }

  /** Checks pages and what leads to them; returns whether words can be read. */
  boolean check() {
    return new PageCheck(parts.side().pages(), "side words", claims, whole).check();
  }

  /** Checks that words belong to entries, after all slots and runs were checked. */
  void checkOwners() {
    parts
        .side()
        .forEach((index, word) -> {
          long slot = parts.slots().word(index);
          if (word == SideWords.CHANGED) {
            findings.add("index " + index + " has a side word that no index has");
          }
          boolean counts = slot == 0 ? parts.runs().at(index) != null : SlotWord.hasSide(slot);
          // The data of a dead entry is cleared after its death.
          if (whole && !counts && !SideWords.isClear(word)) {
            findings.add(
                "index %s has side word %x, and is neither live nor reserved with it"
                    .formatted(index, word));
          }
          // A half of generations that were not yet is only stored right before a slot.
          if (whole && slot != 0 && !SlotWord.isLive(slot)) {
            if (SideWords.generation(word, 0) > SlotWord.generation(slot)) {
              findings.add("index %s had a later generation than slot %x".formatted(index, slot));
            }
          }
        });
  }
}
