// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.figure;

import java.util.Locale;
import java.util.function.LongUnaryOperator;

/**
 * How the addresses of a list follow each other. IPv4 addresses are made as 48 bits: 32 of the node
 * and 16 of the port.
 */
public enum AddressPattern {
  /** Anywhere, each once: nothing to be found but the address itself. */
  SCATTERED("scattered") {
    @Override
    public LongUnaryOperator keys(long count) {
      return i ->
          key(Mixing.mix((int) i + 1), 1024 + ((Mixing.mix(~(int) i) & 0x7FFF_FFFF) % 60_000));
    }
  },
  /** One node after the other. */
  CONSECUTIVE("consecutive") {
    @Override
    public LongUnaryOperator keys(long count) {
      return i -> node(i);
    }
  };

  private static final int FIRST = 10 << 24;
  private static final int PORT = 5000;

  private final String title;

  AddressPattern(String title) {
    this.title = title;
  }

  /** Gives the address at each position of a list of that length. */
  public abstract LongUnaryOperator keys(long count);

  public String title() {
    return title;
  }

  String id() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  private static long key(int node, int port) {
    return Integer.toUnsignedLong(node) << 16 | port;
  }

  private static long node(long number) {
    return key(FIRST + (int) number, PORT);
  }
}
