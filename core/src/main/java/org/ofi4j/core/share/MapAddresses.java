// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.share;

/** Bases of MAP handles that nobody asked for. */
final class MapAddresses {
  /** Handles are at most 16 * 2^31 above their base. */
  private static final int SPAN_BITS = 35;

  private MapAddresses() {}

  /**
   * A base that leaves room for every handle below the bits of receive contexts: a multiple of
   * 2^35, not 0, and below 2^47 so that it looks like an address.
   */
  static long choose(long random, VectorTraits traits) {
    int bits = Math.min(47, Long.SIZE - traits.receiveContextBits());
    int choices = bits > SPAN_BITS + 1 ? (1 << (bits - SPAN_BITS)) - 2 : 1;
    return (1L + Math.floorMod(random, choices)) << SPAN_BITS;
  }
}
