// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.run.RunShape;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.Ranges;
import org.ofi4j.core.store.StoreOptions;

/**
 * The reader in C beside a writer, who dies now and then: it sees what is there all the while, and
 * nothing that never was.
 */
@Tag("AV-039")
class ChangingVectorInCTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int PASSES = Integer.getInteger("ofi4j.passes", 5);

  /** Addresses of each range in the vector that changes. */
  private static final int LENGTH = 6000;

  @TempDir private Path directory;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private final PrintedAddresses addresses = new PrintedAddresses(random);

  /** Each address tells which it is: what is put together of two is none of them. */
  @Test
  void aVectorThatChangesIsSeenAsItIs() throws Exception {
    StoreOptions options =
        StoreOptions.of(0, true, DuplicatePolicy.REJECT).withSeed(random.nextLong());
    Map<String, Integer> numbers = new HashMap<>();
    List<AddressKey> keys = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      AddressKey key = addresses.some();
      if (numbers.putIfAbsent(PrintedAddresses.text(key), keys.size()) == null) {
        keys.add(key);
      }
    }
    int ranges = keys.size();
    for (int i = 0; i < 3 * LENGTH; i++) {
      AddressKey key = new AddressKey();
      RunShape.of(range(i / LENGTH, i % LENGTH, 1)).at(0, key);
      numbers.put(PrintedAddresses.text(key), keys.size());
      keys.add(key);
    }
    AtomicBoolean enough = new AtomicBoolean();
    AtomicReference<Throwable> failed = new AtomicReference<>();
    Set<Long> everThere = new HashSet<>();
    // Indices that always have an entry, whose address is replaced again and again.
    List<Integer> moving = new ArrayList<>();
    NamedVector vector = NamedStores.vector(directory, options, false);
    try (NamedStore store = NamedStore.of(vector, options)) {
      Set<String> constant = new HashSet<>();
      store.begin();
      for (int i = 0; i < ranges; i += 10) {
        int index = store.insert(keys.get(i));
        everThere.add((long) index << 32 | i);
        constant.add(index + " " + PrintedAddresses.text(keys.get(i)));
      }
      for (int which = 0; which < 2; which++) {
        RangeOutcome outcome = Ranges.insert(store, range(which, 0, LENGTH));
        for (int i = 0; i < LENGTH; i++) {
          int number = ranges + which * LENGTH + i;
          int index = outcome.outcome(i);
          if (i % 40 >= 20) {
            // Gone before anybody looks: whoever sees it sees a ghost.
            store.remove(index);
            continue;
          }
          everThere.add((long) index << 32 | number);
          if (i % 40 == 3 && i < 400) {
            moving.add(index);
          } else if (i % 40 < 4) {
            constant.add(index + " " + PrintedAddresses.text(keys.get(number)));
          }
        }
      }
      for (int i = 5; i < 100; i += 10) {
        int index = store.insert(keys.get(i));
        everThere.add((long) index << 32 | i);
        moving.add(index);
      }
      store.end();
      CReader dawdling = new CReader(directory, "-DDAWDLE");
      Thread writer =
          new Thread(() -> {
            try {
              while (!enough.get()) {
                change(store, keys, ranges, everThere);
                replace(store, keys, ranges, everThere, moving);
                if (random.nextInt(3000) == 0) {
                  NamedStores.failChange(vector);
                }
              }
            } catch (Throwable e) {
              failed.set(e);
            }
          });
      writer.start();
      List<String> lines;
      try {
        lines = dawdling.read(CReader.control(directory), PASSES);
      } finally {
        enough.set(true);
        writer.join();
      }
      assertThat(failed.get()).isNull();
      int missing = constant.size() + moving.size();
      int ends = 0;
      for (String line : lines) {
        int allocator = line.indexOf(' ');
        if (line.startsWith("end ")) {
          assertThat(missing).as("constant entries that pass %s lacks; %s", ends, seed()).isZero();
          missing = constant.size() + moving.size();
          ends++;
          continue;
        }
        Integer number = numbers.get(line.substring(allocator + 1));
        long index = Long.parseLong(line.substring(0, allocator));
        if (number == null || !everThere.contains(index << 32 | number)) {
          throw new AssertionError(line + " was never there; " + seed());
        }
        missing -= constant.contains(line) || moving.contains((int) index) ? 1 : 0;
      }
      assertThat(ends).isEqualTo(PASSES);
    }
  }

  /** Changes a little, but neither what is constant nor what is gone for good. */
  private void change(NamedStore store, List<AddressKey> keys, int ranges, Set<Long> everThere) {
    store.begin();
    int which = random.nextInt(12);
    if (which < 3) {
      int first = which == 2 ? random.nextInt(LENGTH - 300) : random.nextInt(LENGTH / 40) * 40 + 4;
      int count = 1 + random.nextInt(which == 2 ? 300 : 16);
      int number = ranges + which * LENGTH + first;
      if (random.nextBoolean()) {
        keys.subList(number, number + count).forEach(key -> remove(store, key));
      }
      if (random.nextBoolean()) {
        RangeOutcome outcome = Ranges.insert(store, range(which, first, count));
        for (int i = 0; i < count; i++) {
          if (outcome.outcome(i) >= 0) {
            everThere.add((long) outcome.outcome(i) << 32 | number + i);
          }
        }
      }
    } else {
      int number = random.nextInt(ranges);
      if (number % 5 != 0) {
        remove(store, keys.get(number));
        int index = random.nextInt(3) == 0 ? -1 : store.insert(keys.get(number));
        if (index >= 0) {
          everThere.add((long) index << 32 | number);
        }
      }
    }
    store.end();
  }

  /** Lets an entry that is always there have another address that no other change touches. */
  private void replace(
      NamedStore store,
      List<AddressKey> keys,
      int ranges,
      Set<Long> everThere,
      List<Integer> moving) {
    int number = random.nextInt(ranges / 10) * 10 + 5;
    int index = moving.get(random.nextInt(moving.size()));
    everThere.add((long) index << 32 | number);
    store.begin();
    store.replace(index, keys.get(number));
    store.end();
  }

  private static void remove(NamedStore store, AddressKey key) {
    int index = store.find(key);
    if (index >= 0) {
      store.remove(index);
    }
  }

  /** A part of one of three ranges. */
  private static AddressRange range(int which, int first, int count) {
    return which == 1
        ? new AddressRange(true, 0x2001_0DB8L << 32, 0x1_0000_0000L + first, 5, 777, count, 1)
        : Ranges.nodes(0x0B00_0000L + (which << 16) + first, count);
  }

  private static String seed() {
    return "repeat with -Dofi4j.seed=" + SEED;
  }
}
