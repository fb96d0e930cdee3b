// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;

/**
 * A process that changes a named vector until it is killed, and says before each change what it is
 * going to do and after it what became of it. Its addresses are its own.
 */
final class NamedStoreWriter {
  /** How all processes open the vector. */
  static final StoreOptions OPTIONS = StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(1);

  private final SplittableRandom random;
  private final int number;
  private final List<Integer> mine = new ArrayList<>();
  private int next;

  private NamedStoreWriter(int number) {
    this.number = number;
    this.random = new SplittableRandom(number);
  }

  public static void main(String[] args) {
    new NamedStoreWriter(Integer.parseInt(args[1])).run(Path.of(args[0]));
  }

  private void run(Path directory) {
    try (NamedStore store = NamedStore.of(NamedStores.vector(directory, OPTIONS, false), OPTIONS)) {
      while (true) {
        LockSupport.parkNanos(random.nextInt(200_000));
        if (random.nextInt(10) < 6 || mine.size() < 50) {
          insert(store);
        } else {
          remove(store);
        }
      }
    }
  }

  private void insert(EntryStore store) {
    int count = random.nextInt(4) > 0 ? 1 + random.nextInt(3) : 20 + random.nextInt(100);
    int step = random.nextInt(3) > 0 ? 1 : 2;
    long[] words = new long[count];
    for (int i = 0; i < count; i++) {
      words[i] = address(number, next);
      next += step;
    }
    say("+", Arrays.stream(words).boxed().map(String::valueOf).toList());
    int[] outcomes = new int[count];
    store.begin();
    try {
      store.insertIpv4(words, count, outcomes);
    } finally {
      store.end();
    }
    Arrays.stream(outcomes).forEach(mine::add);
    say("=", Arrays.stream(outcomes).boxed().map(String::valueOf).toList());
  }

  private void remove(EntryStore store) {
    int count = 1 + random.nextInt(Math.min(mine.size(), random.nextInt(5) == 0 ? 100 : 3));
    int[] indices = new int[count];
    for (int i = 0; i < count; i++) {
      indices[i] = mine.remove(random.nextInt(mine.size()));
    }
    say("-", Arrays.stream(indices).boxed().map(String::valueOf).toList());
    int[] outcomes = new int[count];
    store.begin();
    try {
      store.remove(indices, count, outcomes);
    } finally {
      store.end();
    }
    say("=", Arrays.stream(outcomes).boxed().map(String::valueOf).toList());
  }

  /** The n-th address of a process. */
  static long address(int process, int n) {
    return (0x0A00_0000L | (long) (process & 0xFF) << 16 | n & 0xFFFF) << 16
        | 1000 + (n >>> 16) + 64L * (process >>> 8);
  }

  private static void say(String what, List<String> numbers) {
    System.out.println(what + numbers.stream().collect(Collectors.joining(" ")));
    System.out.flush();
  }
}
