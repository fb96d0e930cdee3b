// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.Locale;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.run.Run;
import org.ofi4j.core.slot.EntryCounts;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.store.StoreParts;

/**
 * Looks at everything that a store consists of, and at whether all parts of it say the same. Its
 * memory may have anything: each number is looked at before it is followed. One thread, while
 * nobody changes the store.
 *
 * <p>If the last one who changed it did not come to the end, only what readers go by must be right.
 */
public final class StoreCheck {
  /** Of longer runs, only so many entries are searched. */
  static final int SEARCHED = 4096;

  private final SegmentEntryStore store;
  private final StoreParts parts;
  private final StoreOptions options;
  private final IntPredicate owner;
  private final boolean whole;
  private final Findings findings;
  private final Claims claims;
  private final RunCheck runs;
  private final FreeIndexCheck freeIndices;
  private final RecordCheck records;
  private final SideCheck side;
  private final KeyCheck keys;
  private final AddressKey key = new AddressKey();

  private long scattered;
  private long reserved;
  private long holes;
  private int most;

  /**
   * For one store.
   *
   * @param owner whether the holder of a reservation is known
   * @param whole whether the last change is known to have come to its end
   */
  public StoreCheck(
      SegmentEntryStore store,
      StoreOptions options,
      IntPredicate owner,
      boolean whole,
      Findings findings) {
    this.store = store;
    this.parts = store.parts();
    this.options = options;
    this.owner = owner;
    this.whole = whole;
    this.findings = findings;
    this.claims = new Claims(parts.allocator(), findings);
    this.runs = new RunCheck(parts.runs(), claims, whole);
    this.freeIndices = new FreeIndexCheck(claims, whole, this::free);
    this.records = new RecordCheck(store.seed(), claims, whole);
    this.side = new SideCheck(parts, claims, whole);
    this.keys = new KeyCheck(parts.keys(), claims, whole, owner);
  }

  /** What was counted: live entries. */
  public long live() {
    return scattered + runs.covered() - holes;
  }

  /** Reserved indices. */
  public long reserved() {
    return reserved;
  }

  public int runs() {
    return runs.all().count();
  }

  public void check() {
    if (!checkMemory()) {
      return;
    }
    checkSlots();
    if (findings.isEmpty()) {
      side.checkOwners();
      searchScattered();
      searchRuns();
    }
    if (whole) {
      checkCounts();
    }
  }

  /** Looks at all that readers go by. If nothing is wrong, {@link #freeOtherMemory} may follow. */
  public void checkReaders() {
    if (checkMemory()) {
      checkSlots();
      if (findings.isEmpty()) {
        side.checkOwners();
      }
    }
  }

  /** Makes all memory free that readers do not go by, as far as {@link #checkReaders} found out. */
  public void freeOtherMemory() {
    records.restore(parts.slots());
    parts.allocator().restore(claims::isUsed);
  }

  /** Looks at all but slots and searches; whether those can be made. */
  private boolean checkMemory() {
    SlabAllocator allocator = parts.allocator();
    claims.units(0, Superblock.UNITS, "the root");
    if (!keys.check() || !runs.check()) {
      return false;
    }
    boolean sound = side.check();
    sound &= new CellCheck("addresses", Superblock.CELLS, claims, whole).check();
    if (sound && allocator.isShared()) {
      findings.in("what the writer keeps", store::follow);
    }
    return freeIndices.check() && sound;
  }

  private void checkSlots() {
    parts.slots().forEachUsed(this::checkSlot);
  }

  private void forEachUsed(int from, int to, IntConsumer visitor) {
    Slots slots = parts.slots();
    for (int used = slots.usedFrom(from, to); used < to; used = slots.usedFrom(used + 1, to)) {
      visitor.accept(used);
    }
  }

