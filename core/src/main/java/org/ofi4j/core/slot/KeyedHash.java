// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.InvalidKeyException;
import java.security.NoSuchAlgorithmException;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;

/**
 * HMAC-SHA-256 under an authorization key. Apart from {@code AuthKeys}, which every vector has: so
 * that a vector is opened without loading anything of what keys are for.
 */
public final class KeyedHash {
  static final String MAC = "HmacSHA256";

  private KeyedHash() {}

  /** The key that takes the place of one in a {@link Mac}. */
  static SecretKey nothing() {
    return new SecretKeySpec(new byte[1], MAC);
  }

  /** The hash of what remains in some pieces, one after the other. */
  public static byte[] of(PassingKey key, ByteBuffer... pieces) {
    try {
      Mac mac = Mac.getInstance(MAC);
      mac.init(key);
      try {
        for (ByteBuffer piece : pieces) {
          mac.update(piece);
        }
        return mac.doFinal();
      } finally {
        // Overwrites what was derived from the key, which the collector may leave lying about.
        mac.init(nothing());
      }
    } catch (NoSuchAlgorithmException | InvalidKeyException missing) {
      throw withoutMac(missing);
    }
  }

  static FabricException withoutMac(GeneralSecurityException missing) {
    return new FabricException(
        Errno.ENOSYS,
        MAC + " under 32 bytes is missing, which every Java platform has to have",
        missing);
  }
}
