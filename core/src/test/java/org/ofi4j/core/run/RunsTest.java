// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.run;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.testing.Quick.same;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.slot.Slots;
import org.ofi4j.core.testing.Rounds;

/** Runs that come, grow, are cut and go, compared with a map of runs. */
class RunsTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int STEPS = Rounds.of("ofi4j.runSteps", 1000, 2000);

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);
  private final Slots slots = new Slots(memory, 0, false);
  private final Runs runs = new Runs(allocator, SEED, slots, true);

  /** The same ones, where an address has one entry at most. */
  private final Runs single = new Runs(allocator, SEED, slots, false);

  private final AddressKey key = new AddressKey();
  private final AddressKey other = new AddressKey();
  private final TreeMap<Integer, Run> plain = new TreeMap<>();

  @AfterEach
  void close() {
    memory.close();
  }

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
      assertThat(runs.present().count()).as(what).isEqualTo(plain.size());
      assertThat(runs.usedBytes()).as(what).isEqualTo(allocator.usedBytes() - used);
    }
    memory.limit(Long.MAX_VALUE);
    runs.replace(0, Integer.MAX_VALUE, List.of());
    assertThat(runs.present().isEmpty()).isTrue();
    assertThat(runs.isEmpty()).isTrue();
    assertThat(allocator.usedBytes()).isEqualTo(used);
  }

  private int act(SplittableRandom random, int end) {
    int choice = random.nextInt(100);
    if (choice < 30 || plain.isEmpty()) {
      int first = end + random.nextInt(3);
      RunShape shape = RunShapeTest.random(random);
      int count = 1 + random.nextInt(Math.min(120, shape.limit()));
      replace(first, first + count, new Run(first, count, shape, 3, 0));
      return first + 130;
    }
    Run run = plain.floorEntry(random.nextInt(end) + plain.firstKey()).getValue();
    if (choice < 50) {
      Integer next = plain.higherKey(run.first());
      int room = Math.min(run.shape().limit(), (next == null ? end : next) - run.first());
      replace(
          run.first(),
          run.end(),
          run.part(run.first(), run.first() + 1 + random.nextInt(Math.min(130, room))));
    } else if (choice < 85) {
      int from = run.first() + random.nextInt(run.count());
      int to = from + 1 + random.nextInt(run.end() - from);
      List<Run> parts = new ArrayList<>();
      if (from > run.first()) {
        parts.add(run.part(run.first(), from));
      }
      if (random.nextInt(4) > 0) {
        parts.add(run.part(from, to).withShares(random.nextInt(3)));
      }
      if (to < run.end()) {
        parts.add(run.part(to, run.end()));
      }
      replace(run.first(), run.end(), parts.toArray(new Run[0]));
    } else if (choice < 90) {
      replace(run.first(), run.end());
    } else if (choice < 92) {
      // Several at once.
      int to = run.end() + random.nextInt(500);
      replace(run.first(), to);
    } else {
      giveSlot(run, run.first() + random.nextInt(run.count()));
    }
    return end;
  }

  private void replace(int from, int to, Run... come) {
    runs.replace(from, to, Stream.of(come).map(runs::counted).toList());
    plain.subMap(from, to).clear();
    for (Run run : come) {
      if (runs.counted(run).slots() < run.count()) {
        plain.put(run.first(), run);
      }
    }
  }

  private void giveSlot(Run run, int index) {
    if (slots.word(index) == 0) {
      slots.ensure(index, true);
      slots.free(index, 4);
      assertThat(runs.slotCount(run)).isEqualTo(slots.countUsed(run.first(), run.end()) - 1);
      runs.addSlot(run);
      if (slots.countUsed(run.first(), run.end()) == run.count()
          && runs.present().at(run.first()) == null) {
        plain.remove(run.first());
      }
    }
  }

  private void compare(SplittableRandom random, int end, String what) {
    for (int i = 0; i < 3; i++) {
      int index = random.nextInt(end + 10);
      Map.Entry<Integer, Run> below = plain.floorEntry(index);
      Run expected = below == null || index >= below.getValue().end() ? null : below.getValue();
      Run run = runs.at(index);
      assertThat(run).as("index %s, %s", index, what).isEqualTo(expected);
      assertThat(single.present().at(index)).as("read again, %s", what).isEqualTo(expected);
      if (run == null) {
        continue;
      }
      expected.shape().at(index - expected.first(), key);
      run.load(index, other);
      same(key.sameAddress(other), true, "index " + index + ", " + what);
      same(run.holds(index, key), true, "holds, " + what);
      same(run.ipv4(index), run.shape().ipv6() ? -1 : key.ipv4(), "ipv4");
      same(find(runs, key), lowest(key), "find " + index + ", " + what);
      same(find(single, key) >= 0, lowest(key) >= 0, what);
    }
    RunShape shape = RunShapeTest.random(random);
    shape.at(0, key);
    same(find(runs, key), lowest(key), "find any, " + what);
    Set<Run> near = runs.near(shape, 50);
    for (Run run : plain.values()) {
      boolean common = false;
      for (int i = 0; i < 50 && !common; i++) {
        shape.at(i, key);
        long position = run.shape().positionOf(key);
        common = position >= 0 && position < run.count();
      }
      if (common) {
        assertThat(near).as("near, " + what).contains(run);
      }
    }
  }

  private static int find(Runs in, AddressKey key) {
    return in.find(in.present(), key);
  }

  private int lowest(AddressKey address) {
    for (Run run : plain.values()) {
      long position = run.shape().positionOf(address);
      if (position >= 0 && position < run.count()) {
        int index = run.first() + (int) position;
        if (slots.word(index) == 0) {
          return index;
        }
      }
    }
    return -1;
  }

  /** Runs in large steps, which enclose each other, and equal ones. */
  @Test
  void isCrowdedWhereEightRunsLieOverAnAddress() {
    RunShape shape = RunShape.row(10L << 40 | 7, 1000, 0);
    for (int i = 0; i < 8; i++) {
      assertThat(runs.isCrowded(shape, 100)).as("%s runs", i).isFalse();
      RunShape between = RunShape.row((10L << 40 | 7) + ((long) i << 16), 1000, 0);
      replace(100 * i, 100 * i + 100, new Run(100 * i, 100, between, 0, 0));
    }
    assertThat(runs.isCrowded(shape, 100)).isTrue();
    assertThat(runs.isCrowded(shape.from(99), 1)).as("behind seven of them").isFalse();
    assertThat(runs.isCrowded(RunShape.row(11L << 40, 1, 0), 100)).isFalse();
  }

  /** Memory with anything in it. */
  @Test
  void runsThatCannotBeAreDamage() {
    replace(5, 105, new Run(5, 100, RunShape.row(10L << 40 | 7, 1, 0), 0, 0));
    replace(105, 205, new Run(105, 100, RunShape.row(11L << 40 | 7, 1, 0), 0, 0));
    long word = allocator.root().get(JAVA_LONG, Superblock.RUNS);
    int unit = Runs.unit(word);
    long at = allocator.offset(unit);
    for (long[] damage :
        new long[][] {
          {0, 0}, {0, -1}, {0, 5000}, {8, -1}, {12, 0}, {12, 101}, {16, 0}, {64 + 8, 104}
        }) {
      int before = allocator.segment(unit).get(JAVA_INT, at + damage[0]);
      allocator.segment(unit).set(JAVA_INT, at + damage[0], (int) damage[1]);
      Runs reader = new Runs(allocator, SEED, slots, true);
      assertThatThrownBy(reader::present)
          .as("%s at %s", damage[1], damage[0])
          .isInstanceOf(IllegalStateException.class);
      allocator.segment(unit).set(JAVA_INT, at + damage[0], before);
    }
    allocator.root().set(JAVA_LONG, Superblock.RUNS, word | 1L << 30);
    assertThatThrownBy(new Runs(allocator, SEED, slots, true)::present)
        .isInstanceOf(IllegalStateException.class);
    allocator.root().set(JAVA_LONG, Superblock.RUNS, word);
    assertThat(new Runs(allocator, SEED, slots, true).at(5)).isEqualTo(runs.at(5));
  }

  /**
   * Readers beside a writer that grows, cuts, and shortens runs. They find what lives throughout,
   * and nothing that was never there.
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
      // No others have these addresses; half of the run lives throughout.
      int inner = i % 4 == 3 ? 8 : RunShape.ONE_ROW;
      RunShape shape =
          new RunShape(
              false, 0, (10L << 24) + i * 1024, 0, 100, 1, i % 4 == 3 ? 1 : 0, inner, false, 0);
      shapes.add(shape);
      replace(i * room, i * room + room, new Run(i * room, room / 2, shape, 0, 0));
      for (int k = 0; k < room; k++) {
        homes.put(shape.ipv4(k), i * room + k);
      }
    }
    AtomicBoolean ended = new AtomicBoolean();
    AtomicLong looks = new AtomicLong();
    List<String> failures = Collections.synchronizedList(new ArrayList<>());
    List<Thread> readers = new ArrayList<>();
    for (int reader = 0; reader < 2; reader++) {
      SplittableRandom own = random.split();
      // As in another process: it reads the runs from memory.
      Runs read = new Runs(allocator, SEED, slots, all);
      readers.add(
          Thread.ofPlatform()
              .start(() -> {
                try {
                  while (!ended.get()) {
                    look(read, shapes, homes, room, own);
                    looks.incrementAndGet();
                  }
                } catch (Throwable e) {
                  failures.add(e + ", -Dofi4j.seed=" + SEED);
                }
              }));
    }
    int changes = 0;
    int least = Rounds.of("ofi4j.readers", 20_000, 50_000);
    while ((changes < least || looks.get() < least) && failures.isEmpty()) {
      int i = random.nextInt(steady);
      change(random, shapes.get(i), i * room, room);
      changes++;
    }
    ended.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(failures).isEmpty();
  }

  /** Cuts the run into other parts, with or without the addresses behind those that stay. */
  private void change(SplittableRandom random, RunShape shape, int first, int room) {
    int half = room / 2;
    Run whole = new Run(first, half + random.nextInt(half + 1), shape, 0, 0);
    int cut = first + random.nextInt(whole.count());
    if (random.nextBoolean() || cut == first) {
      replace(first, first + room, whole);
    } else {
      replace(
          first, first + room, whole.part(first, cut), whole.part(cut, whole.end()).withShares(1));
    }
  }

  private static void look(
      Runs read,
      List<RunShape> shapes,
      Map<Long, Integer> homes,
      int room,
      SplittableRandom random) {
    int i = random.nextInt(shapes.size());
    int position = random.nextInt(room);
    long word = shapes.get(i).ipv4(position);
    int index = i * room + position;
    RunSnapshot present = read.present();
    int found = read.findIpv4(present, word);
    Run run = present.at(index);
    long address = run == null ? -1 : run.ipv4(index);
    if (!read.isPresent(present)) {
      return;
    }
    boolean stays = position < room / 2;
    if (found != index && (found != -1 || stays)) {
      throw new AssertionError("address at " + index + " was found at " + found);
    }
    if (address != word && (address != -1 || stays)) {
      throw new AssertionError("index " + index + " is " + address + " instead of " + word);
    }
    if (address != -1 && homes.get(address) != index) {
      throw new AssertionError("index " + index + " has a foreign address");
    }
  }
}