  private void checkSlot(int index, long word) {
    holes += runs.all().at(index) == null ? 0 : 1;
    switch (SlotWord.state(word)) {
      case SlotWord.UNUSED -> {
        if (word != SlotWord.unused(word)) {
          findings.add(text(index, word));
        }
      }
      case SlotWord.RESERVED -> {
        reserved++;
        most = Math.max(most, index + 1);
        if (!owner.test(SlotWord.owner(word))) {
          findings.add(text(index, word) + ", reserved by nobody");
        }
      }
      case SlotWord.IPV4 -> live(index);
      default -> {
        live(index);
        if (!SlotWord.isPlace(word)) {
          findings.add(text(index, word));
        }
        if (records.check(index, word, key)) {
          keys.entry(index, key.authKey());
        }
      }
    }
    if (SlotWord.hasSide(word) && !parts.side().has(index)) {
      findings.add(text(index, word) + " and no side word");
    }
    if (whole && SlotWord.state(word) != SlotWord.UNUSED && parts.freeIndices().isFree(index)) {
      findings.add(text(index, word) + " and is said to be free");
    }
  }

  private static String text(int index, long word) {
    return "index " + index + " has slot " + Long.toHexString(word);
  }

  private void live(int index) {
    scattered++;
    most = Math.max(most, index + 1);
  }

  /** Takes an interval of free indices. */
  private void free(int from, long to) {
    if (whole && to > parts.freeIndices().end()) {
      findings.add(
          "indices from %s to %s are free, the end is %s"
              .formatted(from, to, parts.freeIndices().end()));
    }
  }

  private void searchScattered() {
    forEachUsed(
        0,
        Integer.MAX_VALUE,
        used -> {
          if (SlotWord.isLive(parts.slots().word(used))) {
            search(used);
          }
        });
  }

  private void searchRuns() {
    for (int place = 0; place < runs.all().count(); place++) {
      Run run = runs.all().get(place);
      int searched = Math.min(run.count(), SEARCHED);
      for (int i = 0; i < searched; i++) {
        int position = (int) ((long) i * (run.count() - 1) / Math.max(1, searched - 1));
        if (parts.slots().word(run.first() + position) == 0) {
          search(run.first() + position);
        }
      }
    }
  }

  private void search(int index) {
    if (!store.load(index, key)) {
      findings.add("index " + index + " is live and has no address");
      return;
    }
    int found = store.find(key);
    boolean several = options.duplicates() == DuplicatePolicy.NEW_INDEX;
    // The next one is found a moment before the lowest one dies.
    boolean right =
        several
            ? found >= 0 && (found <= index || !whole) && store.holds(found, key)
            : found == index;
    if (!right) {
      findings.add("index " + index + " has " + text(key) + ", which is found at " + found);
    }
  }

  /** An address, as far as a line of a report tells it. */
  private static String text(AddressKey key) {
    if (key.kind() == AddressKey.Kind.IPV4) {
      long word = key.ipv4();
      return String.format(
          Locale.ROOT,
          "%d.%d.%d.%d:%d",
          word >>> 40,
          word >>> 32 & 0xFF,
          word >>> 24 & 0xFF,
          word >>> 16 & 0xFF,
          word & 0xFFFF);
    }
    StringBuilder words = new StringBuilder(key.kind().toString()).append(" address");
    for (int i = 0; i < key.wordCount(); i++) {
      words.append(' ').append(Long.toHexString(key.word(i)));
    }
    return words.toString();
  }

  private void checkCounts() {
    EntryCounts counts = parts.counts();
    long live = live();
    findings.same("live entries", counts.live(), live);
    findings.same("entries with slots", counts.slots(), scattered + reserved);
    findings.same("reservations", counts.reserved(), reserved);
    if (counts.mostLive() < counts.live()) {
      findings.add("at most " + counts.mostLive() + " entries, and " + counts.live() + " now");
    }
    int end = parts.freeIndices().end();
    if (most > end) {
      findings.add("index " + (most - 1) + " is in use, the end is " + end);
    }
    findings.same("free indices", parts.freeIndices().count(), freeIndices.free());
    if (options.reuse()) {
      findings.same("indices below the end", end, live + reserved + freeIndices.free());
    }
    runs.checkSlots(parts.slots());
    keys.checkUse();
    int companions = new HeapCheck(parts.heap(), claims).check();
    findings.same("addresses with cells", parts.cells().presentCount(), scattered - companions);
    records.checkFree();
    claims.checkFree();
    if (parts.allocator().root().get(JAVA_LONG, Superblock.SEED) != store.seed()) {
      findings.add("the seed is another one");
    }
  }
}
