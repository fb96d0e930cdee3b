// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.testing.Quick.same;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.testing.Rounds;

/** Runs that come, grow, are cut and go, compared with addresses written down one by one. */
class RunsTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int STEPS = Rounds.of("ofi4j.runSteps", 1000, 2000);

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);
  private final BitSet free = new BitSet();
  private final Runs runs = new Runs(allocator, SEED, free::get, true);

  /** The same ones, where an address has one entry at most. */
  private final Runs single = new Runs(allocator, SEED, free::get, false);

  private final RunChanges changes = new RunChanges(runs);
  private final AddressKey key = new AddressKey();
  private final AddressKey other = new AddressKey();

  @AfterEach
  void close() {
    memory.close();
  }

  /** Ends entries at the end of a run, by one store; at least 1 is kept. */
  private void shorten(int run, int count) {
    runs.live().remove(runs.records().first(run) + count, Integer.MAX_VALUE);
    runs.records().setCount(run, count);
  }

  /** A run as it should be. */
  private static final class Plain {
    RunShape shape;
    int first;
    int count;
    int shares;

    Plain(RunShape shape, int first, int count, int shares) {
      this.shape = shape;
      this.first = first;
      this.count = count;
      this.shares = shares;
    }
  }

  private final TreeMap<Integer, Plain> plain = new TreeMap<>();

  @ParameterizedTest
  @ValueSource(ints = {0, 3})
  void doesWhatAMapDoes(int scarce) {
    SplittableRandom random = new SplittableRandom(SEED ^ scarce);
    long used = allocator.usedBytes();
    int end = 0;
    for (int step = 0; step < STEPS; step++) {
      memory.limit(random.nextInt(10) < scarce ? memory.held() : Long.MAX_VALUE);
      long usedBefore = allocator.usedBytes();
      String what = "step " + step + ", -Dofi4j.seed=" + SEED;
      try {
        end = act(random, end);
      } catch (OutOfMemoryError e) {
        assertThat(allocator.usedBytes()).as(what).isEqualTo(usedBefore);
      }
      compare(random, end, what);
      assertThat(runs.count()).as(what).isEqualTo(plain.size());
    }
    memory.limit(Long.MAX_VALUE);
    for (Plain run : plain.values()) {
      changes.drop(runs.at(run.first));
    }
    assertThat(runs.count()).isZero();
    assertThat(Runs.isEmpty(runs.version())).isTrue();
    assertThat(allocator.usedBytes()).isEqualTo(used);
  }

  private int act(SplittableRandom random, int end) {
    int choice = random.nextInt(100);
    if (choice < 30 || plain.isEmpty()) {
      int first = end + random.nextInt(3);
      RunShape shape = RunShapeTest.random(random);
      int count = 1 + random.nextInt(120);
      int run = changes.create(first, shape, 1 + random.nextInt(count), 0);
      assertThat(runs.at(first)).isZero();
      Plain made = new Plain(shape, first, 1, 0);
      changes.grow(run, 1);
      plain.put(first, made);
      try {
        changes.ensureReach(run, count);
        changes.grow(run, count);
        made.count = count;
      } catch (OutOfMemoryError e) {
        // It stays as it is.
      }
      return first + 130;
    }
    Plain run = plain.floorEntry(random.nextInt(end) + plain.firstKey()).getValue();
    int record = runs.at(run.first);
    if (choice < 50) {
      int count = run.count + random.nextInt(130 - run.count % 130);
      if (plain.higherKey(run.first) == null && run.first + count <= end) {
        changes.ensureReach(record, count);
        changes.grow(record, count);
        run.count = count;
      }
    } else if (choice < 60) {
      run.count = 1 + random.nextInt(run.count);
      shorten(record, run.count);
    } else if (choice < 85) {
      int from = random.nextInt(run.count);
      int to = from + 1 + random.nextInt(run.count - from);
      int shares = random.nextInt(4) - 1;
      int middle = changes.carve(record, from, to, shares);
      plain.remove(run.first);
      put(run, 0, from, run.shares);
      if (shares >= 0) {
        put(run, from, to, shares);
        assertThat(runs.at(run.first + from)).isEqualTo(middle);
      }
      put(run, to, run.count, run.shares);
    } else if (choice < 95) {
      changes.drop(record);
      plain.remove(run.first);
    } else {
      free.flip(run.first + random.nextInt(run.count));
    }
    return end;
  }

  private void put(Plain run, int from, int to, int shares) {
    if (to > from) {
      plain.put(
          run.first + from, new Plain(run.shape.from(from), run.first + from, to - from, shares));
    }
  }

  private void compare(SplittableRandom random, int end, String what) {
    for (int i = 0; i < 3; i++) {
      int index = random.nextInt(end + 10);
      Map.Entry<Integer, Plain> below = plain.floorEntry(index);
      boolean covered = below != null && index < below.getKey() + below.getValue().count;
      int run = runs.at(index);
      same(run != 0, covered, "index " + index + ", " + what);
      if (!covered) {
        continue;
      }
      Plain expected = below.getValue();
      same(runs.records().first(run), expected.first, "first");
      same(runs.records().count(run), expected.count, "count");
      same(runs.records().shares(run), expected.shares, "shares");
      expected.shape.at(index - expected.first, key);
      runs.records().load(run, index, other);
      same(key.sameAddress(other), true, "index " + index + ", " + what);
      same(runs.records().ipv4(run, index), expected.shape.ipv6() ? -1 : key.ipv4(), "ipv4");
      same(runs.find(key), find(expected, index), "find " + index + ", " + what);
      int any = single.find(key);
      same(any >= 0, find(expected, index) >= 0, what);
    }
    RunShape shape = RunShapeTest.random(random);
    shape.at(0, key);
    int found = runs.find(key);
    same(found, find(shape, 0), "find any, " + what);
    Set<Integer> near = new HashSet<>();
    runs.forEachNear(shape, 50, near::add);
    for (Plain run : plain.values()) {
      boolean common = false;
      for (int i = 0; i < 50 && run.shape.sameNetwork(shape); i++) {
        long position = run.shape.position(shape.node(i), shape.port(i));
        common |= position >= 0 && position < run.count;
      }
      if (common) {
        assertThat(near).as("near, " + what).contains(runs.at(run.first));
      }
    }
  }

  private int find(Plain of, int index) {
    return find(of.shape, index - of.first);
  }

  private int find(RunShape shape, int at) {
    for (Plain run : plain.values()) {
      if (run.shape.sameNetwork(shape)) {
        long position = run.shape.position(shape.node(at), shape.port(at));
        if (position >= 0 && position < run.count && !free.get(run.first + (int) position)) {
          return run.first + (int) position;
        }
      }
    }
    return -1;
  }

  /**
   * Readers beside a writer that makes, grows, cuts, shortens and drops runs. What lives throughout
   * is found throughout; whatever is found was there.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void readersSeeNeitherGhostsNorGaps(boolean all) throws InterruptedException {
    int steady = 64;
    int room = 64;
    List<RunShape> shapes = new ArrayList<>();
    Map<Long, Integer> homes = new HashMap<>();
    SplittableRandom random = new SplittableRandom(SEED);
    for (int i = 0; i < steady; i++) {
      // Addresses of these are nobody else's; half of the run lives throughout.
      boolean box = i % 4 == 3;
      RunShape shape =
          new RunShape(
              false,
              0,
              (10L << 24) + i * 1024,
              0,
              100,
              1,
              box ? 1 : 0,
              box ? 8 : Progression.ONE_ROW,
              false,
              0);
      shapes.add(shape);
      int run = changes.create(i * room, shape, room / 2, 0);
      changes.grow(run, room / 2);
      for (int k = 0; k < room; k++) {
        homes.put(shape.ipv4(k), i * room + k);
      }
    }
    long until = System.nanoTime() + Rounds.of("ofi4j.readers", 200, 500) * 1_000_000L;
    List<String> failures = new ArrayList<>();
    List<Thread> readers = new ArrayList<>();
    for (int reader = 0; reader < 2; reader++) {
      long seed = random.nextLong();
      readers.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  SplittableRandom mine = new SplittableRandom(seed);
                  while (System.nanoTime() < until) {
                    for (int i = 0; i < 1000; i++) {
                      look(shapes, homes, room, mine, all);
                    }
                  }
                } catch (Throwable e) {
                  synchronized (failures) {
                    failures.add(e + ", -Dofi4j.seed=" + SEED);
                  }
                }
              }));
    }
    long changes = 0;
    while (System.nanoTime() < until || changes <= 100) {
      int i = random.nextInt(steady);
      change(random, shapes.get(i), i * room, room);
      changes++;
    }
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(failures).isEmpty();
    assertThat(changes).isGreaterThan(100);
  }

  /** Cuts what lives throughout into other parts, and lets what is behind it come and go. */
  private void change(SplittableRandom random, RunShape shape, int first, int room) {
    int half = room / 2;
    int last = runs.at(first + half - 1);
    int start = runs.records().first(last);
    switch (random.nextInt(4)) {
      case 0 -> {
        changes.ensureReach(last, room + first - start);
        changes.grow(last, half + 1 + random.nextInt(half) + first - start);
      }
      case 1 -> shorten(last, half + first - start);
      case 2 -> {
        // All of it anew as one run: those before go, the last one having taken over.
        shorten(last, half + first - start);
        int at = runs.at(first + random.nextInt(half));
        int count = runs.records().count(at);
        if (count > 1) {
          int from = random.nextInt(count);
          changes.carve(at, from, from + 1 + random.nextInt(count - from), random.nextInt(3));
        }
      }
      default -> {
        int behind = first + half;
        if (runs.records().count(last) == half + first - start && runs.at(behind) == 0) {
          // Another run of the same addresses, at the indices where they belong.
          int run = changes.create(behind, shape.from(half), half, 0);
          changes.grow(run, 1 + random.nextInt(half));
          changes.drop(run);
        }
      }
    }
  }

  private void look(
      List<RunShape> shapes,
      Map<Long, Integer> homes,
      int room,
      SplittableRandom random,
      boolean all) {
    int i = random.nextInt(shapes.size());
    int position = random.nextInt(room);
    long word = shapes.get(i).ipv4(position);
    int index = i * room + position;
    int found = (all ? runs : single).findIpv4(word);
    if (found != index && (found != -1 || position < room / 2)) {
      throw new AssertionError("address at " + index + " was found at " + found);
    }
    while (true) {
      long version = runs.version();
      int run = runs.covering(version, index);
      long read = run > 0 ? runs.records().ipv4(run, index) : -1;
      if (run >= 0 && runs.isStill(version)) {
        if (read != word && (read != -1 || position < room / 2)) {
          throw new AssertionError("index " + index + " is " + read + " instead of " + word);
        }
        if (read != -1 && homes.get(read) != index) {
          throw new AssertionError("index " + index + " has a foreign address");
        }
        return;
      }
    }
  }
}
