package org.ofi4j.core.av;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Locale;
import java.util.SplittableRandom;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.MemoryUse;
import org.ofi4j.core.address.AddressKey;

/**
 * Prints what operations of a store cost in processor time: a look at the order of magnitude, no
 * benchmark and no test. Arguments: number of peers (1000000), rounds (5).
 */
final class EntryStoreMeasurement {
  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final int peers;
  private final int[] order;

  private EntryStoreMeasurement(int peers) {
    this.peers = peers;
    order = new int[peers];
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
    int rounds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 5;
    EntryStoreMeasurement measurement = new EntryStoreMeasurement(peers);
    for (int i = 0; i < rounds; i++) {
      measurement.round("IPv4", 0, false);
      measurement.round("IPv4 hint", peers, false);
      measurement.round("IPv6", 0, true);
    }
  }

  private void round(String name, long expected, boolean wide) {
    try (EntryStore store = EntryStore.open(expected, true, DuplicatePolicy.SHARE)) {
      AddressKey key = new AddressKey();
      final double insert = time(i -> store.insert(key(key, i, wide)));
      final MemoryUse use = store.memory();
      final double lookup =
          wide
              ? time(i -> store.load(order[i], key) ? key.word(1) : 0)
              : time(i -> store.ipv4(order[i]));
      final double load = time(i -> store.load(order[i], key) ? key.word(0) : 0);
      final double find = time(i -> store.find(key(key, order[i], wide)));
      final double churn =
          time(i -> {
            store.remove(order[i]);
            return store.insert(key(key, order[i], wide));
          });
      final double remove = time(i -> store.remove(order[i]));
      System.out.printf(
          Locale.ROOT,
          "%-10s insert %6.1f  lookup %5.1f  load %5.1f  find %6.1f  churn %6.1f  remove %6.1f ns;"
              + "  %.2f live, %.2f held bytes each; empty: %d live%n",
          name,
          insert,
          lookup,
          load,
          find,
          churn,
          remove,
          use.livePerPeer(peers),
          use.heldPerPeer(peers),
          store.memory().live());
    }
  }

  private static AddressKey key(AddressKey key, int i, boolean wide) {
    // An odd multiplier permutes 48-bit words, so all are different, and scattered.
    long word = (i + 1) * 0x5DEE_CE66DL & (1L << 48) - 1;
    if (wide) {
      key.setIpv6(0xFE80L << 48, word, 5000, 0, 1);
    } else {
      key.setIpv4(word);
    }
    return key;
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
