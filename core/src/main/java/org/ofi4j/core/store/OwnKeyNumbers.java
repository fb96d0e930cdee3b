// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.core.object.SystemRandom;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.slot.PassingKey;

/**
 * Numbers of the keys of a vector that no other process has.
 *
 * <p>The number of a key that was removed while entries are under it stays reserved until the last
 * of them is removed (D-49). Only a fingerprint of such a key is kept, by which it gets its number
 * again.
 */
public final class OwnKeyNumbers implements KeyNumbers {
  private static final int SALT_BYTES = 32;

  /** One number that is in use. */
  private static final class Taken {
    private final byte[] fingerprint;

    /** Whether the key is there; without it, the number is reserved. */
    private boolean present = true;

    /** How many entries are under the key. */
    private int entries;

    private Taken(byte[] fingerprint) {
      this.fingerprint = fingerprint;
    }
  }

  private final int most;
  private byte @Nullable [] salt;

  /** By number; null where a number is free. */
  private @Nullable Taken[] taken = {};

  /**
   * No keys.
   *
   * @param most how many numbers there may be at a time
   */
  public OwnKeyNumbers(int most) {
    this.most = most;
  }

  @Override
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

  @Override
  public int allocate(byte[] fingerprint) {
    int free = taken.length;
    for (int number = taken.length - 1; number >= 0; number--) {
      Taken one = taken[number];
      if (one == null) {
        free = number;
      } else if (!one.present && Arrays.equals(one.fingerprint, fingerprint)) {
        one.present = true;
        return number;
      }
    }
    if (free >= most) {
      return KeyNumbers.NONE;
    }
    taken = Arrays.copyOf(taken, Math.max(taken.length, free + 1));
    taken[free] = new Taken(fingerprint);
    return free;
  }

  @Override
  public void free(int number) {
    Taken one = taken(number);
    one.present = false;
    endUnlessUsed(one, number);
  }

  @Override
  public void countEntries(int number, int change) {
    Taken one = taken(number);
    one.entries += change;
    endUnlessUsed(one, number);
  }

  private Taken taken(int number) {
    Taken one = taken[number];
    if (one == null) {
      throw new IllegalStateException("no key has number " + number);
    }
    return one;
  }

  private void endUnlessUsed(Taken one, int number) {
    if (!one.present && one.entries == 0) {
      taken[number] = null;
    }
  }

  @Override
  public boolean isEmpty() {
    return taken.length == 0;
  }

  @Override
  public boolean isElsewhere(int number) {
    return false;
  }
}
