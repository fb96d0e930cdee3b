// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

/** Hashes in which consecutive addresses differ in all bits, high and low. */
final class AddressHash {
  private static final long INCREMENT = 0x9E37_79B9_7F4A_7C15L;
  private static final long MULTIPLIER = 0xD6E8_FEB8_6659_FD93L;

  private AddressHash() {}

  static long of(long start, long[] words, int count) {
    long hash = start;
    for (int i = 0; i < count; i++) {
      hash = mix(hash + words[i]);
    }
    return hash;
  }

  static long of(long start, byte[] bytes, int count) {
    long hash = start;
    for (int i = 0; i < count; i++) {
      hash = mix(hash + bytes[i]);
    }
    return hash;
  }

  /** A bijection in which every input bit changes about half of the output bits. */
  static long mix(long value) {
    long mixed = value + INCREMENT;
    mixed = (mixed ^ mixed >>> 32) * MULTIPLIER;
    mixed = (mixed ^ mixed >>> 32) * MULTIPLIER;
    return mixed ^ mixed >>> 32;
  }
}
