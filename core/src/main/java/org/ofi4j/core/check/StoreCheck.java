// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.slot.AddressRecords;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.slot.SideWords;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;
import org.ofi4j.core.store.Recovery;
import org.ofi4j.core.store.StoreParts;

/**
 * Checks all that a store consists of. Its memory may have anything: each number is checked before
 * it is followed, and memory is {@linkplain Claims claimed} for one use. For one thread, while no
 * other changes the store.
 *
 * <p>The structures that readers use are checked one by one. All others follow from them, so they
 * are compared with what {@link Recovery} derives ({@link WriterCheck}); unless the last change did
 * not come to its end, as then they may be in any state.
 */
public final class StoreCheck {
  /** Of longer runs, only so many entries are searched. */
  static final int SEARCHED = 4096;

  private final EntryStore store;
  private final StoreParts parts;
  private final IntPredicate owner;
  private final boolean whole;
  private final Findings findings;
  private final Claims claims;
  private final AddressRecords records;
  private final AddressKey key = new AddressKey();
  private long recordBytes;

  /**
   * For one store.
   *
   * @param owner whether the holder of a reservation is known
   * @param whole whether the last change is known to have come to its end
   */
  public StoreCheck(EntryStore store, IntPredicate owner, boolean whole, Findings findings) {
    this.store = store;
    this.parts = store.parts();
    this.owner = owner;
    this.whole = whole;
    this.findings = findings;
    this.claims = new Claims(parts.allocator(), findings);
    this.records = new AddressRecords(parts.allocator());
  }

  /**
   * Checks everything, and searches entries by their addresses.
   *
   * @return what was counted; null if memory is damaged, so that it cannot be counted
   */
  public @Nullable Recovery check() {
    Recovery counted = checkReaders();
    if (counted != null && findings.isEmpty()) {
      parts.slots().forEachLive((index, word) -> search(index));
      parts.runs().present().all().forEach(this::search);
    }
    if (counted != null && whole) {
      new WriterCheck(parts, claims, findings, counted).check(owner, recordBytes);
    }
    return counted;
  }

  /**
   * Checks all that readers use and, if nothing is wrong, frees all other memory. In units that are
   * used in any case, the words between live records become free records. Those that lie behind a
   * live one as they would in one block keep their places, and so their versions.
   *
   * @return a recovery that has counted the slots; null if something is wrong
   */
  public @Nullable Recovery freeOtherMemory() {
    Recovery counted = checkReaders();
    if (counted == null || !findings.isEmpty()) {
      return null;
    }
    records.restore();
    Slots slots = parts.slots();
    slots.forEachLive((index, word) -> {
      if (SlotWord.state(word) == SlotWord.RECORD && !parts.entries().isInSlot(word)) {
        int sizeClass = SlotWord.sizeClass(word);
        int words = AddressRecords.stride(sizeClass) / Long.BYTES;
        records.count(words * Long.BYTES);
        long place = SlotWord.place(word) + words;
        for (; claims.isGap(place, words); place += words) {
          records.addFree(sizeClass, place);
        }
      }
    });
    parts.allocator().restore(claims::isUsed);
    return counted;
  }

  /** Checks all that readers use; returns what was counted, null if memory is damaged. */
  private @Nullable Recovery checkReaders() {
    claims.units(0, Superblock.UNITS, "the root");
    if (!claimKeys() || !claimRuns()) {
      return null;
    }
    boolean sound = claims.pages(parts.side().pages(), "side words", whole);
    sound &= new CellCheck(claims, findings, whole).check();
    if (!sound) {
      return null;
    }
    if (parts.allocator().isShared()) {
      findings.in("what the writer keeps", store::follow);
    }
    Recovery counted = new Recovery(parts, store.options());
    counted.countSlots((index, word) -> counted.countKey(checkSlot(index, word)));
    if (findings.isEmpty()) {
      parts.side().forEach(this::checkSideWord);
    }
    return counted;
  }

  private boolean claimKeys() {
    KeySlots keys = parts.keys();
    boolean sound = findings.in("the list of key slots", keys::follow);
    for (int number = 0; sound && number < keys.count(); number++) {
      sound = claims.units(keys.unit(number), KeySlots.UNITS, "key slot " + number);
    }
    return sound;
  }

