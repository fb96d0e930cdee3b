// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.lang.foreign.Arena;
import org.jspecify.annotations.Nullable;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Mixing;

/**
 * What both sides work on: addresses, others to exchange them for, and a random order.
 *
 * @param addresses what is inserted
 * @param others as many others, or null where nothing is exchanged
 * @param order positions in random order
 * @param sum what a lookup of all gives
 */
public record Workload(AddressList addresses, @Nullable AddressList others, int[] order, long sum) {
  private static final int SEED = 42;

  /** The last order, because most workloads of a process have the same size. */
  private static volatile int[] lastOrder = {};

  /** A workload without others. */
  public static Workload of(Arena arena, AddressPattern pattern, Family family, int count) {
    AddressList addresses = AddressList.of(arena, pattern, family, count);
    return new Workload(addresses, null, order(count), addresses.sum());
  }

  /** A workload whose addresses can be exchanged for others of the pattern. */
  static Workload withOthers(Arena arena, AddressPattern pattern, Family family, int count) {
    AddressList addresses = AddressList.part(arena, pattern, family, 0, count);
    AddressList others = AddressList.part(arena, pattern, family, count, count);
    return new Workload(addresses, others, order(count), addresses.sum());
  }

  private static int[] order(int count) {
    int[] order = lastOrder;
    if (order.length != count) {
      order = Mixing.order(count, SEED);
      lastOrder = order;
    }
    return order;
  }

  /** How many addresses there are. */
  public int count() {
    return addresses.count();
  }

  Family family() {
    return addresses.family();
  }
}
