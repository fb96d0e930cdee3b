// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import org.ofi4j.provider.net.wire.KeyStep;

/**
 * What an endpoint proves with: the authorization keys that it holds, each known by a number, and
 * nonces. Guarded by the lock of the endpoint.
 */
public final class KeyProofs {
  /** Keys that are known by number, and do not show themselves. */
  @FunctionalInterface
  public interface Keys {
    /** HMAC-SHA-256 under one of them, over what remains in some pieces. */
    byte[] hmac(int number, ByteBuffer... pieces);
  }

  final int[] numbers;
  private final Keys keys;
  private final SecureRandom random = new SecureRandom();

  public KeyProofs(int[] numbers, Keys keys) {
    this.numbers = numbers.clone();
    this.keys = keys;
  }

  /** The key part of a message of ours: a new nonce, if the step has one, and room for the tag. */
  byte[] keyPart(KeyStep step) {
    byte[] nonce = new byte[step.nonce()];
    random.nextBytes(nonce);
    return Arrays.copyOf(nonce, step.keyPart());
  }

  /** The HMAC of a step: over its label, and pieces from their position to their limit. */
  byte[] hmac(int number, KeyStep step, ByteBuffer... pieces) {
    ByteBuffer[] all = new ByteBuffer[pieces.length + 1];
    all[0] = ByteBuffer.wrap(step.label());
    System.arraycopy(pieces, 0, all, 1, pieces.length);
    return keys.hmac(number, all);
  }
}
