// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.slot.AddressRecords;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.slot.Slots;

/** Looks at the records of addresses ({@link AddressRecords}), whatever their memory has. */
final class RecordCheck extends MemoryCheck {
  private final AddressRecords records;
  private final long seed;
  private long bytes;

  RecordCheck(long seed, Claims claims, boolean whole) {
    super(claims, whole);
    this.records = new AddressRecords(allocator);
    this.seed = seed;
  }

  /**
   * Looks at the record that a live slot names.
   *
   * @param key becomes the address, if it can be read
   * @return whether it can be read
   */
  boolean check(int index, long word, AddressKey key) {
    int sizeClass = SlotWord.sizeClass(word);
    String what = "the record of index " + index;
    if (!claims.words(SlotWord.place(word), AddressRecords.stride(sizeClass) / Long.BYTES, what)) {
      return false;
    }
    bytes += AddressRecords.stride(sizeClass);
    MemorySegment record = records.segment(word);
    long offset = records.offsetOf(word);
    if ((AddressRecords.version(record, offset) & 1) != 0) {
      findings.add(what + " has an odd version");
      return false;
    }
    if (!AddressRecords.load(word, record, offset, key)) {
      findings.add(what + " has no address");
      return false;
    }
    if (key.hash(seed) != records.hash(word, seed)) {
      findings.add(what + " has another hash than its address");
    }
    return true;
  }

  /**
   * Makes free records of the words between live ones, in units that are used in any case. Records
   * that lie behind a live one as they would in one block keep their places, and so their versions.
   */
  void restore(Slots slots) {
    records.restore();
    slots.forEachLive((index, word) -> {
      if (SlotWord.state(word) == SlotWord.RECORD) {
        int sizeClass = SlotWord.sizeClass(word);
        int words = AddressRecords.stride(sizeClass) / Long.BYTES;
        records.count(words * Long.BYTES);
        long place = SlotWord.place(word) + words;
        while (claims.isFree(place, words) && isInUse(place, words)) {
          records.addFree(sizeClass, place);
          place += words;
        }
      }
    });
  }

  private boolean isInUse(long place, int words) {
    for (int unit = AddressRecords.unit(place);
        unit <= AddressRecords.unit(place + words - 1);
        unit++) {
      if (!claims.isUsed(unit)) {
        return false;
      }
    }
    return true;
  }

  /** Claims the records that are free, and those that were never used. */
  void checkFree() {
    MemorySegment root = allocator.root();
    for (int sizeClass = 0; sizeClass < AddressRecords.CLASSES; sizeClass++) {
      int words = AddressRecords.stride(sizeClass) / Long.BYTES;
      String what = "a free record of " + AddressRecords.stride(sizeClass) + " bytes";
      long list = AddressRecords.list(sizeClass);
      long place = root.get(JAVA_LONG, list);
      while (place != 0 && claims.words(place, words, what)) {
        MemorySegment record = allocator.segment(AddressRecords.unit(place));
        place = record.get(JAVA_LONG, records.offset(place) + AddressRecords.LINK);
      }
      long unused = root.get(JAVA_LONG, AddressRecords.neverUsed(sizeClass));
      int count = AddressRecords.unusedCount(unused);
      if (count > 0) {
        claims.words(AddressRecords.firstUnused(unused), count * words, what);
      }
    }
    findings.same("bytes of records", records.usedBytes(), bytes);
  }
}
