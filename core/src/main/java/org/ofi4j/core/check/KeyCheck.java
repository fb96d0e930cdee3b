// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.store.KeyNumbers;

/** Looks at all key slots ({@link KeySlots}), whatever their memory has. */
final class KeyCheck extends MemoryCheck {
  private static final ByteBuffer CLEARED = ByteBuffer.wrap(new byte[KeyedHash.FINGERPRINT_BYTES]);

  private final KeySlots slots;
  private final IntPredicate owner;
  private final Map<Integer, Integer> entries = new HashMap<>();

  /**
   * For one store.
   *
   * @param owner whether a participant, plus 1, is known
   */
  KeyCheck(KeySlots slots, Claims claims, boolean whole, IntPredicate owner) {
    super(claims, whole);
    this.slots = slots;
    this.owner = owner;
  }

  /** Looks for the slots, and claims their memory; whether they can be looked at. */
  boolean check() {
    try {
      slots.follow();
    } catch (RuntimeException damaged) {
      findings.add("the list of key slots cannot be looked at: " + damaged);
      return false;
    }
    for (int number = 0; number < slots.count(); number++) {
      if (!claims.units(slots.unit(number), KeySlots.UNITS, "key slot " + number)) {
        return false;
      }
    }
    return true;
  }

  /** An entry was seen; {@code authKey} is the number of its key, or -1. */
  void entry(int index, int authKey) {
    if (authKey != KeyNumbers.NONE && allocator.isShared()) {
      entries.merge(authKey, 1, Integer::sum);
      if (authKey < 0 || authKey >= slots.count()) {
        findings.add("index " + index + " is under key " + authKey + ", which has no slot");
      }
    }
  }

  /** Looks at who uses the slots, after all entries were seen. */
  void checkUse() {
    Map<ByteBuffer, Integer> byFingerprint = new HashMap<>();
    for (int number = 0; number < slots.count(); number++) {
      String what = "key slot " + number;
      findings.same("entries of " + what, slots.entries(number), entries.getOrDefault(number, 0));
      boolean held = false;
      for (int participant = 0; participant < KeySlots.PARTICIPANTS; participant++) {
        if (slots.isHeldBy(number, participant)) {
          held = true;
          if (!owner.test(participant + 1)) {
            findings.add(what + " is held by participant " + participant + ", who is not there");
          }
        }
      }
      ByteBuffer fingerprint = ByteBuffer.wrap(slots.fingerprint(number));
      boolean used = held || slots.entries(number) != 0;
      if (used == fingerprint.equals(CLEARED)) {
        findings.add(what + (used ? " is in use without" : " is free, and has") + " a fingerprint");
      }
      Integer other = used ? byFingerprint.put(fingerprint, number) : null;
      if (other != null) {
        findings.add(what + " has the fingerprint of key slot " + other);
      }
    }
  }
}
