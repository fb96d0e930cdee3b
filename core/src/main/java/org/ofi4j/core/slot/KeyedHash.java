// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * HMAC-SHA-256 under an authorization key, and fingerprints of keys. Apart from {@code VectorKeys},
 * which every vector has: so that a vector is opened without loading anything of what keys are for.
 */
public final class KeyedHash {
  public static final int FINGERPRINT_BYTES = 32;
  private static final int ROUNDS = 4096;
  private static final byte[] FIRST_BLOCK = {0, 0, 0, 1};
  private static final String MAC = "HmacSHA256";

  private KeyedHash() {}

  @FunctionalInterface
  private interface Computation {
    byte[] of(Mac mac) throws GeneralSecurityException;
  }

  /** Computes under a key, and overwrites what was derived from the key afterwards. */
  private static byte[] compute(PassingKey key, Computation computation) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(key);
      try {
        return computation.of(mac);
      } finally {
        mac.init(new SecretKeySpec(new byte[1], MAC));
      }
    } catch (GeneralSecurityException missing) {
      throw new FabricException(
          Errno.ENOSYS,
          MAC + " under 32 bytes is missing, which every Java platform has to have",
          missing);
    }
  }

  /** The hash of what remains in some pieces, one after the other. */
  public static byte[] of(PassingKey key, ByteBuffer... pieces) {
    return compute(
        key,
        mac -> {
          for (ByteBuffer piece : pieces) {
            mac.update(piece);
          }
          return mac.doFinal();
        });
  }

  /**
   * What tells that two processes have the same key, and does not tell the key: PBKDF2-HMAC-SHA-256
   * of the key with the salt of the vector, {@link #ROUNDS} rounds, one block. Takes some
   * milliseconds.
   *
   * <p>Of 32 random bytes it says nothing, however fast it is computed. The rounds are for keys
   * that are not random: who can read the file has to do all of them for each key that he tries.
   *
   * @return 32 bytes
   */
  public static byte[] fingerprint(byte[] key, byte[] salt) {
    byte[] round = new byte[FINGERPRINT_BYTES];
    try (PassingKey passing = new PassingKey(MemorySegment.ofArray(key))) {
      return compute(
          passing,
          mac -> {
            mac.update(salt);
            mac.update(FIRST_BLOCK);
            mac.doFinal(round, 0);
            byte[] sum = round.clone();
            for (int i = 1; i < ROUNDS; i++) {
              mac.update(round);
              mac.doFinal(round, 0);
              for (int j = 0; j < FINGERPRINT_BYTES; j++) {
                sum[j] ^= round[j];
              }
            }
            return sum;
          });
    } finally {
      Arrays.fill(round, (byte) 0);
    }
  }
}
