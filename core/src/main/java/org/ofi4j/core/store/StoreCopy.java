// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.slot.SlotWord;

/**
 * Copies entries to a store that has none, each with its index, generation, shares and mark. Other
 * structures of the copy are derived from them ({@link Recovery}). Reservations, user ids, and the
 * numbers of keys that several processes know of are not copied.
 *
 * <p>For the one thread that may write to both stores.
 */
final class StoreCopy {
  private final StoreParts from;
  private final EntryStore source;
  private final StoreParts to;
  private final StoreOptions options;
  private final AddressKey key = new AddressKey();

  /**
   * Creates a copy from one store to another.
   *
   * @param to a store without entries
   * @param options the options of both
   */
  StoreCopy(EntryStore from, EntryStore to, StoreOptions options) {
    this.from = from.parts();
    this.source = from;
    this.to = to.parts();
    this.options = options;
  }

  /**
   * Copies everything.
   *
   * @throws OutOfMemoryError if memory ran out; the other store is of no use then
   */
  void copy() {
    to.runs().replaceAll(from.runs().present().all());
    int end = from.freeIndices().presentEnd();
    if (from.counts().slots() > end / 2) {
      to.slots().expect(end);
    }
    from.slots().forEachUsed(this::copySlot);
    from.side()
        .forEach((index, word) -> {
          if (from.slots().word(index) == 0) {
            copySide(index, word);
          }
        });
    to.freeIndices().restore(end);
    Recovery recovery = new Recovery(to, options);
    recovery.countSlots();
    recovery.recover();
    to.counts().restoreMost(from.counts().mostLive());
    to.counts().publish();
  }

  /** Copies a slot that is not 0, also if it has no more than a generation. */
  private void copySlot(int index, long word) {
    to.slots().ensure(index, to.runs().at(index) != null);
    long generation = source.generation(index);
    if (!SlotWord.isLive(word)) {
      to.slots().free(index, generation);
      return;
    }
    if (!source.load(index, key)) {
      throw new IllegalStateException("entry " + index + " has no address");
    }
    long stateAndBody = to.entries().encode(index, key, to.entries().hash(key));
    if (SlotWord.hasSide(word)) {
      copySide(index, from.side().word(index));
    }
    to.slots().show(index, stateAndBody, generation, SlotWord.hasSide(word));
  }

  private void copySide(int index, long word) {
    to.side().ensure(index);
    to.side().set(index, word);
  }
}
