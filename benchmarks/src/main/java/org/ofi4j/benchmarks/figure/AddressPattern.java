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
  },
  /** All ports of a node, then those of the next. */
  NODES_BY_PORTS("nodes by ports") {
    @Override
    public LongUnaryOperator keys(long count) {
      return i -> key(FIRST + (int) (i / PORTS), PORT + (int) (i % PORTS));
    }
  },
  /** All nodes with one port, then with the next. */
  PORTS_BY_NODES("ports by nodes") {
    @Override
    public LongUnaryOperator keys(long count) {
      long nodes = (count + PORTS - 1) / PORTS;
      return i -> key(FIRST + (int) (i % nodes), PORT + (int) (i / nodes));
    }
  },
  /** Consecutive from the last to the first. */
  DESCENDING("descending") {
    @Override
    public LongUnaryOperator keys(long count) {
      return i -> node(count - 1 - i);
    }
  },
  /** Every other node. */
  STRIDE_2("stride 2") {
    @Override
    public LongUnaryOperator keys(long count) {
      return i -> node(2 * i);
    }
  },
  /** Of each hundred consecutive nodes one is missing, nobody knows which. */
  GAPS("1 % gaps") {
    @Override
    public LongUnaryOperator keys(long count) {
      return i -> {
        long hundred = i / 99;
        long place = i % 99;
        return node(hundred * 100 + place + (place >= chosen(hundred) ? 1 : 0));
      };
    }
  },
  /** Of each hundred one was there before, the others are consecutive. */
  DUPLICATES("1 % duplicates") {
    @Override
    public LongUnaryOperator keys(long count) {
      return i -> {
        long hundred = i / 100;
        long place = i % 100;
        long repeated = 1 + chosen(hundred);
        long fresh = hundred * 99 + (place > repeated ? place - 1 : place);
        return node(place == repeated ? (Mixing.mix(i + 1) >>> 1) % fresh : fresh);
      };
    }
  },
  /** Blocks of 256 consecutive nodes, the blocks in random order. */
  SHUFFLED_BLOCKS("shuffled blocks") {
    @Override
    public LongUnaryOperator keys(long count) {
      int[] blocks = Mixing.order(Math.toIntExact((count + BLOCK - 1) / BLOCK), 7);
      return i -> node((long) blocks[(int) (i / BLOCK)] * BLOCK + i % BLOCK);
    }
  };

  private static final int FIRST = 10 << 24;
  private static final int PORT = 5000;
  private static final int PORTS = 16;
  private static final int BLOCK = 256;

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

  /** A number from 0 to 98 for each hundred. */
  private static long chosen(long hundred) {
    return (Mixing.mix(hundred + 1) >>> 1) % 99;
  }
}
