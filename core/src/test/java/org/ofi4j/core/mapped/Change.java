// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;
import org.ofi4j.core.store.Ranges;
import org.ofi4j.core.store.Searches;
import org.ofi4j.core.store.StoreOptions;

/** Changes during which writers die, of a store that has a little of everything. */
public enum Change {
  INSERT_FIRST(DuplicatePolicy.SHARE) {
    @Override
    void prepare(EntryStore store) {}

    @Override
    void apply(EntryStore store) {
      store.insert(ipv4(7));
    }
  },
  INSERT_IPV4(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      store.insert(ipv4(700));
    }
  },
  INSERT_IPV6(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      store.insert(ipv6(700));
      store.insert(ipv6(701));
    }
  },
  SHARE(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      store.insert(ipv4(3));
      store.insert(ipv6(4));
      store.insert(row(20));
    }
  },
  UNSHARE(DuplicatePolicy.SHARE) {
    @Override
    void prepare(EntryStore store) {
      super.prepare(store);
      SHARE.apply(store);
    }

    @Override
    void apply(EntryStore store) {
      store.remove(store.find(ipv4(3)));
      int inRun = store.find(row(20));
      store.remove(inRun);
      store.remove(inRun);
    }
  },
  /** Partitions of cells grow, split, and come under a deeper directory. */
  INSERT_MANY(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      long[] words = IntStream.range(1000, 7500).mapToLong(Change::scattered).toArray();
      store.insertIpv4(words, words.length, new int[words.length]);
    }
  },
  /** Of all kinds, some of them twice, and some that are there. */
  INSERT_TOGETHER(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      AddressKey[] keys =
          IntStream.range(0, 60)
              .mapToObj(i -> i % 10 == 0 ? ipv4(i) : ipv6(i % 50))
              .toArray(AddressKey[]::new);
      store.insert(keys, keys.length, new int[keys.length]);
    }
  },
  INSERT_ROW(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      long[] words = IntStream.range(500, 700).mapToLong(i -> row(i).ipv4()).toArray();
      store.insertIpv4(words, words.length, new int[words.length]);
    }
  },
  /** The second row goes on from the first one; one address begins another. */
  INSERT_ROWS(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      for (int from = 500; from < 540; from += 20) {
        long[] words = IntStream.range(from, from + 20).mapToLong(i -> row(i).ipv4()).toArray();
        store.insertIpv4(words, words.length, new int[words.length]);
      }
      store.insert(ipv4Word((0x0B00_0000L + 500) << 16 | 2000));
    }
  },
  /** Some of it is there, in runs and by itself. */
  INSERT_RANGE(DuplicatePolicy.SHARE) {
    @Override
    void prepare(EntryStore store) {
      super.prepare(store);
      store.insert(ipv4Word(0x0C00_0007L << 16 | 1003));
      Ranges.insert(store, new AddressRange(false, 0, 0x0C00_0010L, 0, 1000, 3, 8));
    }

    @Override
    void apply(EntryStore store) {
      Ranges.insert(store, new AddressRange(false, 0, 0x0C00_0000L, 0, 1000, 40, 20));
    }
  },
  INSERT_RANGE_IPV6(DuplicatePolicy.NEW_INDEX) {
    @Override
    void apply(EntryStore store) {
      Ranges.insert(store, new AddressRange(true, 0x2001L << 48, 100, 0, 1000, 40, 5));
      Ranges.insert(store, new AddressRange(true, 0x2001L << 48, 120, 0, 1002, 40, 1));
    }
  },
  INSERT_DUPLICATES(DuplicatePolicy.NEW_INDEX) {
    @Override
    void apply(EntryStore store) {
      for (int i = 0; i < 6; i++) {
        store.insert(ipv4(3));
        store.insert(ipv6(4));
      }
    }
  },
  REMOVE_DUPLICATES(DuplicatePolicy.NEW_INDEX) {
    @Override
    void prepare(EntryStore store) {
      super.prepare(store);
      INSERT_DUPLICATES.apply(store);
    }

    @Override
    void apply(EntryStore store) {
      for (int i = 0; i < 4; i++) {
        store.remove(store.find(ipv4(3)));
        store.remove(store.find(ipv6(4)));
      }
    }
  },
  REMOVE(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      store.remove(store.find(ipv4(9)));
      store.remove(store.find(ipv6(9)));
      store.remove(store.find(row(30)));
    }
  },
  /** Free indices become an array, a bitmap, and none at the end. */
  REMOVE_MANY(DuplicatePolicy.SHARE) {
    @Override
    void prepare(EntryStore store) {
      super.prepare(store);
      long[] words = IntStream.range(1000, 3400).mapToLong(Change::scattered).toArray();
      store.insertIpv4(words, words.length, new int[words.length]);
    }

    @Override
    void apply(EntryStore store) {
      int first = Searches.find(store, scattered(1000));
      int[] indices = IntStream.range(0, 1150).map(i -> first + 2 * i).toArray();
      store.remove(indices, indices.length, new int[indices.length]);
    }
  },
  /** From the last one on: runs and indices end sooner and sooner. */
  REMOVE_LAST(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      int last = (int) store.size() + 40;
      for (int i = last; i >= 60; i--) {
        store.remove(i);
      }
    }
  },
  /** Entries come into the holes of runs, where there are no slots. */
  FILL_HOLES(DuplicatePolicy.SHARE) {
    @Override
    void prepare(EntryStore store) {
      super.prepare(store);
      Ranges.insert(store, Ranges.nodes(0x0D00_0000L, 4_300));
      int first = Searches.find(store, 0x0D00_0000L << 16 | 7);
      for (int i = 0; i < 12; i++) {
        store.remove(first + 4_200 + i);
      }
      // What is free before them.
      int next = 2000;
      while (store.insert(ipv4(next)) < first) {
        next++;
      }
      store.remove(store.find(ipv4(next)));
    }

    @Override
    void apply(EntryStore store) {
      for (int i = 0; i < 4; i++) {
        store.insert(i % 2 == 0 ? ipv4(800 + i) : ipv6(800 + i));
      }
    }
  },
  EMPTY_HOLES(DuplicatePolicy.SHARE) {
    @Override
    void prepare(EntryStore store) {
      FILL_HOLES.prepare(store);
      FILL_HOLES.apply(store);
    }

    @Override
    void apply(EntryStore store) {
      store.remove(store.find(ipv4(800)));
      store.remove(store.find(ipv6(801)));
      store.publish(store.reserve(), ipv4(810));
      store.cancel(store.reserve());
    }
  },
  RESERVE(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      int one = store.reserve();
      int other = store.reserve();
      store.publish(one, ipv6(700));
      store.cancel(other);
      store.publish(store.reserve(), ipv4(3));
    }
  },
  /** What is reserved, anew and where something was, is left to who comes next. */
  LEAVE_RESERVED(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      store.reserve();
      store.insert(ipv4(800));
      store.reserve();
      store.remove(store.find(ipv4(3)));
      store.reserve();
      store.reserve();
    }
  },
  MARK(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      store.markFirewall(store.find(ipv4(3)));
      store.markFirewall(store.find(row(40)));
    }
  },
  /** Entries get other addresses: from slot to slot, record to record, and slot to record. */
  REPLACE(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      store.replace(store.find(ipv4(5)), ipv4(700));
      store.replace(store.find(ipv6(6)), ipv6(700));
      store.replace(store.find(ipv4(12)), ipv6(701));
    }
  },
  /** Entries leave a run, one that is shared and one that is marked; another one had left it. */
  REPLACE_IN_RUN(DuplicatePolicy.SHARE) {
    @Override
    void prepare(EntryStore store) {
      super.prepare(store);
      long[] words = IntStream.range(60, 80).mapToLong(i -> row(i).ipv4()).toArray();
      store.insertIpv4(words, words.length, new int[words.length]);
      store.insert(row(71));
      store.replace(store.find(row(61)), ipv4(702));
    }

    @Override
    void apply(EntryStore store) {
      store.replace(store.find(row(30)), ipv4(700));
      store.replace(store.find(row(70)), ipv6(700));
      store.replace(store.find(row(71)), ipv4(701));
      store.replace(store.find(ipv4(702)), row(61));
    }
  },
  /** Of several entries with one address the first one, and others, get one that others have. */
  REPLACE_ONE_OF_SEVERAL(DuplicatePolicy.NEW_INDEX) {
    @Override
    void prepare(EntryStore store) {
      super.prepare(store);
      for (int i = 0; i < 4; i++) {
        store.insert(ipv4(3));
        store.insert(ipv6(4));
      }
    }

    @Override
    void apply(EntryStore store) {
      store.replace(store.find(ipv4(3)), ipv6(4));
      store.replace(store.find(row(40)), ipv4(3));
      store.replace(store.find(ipv4(12)), ipv6(700));
    }
  },
  /** A key gets its number, and entries under it. */
  INSERT_KEY(DuplicatePolicy.SHARE) {
    @Override
    void prepare(EntryStore store) {
      super.prepare(store);
      prepareKeys(store);
    }

    @Override
    void apply(EntryStore store) {
      int old = take(store, 1);
      int fresh = take(store, 3);
      insertUnder(store, 700, old);
      insertUnder(store, 700, fresh);
    }
  },
  /** A key goes with what is under it, and another one gets its number. */
  REPLACE_KEY(DuplicatePolicy.SHARE) {
    @Override
    void prepare(EntryStore store) {
      super.prepare(store);
      prepareKeys(store);
    }

    @Override
    void apply(EntryStore store) {
      int old = take(store, 1);
      for (int i = 3; i < 5; i++) {
        AddressKey key = ipv4(i);
        key.putUnder(old);
        store.remove(store.find(key));
        keys(store).countEntries(old, -1);
      }
      keys(store).free(old);
      insertUnder(store, 3, take(store, 4));
    }
  },
  /** Of entries in wide slots, one of which is used again, and one that has a record then. */
  WIDE(DuplicatePolicy.SHARE) {
    @Override
    void apply(EntryStore store) {
      store.remove(store.find(ipv6(6)));
      store.insert(ipv6(702));
      store.replace(store.find(ipv6(9)), ipv6(705));
      store.insert(ipv6(708));
    }
  },
  /** Without reuse, what dies stays dead. */
  APPEND(DuplicatePolicy.REJECT, false) {
    @Override
    void apply(EntryStore store) {
      store.remove(store.find(ipv4(9)));
      store.remove(store.find(row(30)));
      store.insert(ipv4(9));
      store.insert(row(31));
      store.insert(row(30));
    }
  };

  private final DuplicatePolicy duplicates;
  private final boolean reuse;

  Change(DuplicatePolicy duplicates) {
    this(duplicates, true);
  }

  Change(DuplicatePolicy duplicates, boolean reuse) {
    this.duplicates = duplicates;
    this.reuse = reuse;
  }

  public StoreOptions options() {
    return StoreOptions.of(0, reuse, duplicates).withSeed(11).withWideSlots(this == WIDE);
  }

  /** Whether there are entries under keys. */
  boolean hasKeys() {
    return this == INSERT_KEY || this == REPLACE_KEY;
  }

  /** Whether who has made it has something that others give back once it is dead. */
  boolean leavesSomething() {
    return this == LEAVE_RESERVED || hasKeys();
  }

  /** Fills a store. */
  void prepare(EntryStore store) {
    for (int i = 0; i < 40; i++) {
      store.insert(ipv4(i));
      if (i < 20) {
        store.insert(ipv6(i));
      }
    }
    long[] words = IntStream.range(0, 100).mapToLong(i -> row(i).ipv4()).toArray();
    store.insertIpv4(words, words.length, new int[words.length]);
    Ranges.insert(store, new AddressRange(false, 0, 0x0E00_0000L, 0, 1000, 5, 20));
    store.insert(ipv4(12));
    store.markFirewall(store.find(ipv4(5)));
    store.markFirewall(store.find(row(70)));
    store.remove(store.find(ipv4(20)));
    store.remove(store.find(ipv6(11)));
    store.remove(store.find(row(50)));
    store.remove(store.find(row(51)));
  }

  /** Two keys with entries, that nobody holds any more; one number in between is free. */
  private static void prepareKeys(EntryStore store) {
    int[] numbers = {take(store, 1), take(store, 9), take(store, 2)};
    for (int i = 3; i < 5; i++) {
      insertUnder(store, i, numbers[0]);
      insertUnder(store, i, numbers[2]);
    }
    for (int number : numbers) {
      keys(store).free(number);
    }
  }

  private static KeyNumbers keys(EntryStore store) {
    return store.keyNumbers(0);
  }

  /** The number of one of some keys. */
  private static int take(EntryStore store, int which) {
    byte[] fingerprint = new byte[KeyedHash.FINGERPRINT_BYTES];
    Arrays.fill(fingerprint, (byte) which);
    return keys(store).allocate(fingerprint);
  }

  private static void insertUnder(EntryStore store, int i, int number) {
    AddressKey key = ipv4(i);
    key.putUnder(number);
    long before = store.size();
    store.insert(key);
    keys(store).countEntries(number, (int) (store.size() - before));
  }

  /** What a writer does that nobody sees later. */
  static void passBy(EntryStore store) {
    for (int i = 900; i < 905; i++) {
      store.remove(store.insert(ipv6(i)));
    }
  }

  /** Changes it. */
  abstract void apply(EntryStore store);

  private static long scattered(int i) {
    return (0x0A00_0000L + (0x9E37_79B1L * i & 0xFF_FFFF)) << 16 | 1000;
  }

  private static AddressKey ipv4(int i) {
    return ipv4Word(scattered(i));
  }

  private static AddressKey ipv4Word(long word) {
    AddressKey key = new AddressKey();
    key.setIpv4(word);
    return key;
  }

  private static AddressKey ipv6(int i) {
    AddressKey key = new AddressKey();
    key.setIpv6(0x2001_0DB8L << 32, 7919L * i, 1000, i % 3, 0);
    return key;
  }

  /** One of successive nodes. */
  private static AddressKey row(int i) {
    return ipv4Word((0x0B00_0000L + i) << 16 | 1000);
  }
}
