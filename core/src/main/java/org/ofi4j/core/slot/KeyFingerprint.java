// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import java.lang.foreign.MemorySegment;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;

/**
 * What tells that two processes have the same authorization key, and does not tell the key:
 * PBKDF2-HMAC-SHA-256 of the key with the salt of the vector, {@link #ROUNDS} rounds, one block.
 *
 * <p>Of 32 random bytes it says nothing, however fast it is computed. The rounds are for keys that
 * are not random: who can read the file has to do all of them for each key that he tries.
 */
public final class KeyFingerprint {
  public static final int BYTES = 32;
  static final int ROUNDS = 4096;

  private static final byte[] FIRST_BLOCK = {0, 0, 0, 1};

  private KeyFingerprint() {}

  /** Computes a fingerprint of 32 bytes, which takes some milliseconds. */
  public static byte[] of(byte[] key, byte[] salt) {
    byte[] round = new byte[BYTES];
    try (PassingKey passing = new PassingKey(MemorySegment.ofArray(key))) {
      Mac mac = Mac.getInstance(KeyedHash.MAC);
      mac.init(passing);
      try {
        mac.update(salt);
        mac.update(FIRST_BLOCK);
        mac.doFinal(round, 0);
        byte[] sum = round.clone();
        for (int i = 1; i < ROUNDS; i++) {
          mac.update(round);
          mac.doFinal(round, 0);
          for (int j = 0; j < BYTES; j++) {
            sum[j] ^= round[j];
          }
        }
        return sum;
      } finally {
        // Overwrites what was derived from the key.
        mac.init(KeyedHash.nothing());
      }
    } catch (GeneralSecurityException missing) {
      throw KeyedHash.withoutMac(missing);
    } finally {
      Arrays.fill(round, (byte) 0);
    }
  }
}
