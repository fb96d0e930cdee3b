// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Mixing;

/** Orders of IPv4 addresses that the JMH suite has beside those of {@link AddressPattern}. */
enum AddressOrder {
  /** All ports of a node, then those of the next. */
  NODES_BY_PORTS {
    @Override
    LongUnaryOperator keys(long count) {
      return i -> key(FIRST + (int) (i / PORTS), PORT + (int) (i % PORTS));
    }
  },
  /** All nodes with one port, then with the next. */
  PORTS_BY_NODES {
    @Override
    LongUnaryOperator keys(long count) {
      long nodes = (count + PORTS - 1) / PORTS;
      return i -> key(FIRST + (int) (i % nodes), PORT + (int) (i / nodes));
    }
  },
  /** Consecutive from the last to the first. */
  DESCENDING {
    @Override
    LongUnaryOperator keys(long count) {
      return i -> node(count - 1 - i);
    }
  },
  /** Every other node. */
  STRIDE_2 {
    @Override
    LongUnaryOperator keys(long count) {
      return i -> node(2 * i);
    }
  },
  /** Of each hundred consecutive nodes one is missing, nobody knows which. */
  GAPS {
    @Override
    LongUnaryOperator keys(long count) {
      return i -> {
        long hundred = i / 99;
        long place = i % 99;
        return node(hundred * 100 + place + (place >= chosen(hundred) ? 1 : 0));
      };
    }
  },
  /** Of each hundred one was there before, the others are consecutive. */
  DUPLICATES {
    @Override
    LongUnaryOperator keys(long count) {
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
  SHUFFLED_BLOCKS {
    @Override
    LongUnaryOperator keys(long count) {
      int[] blocks = Mixing.order(Math.toIntExact((count + BLOCK - 1) / BLOCK), 7);
      return i -> node((long) blocks[(int) (i / BLOCK)] * BLOCK + i % BLOCK);
    }
  };

  private static final int FIRST = 10 << 24;
  private static final int PORT = 5000;
  private static final int PORTS = 16;
  private static final int BLOCK = 256;

  /** Gives the address at each position of a list of that length. */
  abstract LongUnaryOperator keys(long count);

  /** A list of addresses; the name is that of a pattern or of an order. */
  static AddressList list(Arena arena, String name, Family family, int count) {
    if (Arrays.stream(AddressPattern.values()).anyMatch(each -> each.name().equals(name))) {
      return AddressList.of(arena, AddressPattern.valueOf(name), family, count);
    }
    if (family != Family.IPV4) {
      throw new IllegalArgumentException("no IPv6 addresses in the order " + name);
    }
    AddressList list = AddressList.allocate(arena, family, count);
    list.fill(AddressList.Filler.ipv4(valueOf(name).keys(count)), 0);
    return list;
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
