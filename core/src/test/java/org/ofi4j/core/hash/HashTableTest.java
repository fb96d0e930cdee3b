// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.hash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.testing.Quick.same;

import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.ofi4j.core.memory.ArenaMemory;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;

/** Numbers by hash, beside a map. */
class HashTableTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  private final ArenaMemory memory = new ArenaMemory(Long.MAX_VALUE);
  private final SlabAllocator allocator = new SlabAllocator(memory);
  private final long key = SEED;

  @AfterEach
  void close() {
    memory.close();
  }

  private long hash(int number) {
    long mixed = (number + key) * 0x9E37_79B9_7F4A_7C15L;
    return (mixed ^ mixed >>> 29) * 0xBF58_476D_1CE4_E5B9L;
  }

  private int find(HashTable cells, int number) {
    return find(cells, hash(number), number);
  }

  private static int find(HashTable cells, long hash, int number) {
    return cells
        .lookups()
        .find(
            hash,
            (block, at, cell, found, key, wanted) -> found == wanted ? found : -1,
            null,
            number);
  }

  @Test
  void numbersAreFoundWhateverCameAndWent() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (long expected : new long[] {0, 1, 5000, 40_000, 10_000_000}) {
      HashTable cells =
          new HashTable(allocator, Superblock.CELLS, new KnownHashes(this::hash), expected);
      Map<Integer, Boolean> model = new HashMap<>();
      int range = 60_000;
      for (int step = 0; step < 200_000; step++) {
        int number = random.nextInt(range);
        boolean growing = step % 100_000 < 60_000;
        if (model.containsKey(number)) {
          if (!growing || random.nextInt(4) == 0) {
            cells.remove(hash(number), number);
            model.remove(number);
          }
        } else if (growing || random.nextInt(4) == 0) {
          cells.prepare(number, true);
          cells.put(hash(number), number);
          model.put(number, true);
        }
        same(cells.count(), model.size(), "count");
        int other = random.nextInt(range);
        int there = model.containsKey(other) ? other : -1;
        same(find(cells, other), there, "%s of %s, -Dofi4j.seed=%s", other, expected, SEED);
      }
      for (int number : model.keySet()) {
        cells.remove(hash(number), number);
      }
      same(cells.count(), 0, "count");
      same(cells.usedBytes(), 0, "usedBytes");
    }
  }

  @Test
  void numbersTakeTheCellsOfOthers() {
    HashTable cells = new HashTable(allocator, Superblock.CELLS, new KnownHashes(this::hash), 0);
    for (int i = 0; i < 10_000; i++) {
      cells.prepare(i, true);
      cells.put(hash(i), i);
    }
    // Another number with the same hash: what a duplicate is.
    int large = Integer.MAX_VALUE - 1;
    cells.prepare(large, false);
    cells.replace(hash(5), 5, large);
    assertThat(find(cells, 5)).isEqualTo(-1);
    assertThat(find(cells, hash(5), large)).isEqualTo(large);
    cells.remove(hash(5), large);
    assertThat(cells.count()).isEqualTo(9_999);
    assertThat(find(cells, 6)).isEqualTo(6);
  }

  /** An entry that gets another address has two cells for a moment. */
  @Test
  void numberKeepsTheCellOfItsNewHash() {
    HashTable cells = new HashTable(allocator, Superblock.CELLS, new KnownHashes(this::hash), 0);
    cells.prepare(5, true);
    cells.put(hash(5), 5);
    // It differs in a bit that neither the place nor the tag of a cell has.
    long other = hash(5) ^ 1L << (Integer.SIZE - 1);
    cells.prepare(5, true);
    cells.put(other, 5);
    cells.remove(hash(5), 5);
    assertThat(find(cells, other, 5)).isEqualTo(5);
  }

  /** Tags have one bit, so the same cells are on the ways of many hashes. */
  @Test
  void eitherOfTwoEqualCellsServesBothHashes() {
    SplittableRandom random = new SplittableRandom(SEED);
    int count = 58_000;
    long[] hashes = random.longs(count).sorted().toArray();
    HashedNumbers meanings = new KnownHashes(number -> number < count ? hashes[number] : 0);
    HashTable cells = new HashTable(allocator, Superblock.CELLS, meanings, count);
    cells.prepare(Integer.MAX_VALUE - 1, true);
    for (int i = count - 1; i >= 0; i--) {
      cells.prepare(i, true);
      cells.put(hashes[i], i);
    }
    // An entry gets the address of the next one, which has a higher number.
    for (int i = 0; i + 1 < count; i += 40) {
      cells.replace(hashes[i + 1], i + 1, i);
      cells.remove(hashes[i], i);
      same(find(cells, hashes[i + 1], i), i, "%s, -Dofi4j.seed=%s", i, SEED);
    }
  }

  /** Else the way of the hash would become longer each time, to the end of the table. */
  @Test
  void hashThatComesAgainTakesCellsWithoutMeaning() {
    for (boolean removed : new boolean[] {false, true}) {
      long[] meaning = new long[2_000];
      HashedNumbers meanings = new KnownHashes(number -> meaning[number]);
      HashTable cells = new HashTable(allocator, Superblock.CELLS, meanings, 0);
      for (int i = 0; i < 1_000; i++) {
        cells.prepare(i, true);
        cells.put(hash(i), i);
        meaning[i] = hash(i);
      }
      long bytes = cells.usedBytes();
      for (int i = 0; i < 100_000; i++) {
        int number = 1_000 + i % 1_000;
        cells.prepare(number, true);
        cells.put(hash(-1), number);
        meaning[number] = hash(-1);
        if (removed) {
          cells.remove(hash(-1), number);
        } else {
          cells.addTombstones(1);
        }
        // The number gets another meaning, or none.
        meaning[number] = i % 3 == 0 ? 0 : hash(-2 - i);
      }
      assertThat(cells.usedBytes()).isEqualTo(bytes);
      for (int i = 0; i < 1_000; i++) {
        same(find(cells, i), i, "find");
      }
      for (int i = 0; i < 1_000; i++) {
        meaning[i] = 0;
        cells.addTombstones(1);
      }
    }
  }

  @Test
  void hintThatIsTooLargeCostsLittle() {
    HashTable cells =
        new HashTable(allocator, Superblock.CELLS, new KnownHashes(this::hash), Long.MAX_VALUE);
    for (int i = 0; i < 10_000; i++) {
      cells.prepare(i, true);
      cells.put(hash(i), i);
    }
    assertThat(cells.usedBytes()).as("-Dofi4j.seed=%s", SEED).isLessThan(1 << 20);
  }

  @Test
  void tableIsEmptiedAndFilledAgain() {
    HashTable cells = new HashTable(allocator, Superblock.CELLS, new KnownHashes(this::hash), 0);
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 10_000; i++) {
        cells.prepare(i, true);
        cells.put(hash(i), i);
        same(find(cells, i), i, "find");
      }
      for (int i = 0; i < 10_000; i++) {
        cells.remove(hash(i), i);
        same(find(cells, i), -1, "find");
      }
    }
  }

  @Test
  void hintSparesMoves() {
    for (int count : new int[] {1000, 20_000, 150_000, 200_000}) {
      HashTable cells =
          new HashTable(
              new SlabAllocator(memory), Superblock.CELLS, new KnownHashes(this::hash), count);
      for (int i = 0; i < count; i++) {
        cells.prepare(i, true);
        cells.put(hash(i), i);
      }
      assertThat(cells.movedCells())
          .as("%s, -Dofi4j.seed=%s", count, SEED)
          .isLessThan(count / 3 + 1);
    }
  }

  @Test
  void tableThatShrinksHasCellsForAllThatComeMeanwhile() {
    for (int count : new int[] {1, 100, 3_000}) {
      HashTable cells =
          new HashTable(
              new SlabAllocator(memory), Superblock.CELLS, new KnownHashes(this::hash), 0);
      cells.expect(1 << 20);
      for (int i = 0; i < 20_000; i++) {
        cells.prepare(i, true);
        cells.put(hash(i), i);
      }
      cells.expect(0);
      for (int i = count; i < 20_000; i++) {
        cells.remove(hash(i), i);
      }
      for (int i = 20_000; i < 40_000; i++) {
        cells.prepare(i, true);
        cells.put(hash(i), i);
        same(find(cells, i), i, "find, -Dofi4j.seed=%s", SEED);
      }
      same(cells.count(), count + 20_000, "count");
    }
  }

  @Test
  void callThatHasSaidTooMuchCostsLittle() {
    HashTable cells = new HashTable(allocator, Superblock.CELLS, new KnownHashes(this::hash), 0);
    cells.expect(1 << 20);
    for (int i = 0; i < 100; i++) {
      cells.prepare(i, true);
      cells.put(hash(i), i);
    }
    assertThat(cells.usedBytes()).isLessThan(1 << 13);
    cells.expect(0);
    for (int i = 100; i < 40_000; i++) {
      cells.prepare(i, true);
      cells.put(hash(i), i);
    }
    assertThat(cells.usedBytes()).isLessThan(1 << 19);
  }

  /** Numbers with hashes that go by their meanings, which change. */
  private final class Meanings {
    private final int[] meanings = new int[60_000];
    private final HashedNumbers numbers =
        new KnownHashes(
            number -> meanings[number] == 0 ? 0 : HashTableTest.this.hash(meanings[number]));

    int find(HashTable cells, int meaning) {
      return cells
          .lookups()
          .find(
              HashTableTest.this.hash(meaning),
              (block, at, cell, number, key, wanted) ->
                  number >= 0 && number < meanings.length && meanings[number] == wanted
                      ? number
                      : -1,
              null,
              meaning);
    }
  }

  /** What stands for nothing any more stays in its cell, and soon stands for something else. */
  @Test
  void tombstonesAreInNobodysWay() {
    SplittableRandom random = new SplittableRandom(SEED);
    for (long expected : new long[] {0, 40_000}) {
      Meanings meanings = new Meanings();
      HashTable cells = new HashTable(allocator, Superblock.CELLS, meanings.numbers, expected);
      Map<Integer, Integer> model = new HashMap<>();
      long mostBytes = 0;
      for (int step = 0; step < 400_000; step++) {
        int number = random.nextInt(meanings.meanings.length);
        int meaning = 1 + random.nextInt(20 * meanings.meanings.length);
        boolean growing = step % 100_000 < 50_000;
        int before = meanings.meanings[number];
        if (before != 0 && !(growing && random.nextInt(4) > 0)) {
          meanings.meanings[number] = 0;
          model.remove(before);
          cells.addTombstones(1);
        } else if (before == 0 && growing && !model.containsKey(meaning)) {
          cells.prepare(number, true);
          cells.put(hash(meaning), number);
          meanings.meanings[number] = meaning;
          model.put(meaning, number);
        }
        same(cells.count(), model.size(), "step %s, -Dofi4j.seed=%s", step, SEED);
        int expectedNumber = model.getOrDefault(meaning, -1);
        same(meanings.find(cells, meaning), expectedNumber, "step %s, -Dofi4j.seed=%s", step, SEED);
        mostBytes = Math.max(mostBytes, cells.usedBytes());
      }
      model.forEach((meaning, number) -> same(meanings.find(cells, meaning), number, "find"));
      // A hundred are left in cells for tens of thousands.
      Iterator<Integer> dying = model.values().iterator();
      while (model.size() > 100) {
        meanings.meanings[dying.next()] = 0;
        dying.remove();
        cells.addTombstones(1);
      }
      // As these come and go, the table becomes small.
      for (int i = 0; i < 20_000; i++) {
        int number = random.nextInt(meanings.meanings.length);
        int meaning = 1 + random.nextInt(20 * meanings.meanings.length);
        if (meanings.meanings[number] == 0 && !model.containsKey(meaning)) {
          cells.prepare(number, true);
          cells.put(hash(meaning), number);
          same(cells.count(), model.size() + 1, "count");
          cells.addTombstones(1);
        }
      }
      if (expected == 0) {
        assertThat(cells.usedBytes()).as("-Dofi4j.seed=%s", SEED).isLessThan(mostBytes / 2);
      }
      model.forEach((meaning, number) -> same(meanings.find(cells, meaning), number, "find"));
      cells.addTombstones(model.size());
      same(cells.usedBytes(), 0, "usedBytes");
    }
  }

  /** The bytes of buckets that a table has behind the last one that a search begins at. */
  private static final int MORE_BUCKETS = 16 * SlabAllocator.UNIT_BYTES;

  /** Numbers get other meanings all the time, in the same place of the table or in another one. */
  @Test
  void tombstonesDoNotPileUp() {
    for (int count : new int[] {1_000, 30_000}) {
      Meanings meanings = new Meanings();
      HashTable cells = new HashTable(allocator, Superblock.CELLS, meanings.numbers, 0);
      long once = 0;
      for (int round = 0; round < 20; round++) {
        for (int number = 0; number < count; number++) {
          if (round > 0) {
            meanings.meanings[number] = 0;
            cells.addTombstones(1);
          }
          int meaning = 1 + round * count + number;
          cells.prepare(number, true);
          cells.put(hash(meaning), number);
          meanings.meanings[number] = meaning;
        }
        once = round == 0 ? cells.usedBytes() : once;
        same(cells.count(), count, "count");
        assertThat(cells.usedBytes())
            .as("round %s of %s, -Dofi4j.seed=%s", round, count, SEED)
            .isLessThanOrEqualTo(2 * once + MORE_BUCKETS);
      }
      for (int number = 0; number < count; number++) {
        same(meanings.find(cells, meanings.meanings[number]), number, "find");
      }
      cells.addTombstones(count);
    }
  }
}
