// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.util.Locale;

/**
 * How the addresses of a list follow each other. IPv4 addresses are made as 48 bits: 32 of the node
 * and 16 of the port.
 */
public enum AddressPattern {
  /** Anywhere, each once: nothing to be found but the address itself. */
  SCATTERED,
  /** One node after the other. */
  CONSECUTIVE;

  private static final int FIRST = 10 << 24;
  private static final int PORT = 5000;

  /** Gives the address at a position of a list. */
  public long key(long position) {
    int i = (int) position;
    return switch (this) {
      case SCATTERED -> key(Mixing.mix(i + 1), 1024 + ((Mixing.mix(~i) & 0x7FFF_FFFF) % 60_000));
      case CONSECUTIVE -> key(FIRST + i, PORT);
    };
  }

  /** Its name for people and in the names of quantities. */
  public String title() {
    return name().toLowerCase(Locale.ROOT);
  }

  private static long key(int node, int port) {
    return Integer.toUnsignedLong(node) << 16 | port;
  }
}
