// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;
import java.util.SplittableRandom;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;

/**
 * Prints what operations of a store cost in processor time: a look at the order of magnitude, no
 * benchmark and no test. "Together" and "away" are insertion and removal of 256 at a time. The
 * control is a random read of an array with eight bytes for each peer. Arguments: number of peers
 * (1000000), rounds (9).
 */
final class EntryStoreMeasurement {
  private static final String[] OPERATIONS = {
    "insert", "lookup", "find", "churn", "remove", "together", "away", "control"
  };

  private static final int TOGETHER = 256;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final int peers;
  private final int[] order;
  private final long[] control;

  private EntryStoreMeasurement(int peers) {
    this.peers = peers;
    order = new int[peers];
    control = new long[peers];
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < peers; i++) {
      int other = random.nextInt(i + 1);
      order[i] = order[other];
      order[other] = i;
    }
  }

  /** Runs. */
  public static void main(String[] arguments) {
    int peers = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1_000_000;
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 9;
    EntryStoreMeasurement measurement = new EntryStoreMeasurement(peers);
    measurement.series("IPv4", 0, false, rounds);
    measurement.series("IPv4, hint", peers, false, rounds);
    measurement.series("IPv6", 0, true, rounds);
  }

  private void series(String name, long expected, boolean wide, int rounds) {
    double[][] times = new double[OPERATIONS.length][rounds];
    MemoryUse use = MemoryUse.builder().build();
    for (int i = 0; i < rounds; i++) {
      use = round(expected, wide, times, i);
    }
    System.out.printf(
        Locale.ROOT,
        "%s: %.2f live, %.2f held bytes each%n",
        name,
        use.livePerPeer(peers),
        use.heldPerPeer(peers));
    for (int i = 0; i < OPERATIONS.length; i++) {
      Arrays.sort(times[i]);
      if (times[i][0] == 0) {
        continue;
      }
      System.out.printf(
          Locale.ROOT,
          "  %-8s best %6.1f  median %6.1f ns%n",
          OPERATIONS[i],
          times[i][0],
          times[i][rounds / 2]);
    }
  }

  private MemoryUse round(long expected, boolean wide, double[][] times, int round) {
    try (EntryStore store = EntryStore.open(expected, true, DuplicatePolicy.SHARE)) {
      AddressKey key = new AddressKey();
      times[0][round] = time(i -> store.insert(key(key, i, wide)));
      MemoryUse use = store.memory();
      times[1][round] =
          wide
              ? time(i -> store.load(order[i], key) ? key.word(1) : 0)
              : time(i -> store.ipv4(order[i]));
      times[2][round] = time(i -> store.find(key(key, order[i], wide)));
      times[3][round] =
          time(i -> {
            store.remove(order[i]);
            return store.insert(key(key, order[i], wide));
          });
      times[4][round] = time(i -> store.remove(order[i]));
      times[7][round] = time(i -> control[order[i]]);
      together(expected, wide, times, round);
      return use;
    }
  }

  private void together(long expected, boolean wide, double[][] times, int round) {
    int[] outcomes = new int[TOGETHER];
    long[] addresses = new long[TOGETHER];
    AddressKey[] keys = new AddressKey[TOGETHER];
    Arrays.setAll(keys, i -> new AddressKey());
    try (EntryStore store = EntryStore.open(expected, true, DuplicatePolicy.SHARE)) {
      times[5][round] =
          timeTogether((from, count) -> {
            if (wide) {
              for (int i = 0; i < count; i++) {
                key(keys[i], from + i, true);
              }
              store.insert(keys, count, outcomes);
              return;
            }
            for (int i = 0; i < count; i++) {
              addresses[i] = word(from + i);
            }
            store.insertIpv4(addresses, count, outcomes);
          });
      times[6][round] =
          timeTogether((from, count) -> {
            System.arraycopy(order, from, outcomes, 0, count);
            store.remove(outcomes, count, outcomes);
          });
    }
  }

  /** An odd multiplier permutes 48-bit words, so all are different, and scattered. */
  private static long word(int i) {
    return (i + 1) * 0x5DEE_CE66DL & (1L << 48) - 1;
  }

  private static AddressKey key(AddressKey key, int i, boolean wide) {
    long word = word(i);
    if (wide) {
      key.setIpv6(0xFE80L << 48, word, 5000, 0, 0);
    } else {
      key.setIpv4(word);
    }
    return key;
  }

  private interface Steps {
    void apply(int from, int count);
  }

  private double timeTogether(Steps steps) {
    long start = threads.getCurrentThreadCpuTime();
    for (int from = 0; from < peers; from += TOGETHER) {
      steps.apply(from, Math.min(TOGETHER, peers - from));
    }
    return (double) (threads.getCurrentThreadCpuTime() - start) / peers;
  }

  private interface Step {
    long apply(int i);
  }

  private double time(Step step) {
    long sum = 0;
    long start = threads.getCurrentThreadCpuTime();
    for (int i = 0; i < peers; i++) {
      sum += step.apply(i);
    }
    long end = threads.getCurrentThreadCpuTime();
    if (sum == 42) {
      System.out.print(' ');
    }
    return (double) (end - start) / peers;
  }
}
