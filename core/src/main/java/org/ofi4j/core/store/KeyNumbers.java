// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.object.SystemRandom;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.slot.PassingKey;

/**
 * Which numbers the authorization keys of a vector have, and how many entries are under each, in
 * the {@link KeySlots} of its store. The number of a key that was removed while entries are under
 * it stays reserved until the last of them is removed (D-49).
 *
 * <p>Between {@link EntryStore#begin} and {@link EntryStore#end}, but for {@link #fingerprint} and
 * {@link #isElsewhere}, which any thread may call.
 */
public class KeyNumbers {
  /** The number of no key: that of an entry without. */
  public static final int NONE = -1;

  private static final int SALT_BYTES = 32;

  private final KeySlots slots;
  private final int most;
  private final int participant;
  private byte @Nullable [] salt;

  /** The numbers of the keys of a vector that no other process has. */
  KeyNumbers(KeySlots slots, int most) {
    this(slots, most, 0);
  }

  /**
   * The numbers of the keys of a vector.
   *
   * @param most how many numbers there may be at a time
   * @param participant holds the keys
   */
  protected KeyNumbers(KeySlots slots, int most, int participant) {
    this.slots = slots;
    this.most = Math.min(most, KeySlots.MOST);
    this.participant = participant;
  }

  /**
   * Returns a fingerprint by which the number of a key is found, and which does not tell the key;
   * it may take a while.
   */
  public byte[] fingerprint(byte[] key) {
    try (PassingKey passing = new PassingKey(MemorySegment.ofArray(key))) {
      return KeyedHash.of(passing, ByteBuffer.wrap(salt()));
    }
  }

  private synchronized byte[] salt() {
    byte[] known = salt;
    if (known == null) {
      known = SystemRandom.bytes(SALT_BYTES);
      salt = known;
    }
    return known;
  }

  /** Reads or changes the slots of keys. */
  protected int change(ToIntFunction<KeySlots> change) {
    return change.applyAsInt(slots);
  }

  /**
   * Gives a number to a key that has none here: that which it has elsewhere, or the lowest unused
   * one.
   *
   * @return its number; {@link #NONE} if there are as many keys as there may be
   * @throws FabricException if there is no memory for one more; then nothing changed
   */
  public int allocate(byte[] fingerprint) {
    return change(there -> take(there, fingerprint));
  }

  /** Gives a number to a key, within a change. */
  protected int take(KeySlots there, byte[] fingerprint) {
    int number = there.find(fingerprint);
    if (number < 0) {
      number = there.unused();
      if (number >= most) {
        return NONE;
      }
      try {
        there.prepare(number, fingerprint);
      } catch (OutOfMemoryError exhausted) {
        throw new FabricException(
            Errno.ENOMEM,
            "no memory for a further authorization key of the vector: " + exhausted.getMessage(),
            exhausted);
      }
    }
    there.hold(number, participant);
    return number;
  }

  /**
   * A key that was {@linkplain #allocate allocated} is not here any more. As long as entries are
   * under it, no other key gets its number.
   */
  public void free(int number) {
    change(there -> {
      there.letGo(number, participant);
      return 0;
    });
  }

  /**
   * Tells that entries under a key came or went.
   *
   * @param number its number, also of a key that is not here
   * @param change how many more there are
   */
  public void countEntries(int number, int change) {
    change(there -> {
      there.countEntries(number, change);
      return 0;
    });
  }

  /** Whether no entry can be under a key, as none ever had a number. */
  public boolean isEmpty() {
    return change(KeySlots::count) == 0;
  }

  /**
   * Whether a number is that of a key among others who have the vector.
   *
   * @param number any number but those of keys that are here
   * @return false if no other process has the vector
   */
  public boolean isElsewhere(int number) {
    return false;
  }
}
