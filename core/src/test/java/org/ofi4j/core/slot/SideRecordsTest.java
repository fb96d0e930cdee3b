// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.slot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.testing.Quick.same;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Handles;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.FailingMemory;
import org.ofi4j.core.memory.ForwardingMemory;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Rounds;

/** What few entries have, and the entries that share an address. */
class SideRecordsTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);
  private final SideRecords side = new SideRecords(allocator);

  @AfterEach
  void close() {
    memory.close();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void recordsAreThoseOfTheirIndex(boolean scarce) {
    SplittableRandom random = new SplittableRandom(SEED);
    Map<Integer, Expected> model = new HashMap<>();
    for (int step = 0; step < 100_000; step++) {
      int index = index(random.nextInt(1500));
      String what = "index " + index + ", step " + step + " with -Dofi4j.seed=" + SEED;
      Expected expected = model.get(index);
      if (scarce && step % 200 == 0) {
        memory.limit(random.nextInt(3) == 0 ? Long.MAX_VALUE : memory.held());
      }
      if (expected == null) {
        same(side.record(index), -1, what);
        try {
          side.attach(index);
          model.put(index, new Expected());
        } catch (OutOfMemoryError e) {
          same(scarce, true, what);
          same(side.lookups().userId(index, -7), -7, what);
        }
      } else {
        change(index, expected, random.nextInt(5), random.nextLong());
        expected.check(side, index, what);
        if (random.nextInt(step / 20_000 % 2 == 0 ? 5 : 2) == 0) {
          side.detach(index);
          model.remove(index);
          same(side.lookups().shares(index, -1), -1, what);
        }
      }
      same(side.count(), model.size(), "count");
    }
    model.forEach(
        (index, expected) -> expected.check(side, index, "at last, -Dofi4j.seed=" + SEED));
    for (int index : model.keySet()) {
      side.detach(index);
    }
    assertThat(side.usedBytes()).isZero();
    assertThat(side.count()).isZero();
  }

  @Test
  void atMost50BytesForEach() {
    int count = 0;
    for (int goal = 2_000; goal < 300_000; goal += goal / 50) {
      while (count < goal) {
        side.attach(count++ * 3);
      }
      assertThat((double) side.usedBytes() / count).as("%s records", count).isLessThanOrEqualTo(50);
      assertThat((double) allocator.usedBytes() / count)
          .as("%s held", count)
          .isLessThanOrEqualTo(50);
    }
  }

  @Test
  void comingAndGoingTakesNoMemory() {
    long held = 0;
    for (int round = 0; round < 400; round++) {
      for (int i = 0; i < 300; i++) {
        side.attach(round * 7919 + i);
      }
      for (int i = 299; i >= 0; i--) {
        side.detach(round * 7919 + i);
      }
      held = round == 100 ? memory.held() : held;
    }
    assertThat(memory.held()).isEqualTo(held);
  }

  @Test
  void attachingThatFailsChangesNothing() {
    for (int failing = 1; failing < 12; failing++) {
      try (FailingMemory source = new FailingMemory(failing)) {
        SideRecords records = new SideRecords(new SlabAllocator(source));
        int failures = 0;
        for (int index = 0; index < 3_000; index++) {
          long before = records.usedBytes();
          try {
            records.attach(index);
          } catch (OutOfMemoryError e) {
            failures++;
            same(records.count(), index, "count");
            same(records.record(index), -1, "record");
            same(records.usedBytes(), before, "usedBytes");
            records.attach(index);
          }
          records.setUserId(index, index * 3L);
        }
        same(failures, 1, "allocation %s", failing);
        for (int index = 0; index < 3_000; index++) {
          same(records.lookups().userId(index, -1), index * 3L, "userId");
        }
      }
    }
  }

  @Test
  void lowestOfSeveralWhateverComesAndGoes() {
    SplittableRandom random = new SplittableRandom(SEED);
    DuplicateHeap heap = new DuplicateHeap(side);
    TreeSet<Integer> expected = new TreeSet<>();
    int root = -1;
    for (int step = 0; step < 60_000; step++) {
      int index = index(random.nextInt(400));
      if (expected.add(index)) {
        side.attach(index);
        root = root < 0 ? index : heap.insert(root, index);
      } else if (random.nextInt(step / 10_000 % 2 == 0 ? 4 : 1) == 0) {
        expected.remove(index);
        if (index == root) {
          root = heap.removeRoot(index);
        } else {
          same(heap.isRoot(index), false, "isRoot");
          heap.remove(index);
        }
        side.detach(index);
      }
      int lowest = expected.isEmpty() ? -1 : expected.first();
      same(root, lowest, "step %s with -Dofi4j.seed=%s", step, SEED);
      same(root < 0 || heap.isRoot(root), true, "isRoot");
      if (step % 100 == 0) {
        checkHeap(root, expected.size(), "step " + step + " with -Dofi4j.seed=" + SEED);
      }
    }
    while (root >= 0) {
      same(root, expected.pollFirst(), "root");
      root = heap.removeRoot(root);
    }
    assertThat(expected).isEmpty();
  }

  /**
   * Whatever the order of insertion, a heap stays such that no step of a removal goes far: by ranks
   * that are right everywhere, and paths to the right that are as short as ranks say.
   */
  @ParameterizedTest
  @ValueSource(strings = {"upwards", "downwards", "from both ends", "random"})
  void noRemovalOfOneOfManyGoesFar(String order) {
    int count = 20_000;
    DuplicateHeap heap = new DuplicateHeap(side);
    SplittableRandom random = new SplittableRandom(SEED);
    int[] indices = new int[count];
    for (int i = 0; i < count; i++) {
      indices[i] =
          switch (order) {
            case "upwards" -> i;
            case "downwards" -> count - 1 - i;
            case "from both ends" -> i % 2 == 0 ? i / 2 : count - 1 - i / 2;
            default -> i;
          };
    }
    for (int i = 1; order.equals("random") && i < count; i++) {
      int other = random.nextInt(i + 1);
      int index = indices[i];
      indices[i] = indices[other];
      indices[other] = index;
    }
    side.attach(indices[0]);
    int root = indices[0];
    for (int i = 1; i < count; i++) {
      side.attach(indices[i]);
      root = heap.insert(root, indices[i]);
    }
    String what = order + " with -Dofi4j.seed=" + SEED;
    checkHeap(root, count, what);
    TreeSet<Integer> expected = new TreeSet<>();
    for (int i = 0; i < count; i++) {
      expected.add(i);
    }
    while (!expected.isEmpty()) {
      int index = random.nextInt(count);
      if (index == root || !expected.contains(index)) {
        index = root;
        root = heap.removeRoot(root);
      } else {
        heap.remove(index);
      }
      expected.remove(index);
      side.detach(index);
      same(root, expected.isEmpty() ? -1 : expected.first(), what);
      if (expected.size() % 4096 == 5) {
        checkHeap(root, expected.size(), what);
      }
    }
  }

  /** Who knows the hashes of one store knows nothing of those of another. */
  @Test
  void hashesDependOnTheSeedOfTheStore() {
    try (ArenaMemory own = new ArenaMemory(Long.MAX_VALUE)) {
      SlabAllocator others = new SlabAllocator(own);
      others.root().set(ValueLayout.JAVA_LONG, Superblock.SEED, 4711);
      SideRecords other = new SideRecords(others);
      List<Integer> alike = new ArrayList<>();
      for (int index = 0; alike.size() < 300; index++) {
        // One of 1024 partitions, as it were.
        side.attach(index);
        if (hash(side, index) >>> 54 == 0) {
          alike.add(index);
        }
        side.detach(index);
      }
      Set<Long> places = new HashSet<>();
      for (int index : alike) {
        other.attach(index);
        places.add(hash(other, index) >>> 54);
      }
      assertThat(places).hasSizeGreaterThan(200);
    }
  }

  /** The seed of a store is at its place when the first record comes. */
  @Test
  void storeKeysTheHashesOfItsRecords() {
    List<MemorySegment> pieces = new ArrayList<>();
    MemorySource source =
        new ForwardingMemory(memory) {
          @Override
          public MemorySegment allocate(long bytes) {
            pieces.add(super.allocate(bytes));
            return pieces.getLast();
          }
        };
    StoreOptions options = StoreOptions.of(0, true, DuplicatePolicy.NEW_INDEX);
    EntryStore store = EntryStore.open(options, source);
    assertThat(store.insertIpv4(new long[] {1L << 16 | 2}, 1, new int[1])).isPositive();
    assertThat(pieces.getFirst().get(ValueLayout.JAVA_LONG, Superblock.SEED))
        .isEqualTo(options.seed());
  }

  /** The records of many indices are used in turns, as are the blocks of the cells. */
  @Test
  void readersSeeWhatTheIndexHadDuringTheirCall() throws InterruptedException {
    int always = 77;
    side.attach(always);
    side.setUserId(always, 77);
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<String> wrong = new AtomicReference<>();
    AtomicLong found = new AtomicLong();
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              SplittableRandom random = new SplittableRandom(SEED);
              while (!stop.get() && wrong.get() == null) {
                int index = 100 + random.nextInt(700);
                long id = side.lookups().userId(index, -1);
                if (side.lookups().userId(always, -1) != 77) {
                  wrong.set("an index lost what it has");
                } else if (id != -1 && id % 1000 != index) {
                  wrong.set("index " + index + " has user id " + id);
                }
                found.addAndGet(id == -1 ? 0 : 1);
              }
            });
    SplittableRandom random = new SplittableRandom(SEED);
    long deadline = System.nanoTime() + Rounds.of("ofi4j.readers", 200, 500) * 1_000_000L;
    // However slow the machine is, the reader has to find something.
    for (long generation = 1;
        (System.nanoTime() < deadline || found.get() == 0) && reader.isAlive();
        generation++) {
      int from = 100 + random.nextInt(400);
      int to = from + random.nextInt(300);
      for (int index = from; index < to; index++) {
        side.attach(index);
        side.setUserId(index, generation * 1000 + index);
      }
      for (int index = from; index < to; index++) {
        side.detach(index);
      }
    }
    stop.set(true);
    reader.join();
    assertThat(wrong.get()).as("-Dofi4j.seed=%s", SEED).isNull();
    assertThat(found).hasPositiveValue();
  }

  /** Two indices have one record in turns. */
  @Test
  void readersAreNotToldWhatAnotherIndexHas() throws InterruptedException {
    // With so many others the cells stay where they are.
    for (int index = 100; index < 140; index++) {
      side.attach(index);
    }
    AtomicBoolean stop = new AtomicBoolean();
    AtomicReference<String> wrong = new AtomicReference<>();
    AtomicLong found = new AtomicLong();
    Thread reader =
        Thread.ofPlatform()
            .start(() -> {
              while (!stop.get() && wrong.get() == null) {
                long id = side.lookups().userId(3, -1);
                int shares = side.lookups().shares(3, -1);
                if ((id > 0 && id != 3) || (shares > 0 && shares != 3)) {
                  wrong.set("index 3 has " + id + ", " + shares + " shares");
                }
                found.addAndGet(id == 3 ? 1 : 0);
              }
            });
    long deadline = System.nanoTime() + Rounds.of("ofi4j.readers", 200, 500) * 1_000_000L;
    while ((System.nanoTime() < deadline || found.get() == 0) && reader.isAlive()) {
      for (int index = 3; index < 5; index++) {
        side.attach(index);
        side.setUserId(index, index);
        side.setShares(index, index);
        side.detach(index);
      }
    }
    stop.set(true);
    reader.join();
    assertThat(wrong.get()).isNull();
    assertThat(found).hasPositiveValue();
  }

  @Test
  void indexWithoutRecordHasNothing() {
    assertThat(side.record(0)).isEqualTo(-1);
    assertThat(side.lookups().userId(0, -3)).isEqualTo(-3);
    side.attach(5);
    assertThat(side.lookups().userId(5, -3)).isEqualTo(-3);
    assertThat(side.lookups().shares(5, -2)).isZero();
    assertThat(side.lookups().userId(Handles.MAX_ENTRIES - 1, -3)).isEqualTo(-3);
    memory.close();
    assertThatThrownBy(() -> side.lookups().userId(5, 0)).isInstanceOf(IllegalStateException.class);
  }

  private void change(int index, Expected expected, int what, long value) {
    switch (what) {
      case 0 -> {
        expected.userId = value;
        side.setUserId(index, value);
      }
      case 1 -> {
        expected.shares = (int) value >>> 1;
        side.setShares(index, expected.shares);
      }
      case 2 -> {
        expected.generation = value >>> 16;
        side.setGeneration(index, expected.generation);
      }
      case 3 -> {
        expected.firewall = true;
        side.setFirewall(index);
      }
      default -> {
        expected.duplicate = true;
        side.setDuplicate(index);
      }
    }
  }

  private static long hash(SideRecords side, int index) {
    long[] hashes = new long[1];
    side.hash(new int[] {side.record(index)}, 1, hashes);
    return hashes[0];
  }

  /** Every index of a heap is above its parent, and ranks are what they are said to be. */
  private void checkHeap(int root, int count, String what) {
    ArrayDeque<Integer> open = new ArrayDeque<>();
    int seen = 0;
    if (root >= 0) {
      int record = side.record(root);
      same(side.link(record, SideRecords.PARENT), 0, what);
      // A heap of this rank has at least so many.
      assertThat(1L << side.rank(record)).as(what).isLessThanOrEqualTo(count);
      open.add(record);
    }
    while (!open.isEmpty()) {
      int record = open.poll();
      seen++;
      int[] ranks = {-1, -1};
      for (int i = 0; i < 2; i++) {
        int link = side.link(record, i == 0 ? SideRecords.LEFT : SideRecords.RIGHT);
        if (link != 0) {
          ranks[i] = side.rank(link - 1);
          same(side.link(link - 1, SideRecords.PARENT), record + 1, what);
          assertThat(side.indexOf(link - 1)).as(what).isGreaterThan(side.indexOf(record));
          open.add(link - 1);
        }
      }
      assertThat(ranks[0]).as(what).isGreaterThanOrEqualTo(ranks[1]);
      same(side.rank(record), ranks[1] + 1, what);
    }
    same(seen, count, what);
  }

  private static long mixed(int index) {
    return new SplittableRandom(index).nextLong();
  }

  /** Indices from all over, the largest included. */
  private static int index(int number) {
    return number % 2 == 0 ? number : Handles.MAX_ENTRIES - number * (number % 3 == 0 ? 65_536 : 1);
  }

  private static final class Expected {
    private long userId = -1;
    private int shares;
    private long generation;
    private boolean firewall;
    private boolean duplicate;

    private void check(SideRecords side, int index, String what) {
      same(side.lookups().userId(index, -1), userId, what);
      same(side.lookups().shares(index, -1), shares, what);
      same(side.lookups().generation(index), generation, what);
      same(side.lookups().isFirewall(index), firewall, what);
      same(side.isDuplicate(index), duplicate, what);
      same(side.shares(index), shares, what);
      same(side.generation(index), generation, what);
    }
  }
}
