// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.security;

import java.nio.ByteBuffer;

/**
 * The authorization keys that an endpoint holds and proves with.
 *
 * @param numbers the numbers by which the keys are known
 * @param keys makes the proofs
 */
public record KeyProofs(int[] numbers, Keys keys) {
  /** Keys that are known by number, and do not show themselves. */
  @FunctionalInterface
  public interface Keys {
    /** HMAC-SHA-256 under one of them, over what remains in some pieces. */
    byte[] hmac(int number, ByteBuffer... pieces);
  }
}
