// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.util.TreeSet;
import java.util.function.Function;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.Waiting;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.slot.KeyFingerprint;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.store.KeyNumbers;

/**
 * Numbers of the keys of a named vector, which are the same in all processes: those of its {@link
 * KeySlots}. What is taken here is held by this process, and let go when the vector is closed, at
 * the latest; of a process that died by whoever writes next.
 */
public final class SharedKeyNumbers implements KeyNumbers {
  private final NamedVector vector;
  private final NamedWriting writing;
  private final CurrentFile present;
  private final int most;
  private final byte[] salt;

  /** What this opening holds; for who has the lock. */
  private final TreeSet<Integer> held = new TreeSet<>();

  SharedKeyNumbers(NamedVector vector, NamedWriting writing, CurrentFile present) {
    this.vector = vector;
    this.writing = writing;
    this.present = present;
    this.most = vector.traits().mostKeys();
    this.salt = vector.keySalt();
  }

  @Override
  public byte[] fingerprint(byte[] key) {
    return KeyFingerprint.of(key, salt);
  }

  @Override
  public int allocate(byte[] fingerprint) {
    KeySlots slots = writing.store().keySlots();
    try {
      // What only processes that are gone have is free, and the key may be the next one of another.
      writing.endDead(false);
      int number = slots.find(fingerprint);
      if (number < 0) {
        number = unused(slots);
        if (number >= most) {
          return KeyNumbers.NONE;
        }
        prepare(slots, number, fingerprint);
      }
      slots.hold(number, vector.participant());
      vector.countKeyHolds(number, 1);
      held.add(number);
      return number;
    } catch (FabricException noRoom) {
      throw noRoom;
    } catch (Throwable failed) {
      throw writing.unfinished(failed);
    }
  }

  private int unused(KeySlots slots) {
    if (slots.unused() >= most) {
      // Somebody attached or left when the dead were looked for.
      writing.endDead(true);
    }
    return slots.unused();
  }

  private void prepare(KeySlots slots, int number, byte[] fingerprint) {
    try {
      slots.prepare(number, fingerprint);
    } catch (OutOfMemoryError exhausted) {
      throw new FabricException(
          Errno.ENOMEM,
          "no room for a further authorization key of " + vector + ": " + exhausted.getMessage(),
          exhausted);
    }
  }

  @Override
  public void free(int number) {
    KeySlots slots = writing.store().keySlots();
    try {
      // Another opening of this process may hold it as well.
      if (vector.countKeyHolds(number, -1) == 0) {
        slots.letGo(number, vector.participant());
      }
      held.remove(number);
    } catch (Throwable failed) {
      throw writing.unfinished(failed);
    }
  }

  @Override
  public int entries(int number) {
    return writing.store().keySlots().entries(number);
  }

  @Override
  public void countEntries(int number, int change) {
    KeySlots slots = writing.store().keySlots();
    try {
      slots.countEntries(number, change);
    } catch (Throwable failed) {
      throw writing.unfinished(failed);
    }
  }

  @Override
  public boolean isEmpty() {
    return writing.store().keySlots().count() == 0;
  }

  @Override
  public boolean isElsewhere(int number) {
    return ask(slots -> slots.isUsed(number));
  }

  /** What there is to know of numbers without the lock. */
  <T> T ask(Function<KeySlots, T> question) {
    return present.ask(store -> question.apply(store.keySlots()));
  }

  /**
   * Lets go of all that this opening holds.
   *
   * @return false if that is left for who writes after this process is gone, as others have the
   *     lock for too long
   */
  boolean close() {
    if (held.isEmpty()) {
      return true;
    }
    try {
      writing.begin(Waiting.deadline(vector.lockTimeout()));
      try {
        for (int number : held.toArray(Integer[]::new)) {
          free(number);
        }
      } finally {
        writing.end();
      }
      return true;
    } catch (FabricException late) {
      return false;
    }
  }
}