  private boolean claimRuns() {
    Runs runs = parts.runs();
    boolean sound = findings.in("the runs", runs::present);
    int unit = Runs.unit(parts.allocator().root().get(JAVA_LONG, Superblock.RUNS));
    int units = sound ? (int) runs.usedBytes() / SlabAllocator.UNIT_BYTES : 0;
    return sound && (units == 0 || claims.units(unit, units, "the runs"));
  }

  /** Checks a slot that is not 0; returns the number of the key of its entry. */
  private int checkSlot(int index, long word) {
    int state = SlotWord.state(word);
    if (state == SlotWord.UNUSED && word != SlotWord.unused(word)) {
      findings.add(text(index, word));
    }
    if (state == SlotWord.RESERVED && !owner.test(SlotWord.owner(word))) {
      findings.add(text(index, word) + ", reserved by nobody");
    }
    if (SlotWord.hasSide(word) && !parts.side().has(index)) {
      findings.add(text(index, word) + " and no side word");
    }
    return state == SlotWord.RECORD ? checkRecord(index, word) : KeyNumbers.NONE;
  }

  private static String text(int index, long word) {
    return "index " + index + " has slot " + Long.toHexString(word);
  }

  private int checkRecord(int index, long word) {
    Supplier<String> what = () -> "the record of index " + index;
    if (!parts.entries().isInSlot(word)) {
      int bytes = AddressRecords.stride(SlotWord.sizeClass(word));
      if (!claims.words(SlotWord.place(word), bytes / Long.BYTES, what)) {
        return KeyNumbers.NONE;
      }
      recordBytes += bytes;
    }
    MemorySegment record = parts.entries().record(index, word);
    long offset = parts.entries().offset(index, word, record);
    boolean isEven = (AddressRecords.version(record, offset) & 1) == 0;
    if (!isEven || !AddressRecords.load(word, record, offset, key)) {
      findings.add(what.get() + (isEven ? " has no address" : " has an odd version"));
      return KeyNumbers.NONE;
    }
    if (parts.entries().hash(key) != parts.entries().hashOf(index, word)) {
      findings.add(what.get() + " has another hash than its address");
    }
    boolean isKnown = key.authKey() < parts.keys().count() && key.authKey() >= KeyNumbers.NONE;
    if (!isKnown && parts.allocator().isShared()) {
      findings.add("index " + index + " is under key " + key.authKey() + ", which has no slot");
    }
    return key.authKey();
  }

  private void checkSideWord(int index, long word) {
    long slot = parts.slots().word(index);
    boolean counts = slot == 0 ? parts.runs().at(index) != null : SlotWord.hasSide(slot);
    if (word == SideWords.CHANGED) {
      findings.add("index " + index + " has a side word that no index has");
    }
    // The data of a dead entry is cleared after its death.
    if (whole && !counts && !SideWords.isClear(word)) {
      findings.add(
          "index %s has side word %x, and is neither live nor reserved with it"
              .formatted(index, word));
    }
    // A half of generations that were not yet is only stored right before a slot.
    boolean isDead = slot != 0 && !SlotWord.isLive(slot);
    if (whole && isDead && SideWords.generation(word, 0) > SlotWord.generation(slot)) {
      findings.add("index %s had a later generation than slot %x".formatted(index, slot));
    }
  }

  private void search(Run run) {
    int searched = Math.min(run.count(), SEARCHED);
    for (int i = 0; i < searched; i++) {
      int position = (int) ((long) i * (run.count() - 1) / Math.max(1, searched - 1));
      if (parts.slots().word(run.first() + position) == 0) {
        search(run.first() + position);
      }
    }
  }

  private void search(int index) {
    if (!store.load(index, key)) {
      findings.add("index " + index + " is live and has no address");
      return;
    }
    int found = store.find(key);
    boolean several = store.options().duplicates() == DuplicatePolicy.NEW_INDEX;
    // The next one is found a moment before the lowest one dies.
    boolean isLower = found >= 0 && (found < index || !whole);
    if (found != index && !(several && isLower && store.holds(found, key))) {
      findings.add("index " + index + " has " + key + ", which is found at " + found);
    }
  }
}
