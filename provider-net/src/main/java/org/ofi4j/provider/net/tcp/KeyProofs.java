package org.ofi4j.provider.net.tcp;

import java.nio.ByteBuffer;
import java.security.InvalidKeyException;
import java.security.SecureRandom;
import java.util.function.IntFunction;
import javax.crypto.Mac;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;

/**
 * What an endpoint proves with: the authorization keys that it holds, each known by a number, and
 * nonces. Guarded by the lock of the endpoint.
 */
final class KeyProofs {
  private static final SecretKey NOTHING = new SecretKeySpec(new byte[1], "HmacSHA256");

  private final int[] numbers;
  private final IntFunction<Mac> macs;
  private final SecureRandom random = new SecureRandom();

  /**
   * For one endpoint.
   *
   * @param numbers of its keys
   * @param macs gives a new HMAC-SHA-256 under the key of a number
   */
  KeyProofs(int[] numbers, IntFunction<Mac> macs) {
    this.numbers = numbers.clone();
    this.macs = macs;
  }

  /** How many keys there are. */
  int count() {
    return numbers.length;
  }

  /** The number of one of them. */
  int number(int position) {
    return numbers[position];
  }

  /** The key part of a message of ours: a new nonce, if the step has one, and room for the tag. */
  byte[] keyPart(KeyStep step) {
    byte[] part = new byte[step.keyPart()];
    if (step.nonce() > 0) {
      byte[] nonce = new byte[step.nonce()];
      random.nextBytes(nonce);
      System.arraycopy(nonce, 0, part, 0, nonce.length);
    }
    return part;
  }

  /**
   * The HMAC of a step: over its label, what was said before, and a message.
   *
   * @param number of the key
   * @param said holds what was said before
   * @param from where that begins
   * @param message begins with the message; its position does not count
   * @param end where the part of the message ends that counts
   */
  byte[] hmac(int number, KeyStep step, ByteBuffer said, int from, ByteBuffer message, int end) {
    Mac mac = macs.apply(number);
    try {
      mac.update(step.label());
      mac.update(said.slice(from, said.position() - from));
      mac.update(message.slice(0, end));
      return mac.doFinal();
    } finally {
      forget(mac);
    }
  }

  /** Overwrites what was derived from the key, which the collector may leave lying about. */
  private static void forget(Mac mac) {
    try {
      mac.init(NOTHING);
    } catch (InvalidKeyException refused) {
      throw new IllegalStateException("this JDK refuses a key of one byte", refused);
    }
  }
}
