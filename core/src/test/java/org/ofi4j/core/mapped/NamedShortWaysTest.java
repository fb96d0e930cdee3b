// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.ofi4j.core.testing.Quick.same;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.address.PackedIpv6;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.Searches;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Allocation;

/** The short ways of one that has a named vector open, while another one changes and repairs it. */
@Tag("AV-039")
class NamedShortWaysTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(5);
  private static final int COUNT = 5000;
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  @TempDir private Path directory;

  private final AddressKey key = new AddressKey();
  private final MemorySegment buffer = Arena.ofAuto().allocate(32, 8);
  private NamedVector vector;
  private NamedStore writer;
  private NamedStore reader;

  @BeforeEach
  void open() {
    open(OPTIONS);
  }

  private void open(StoreOptions options) {
    vector = NamedStores.vector(directory, options, false);
    writer = NamedStore.of(vector, options);
    reader = NamedStore.of(NamedStores.vector(directory, options, true), options);
  }

  @AfterEach
  void close() {
    reader.close();
    writer.close();
  }

  /** No two of them follow each other. */
  private static long address(int i) {
    return (0x9E37_79B1L * i & 0xFFFF_FFFFL) << 16 | 1000;
  }

  private void fill() {
    writer.begin();
    for (int i = 0; i < COUNT; i++) {
      key.setIpv4(address(i));
      same(writer.insert(key), i, "insert");
    }
    writer.end();
  }

  /** Leaves the vector as if the writer had died; the next writer repairs it. */
  private void die() {
    NamedStores.failChange(vector);
  }

  private void remove(int index) {
    writer.begin();
    assertThat(writer.remove(index)).isZero();
    writer.end();
  }

  @Test
  void entriesAreFoundInAFewInstructions() {
    fill();
    int looked = 0;
    int found = 0;
    for (int i = 0; i < COUNT; i++) {
      same(Searches.find(reader, address(i)), i, "findIpv4");
      looked += reader.fastReads().copy(i, buffer) == PackedIpv4.SIZE ? 1 : 0;
    }
    for (int i = 0; i < COUNT; i++) {
      int index = reader.fastReads().find(address(i));
      assertThat(index).isIn(-1, i);
      found += index == i ? 1 : 0;
    }
    assertThat(looked).isEqualTo(COUNT);
    assertThat(found).isGreaterThan(COUNT * 98 / 100);
  }

  @Test
  void ipv6AddressesAreLookedUpInAFewInstructions() {
    close();
    open(OPTIONS.withWideSlots(true));
    writer.begin();
    key.setIpv6(1L << 61, 7, 5000, 0, 0);
    assertThat(writer.insert(key)).isZero();
    key.setIpv6(1L << 61, 8, 5000, 0, 3);
    assertThat(writer.insert(key)).isOne();
    writer.end();
    assertThat(reader.fastReads().copy(0, buffer)).as("nothing seen yet").isZero();
    // Brings the page that came after the reader.
    assertThat(reader.load(0, key)).isTrue();
    assertThat(reader.fastReads().copy(0, buffer)).isEqualTo(PackedIpv6.SIZE);
    assertThat(buffer.get(ValueLayout.JAVA_BYTE, 23)).isEqualTo((byte) 7);
    assertThat(reader.fastReads().copy(1, buffer)).as("with a scope").isZero();
    remove(0);
    assertThat(reader.fastReads().copy(0, buffer)).isZero();
  }

  /** What is wrong with a damaged file is for the general way to say. */
  @Test
  void recordsThatAreNowhereAreNotFoundInAFewInstructions() {
    writer.begin();
    key.setIpv6(1L << 61, 7, 5000, 0, 0);
    assertThat(writer.insert(key)).isZero();
    writer.end();
    assertThat(reader.load(0, key)).isTrue();
    try (EntryStore store = NamedStores.store(vector, OPTIONS)) {
      // A unit behind the 64 of the first slab.
      store.parts().slots().show(0, SlotWord.record(0, 100L * 8), 0, false);
    }
    assertThat(reader.fastReads().copy(0, buffer)).isZero();
    assertThatThrownBy(() -> reader.load(0, key))
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EIO));
  }

  @Test
  void lookupsFindWhatChangesAfterARepair() {
    fill();
    assertThat(reader.ipv4(3)).isEqualTo(address(3));
    reader.fastReads().copy(3, buffer);
    assertThat(reader.fastReads().copy(3, buffer)).isEqualTo(PackedIpv4.SIZE);
    die();
    remove(3);
    assertThat(reader.fastReads().copy(3, buffer)).isZero();
    assertThat(reader.ipv4(3)).isEqualTo(-1);
    assertThat(reader.fastReads().copy(4, buffer)).isEqualTo(PackedIpv4.SIZE);
  }

  @Test
  void searchesFindWhatChangesAfterARepair() {
    fill();
    for (int i = 0; i < 100; i++) {
      Searches.find(reader, address(i));
    }
    reader.fastReads().find(address(3));
    assertThat(reader.fastReads().find(address(3))).isEqualTo(3);
    die();
    remove(3);
    assertThat(reader.fastReads().find(address(3))).isEqualTo(-1);
    assertThat(Searches.find(reader, address(3))).isEqualTo(-1);
    assertThat(Searches.find(reader, address(4))).isEqualTo(4);
    reader.fastReads().find(address(4));
    assertThat(reader.fastReads().find(address(4))).isEqualTo(4);
  }

  @Test
  void readersMissNoEntryDuringRepairs() throws InterruptedException {
    fill();
    AtomicReference<Throwable> failed = new AtomicReference<>();
    AtomicBoolean stop = new AtomicBoolean();
    AtomicLong rounds = new AtomicLong();
    Thread reads =
        new Thread(() -> {
          AddressKey loaded = new AddressKey();
          AddressKey wanted = new AddressKey();
          while (!stop.get()) {
            for (int i = 0; i < COUNT; i++) {
              wanted.setIpv4(address(i));
              same(reader.ipv4(i), address(i), "ipv4");
              same(reader.isLive(i), true, "isLive");
              same(reader.load(i, loaded), true, "load");
              same(loaded.word(0), address(i), "word");
              same(reader.holds(i, wanted), true, "holds");
              same(reader.find(wanted), i, "find");
              same(Searches.find(reader, address(i)), i, "findIpv4");
              same(reader.findIpv4(address(i)), i, "findIpv4");
              same(reader.count(i), 1, "count");
            }
            rounds.incrementAndGet();
          }
        });
    reads.setUncaughtExceptionHandler((thread, thrown) -> failed.set(thrown));
    reads.start();
    for (int i = 0; i < 30 && failed.get() == null; i++) {
      long before = rounds.get();
      die();
      writer.begin();
      writer.end();
      while (rounds.get() == before && failed.get() == null) {
        Thread.onSpinWait();
      }
    }
    stop.set(true);
    reads.join();
    assertThat(failed.get()).isNull();
  }

  @Test
  void nothingIsFoundOnceClosed() {
    fill();
    Searches.find(reader, address(3));
    reader.fastReads().copy(3, buffer);
    assertThat(reader.fastReads().copy(3, buffer)).isEqualTo(PackedIpv4.SIZE);
    reader.close();
    assertThat(reader.fastReads().copy(3, buffer)).isZero();
    assertThat(reader.fastReads().find(address(3))).isEqualTo(-1);
  }

  /** A run of so many addresses, from index 0 on. */
  private static final int RUN = 100_000;

  private static final int SHORT = 100;
  private static final int MANY = 63;

  private static long inRun(int i) {
    return (0x0A00_0000L + i) << 16 | 5000;
  }

  private void insertRun(int from, int to) {
    long[] addresses = new long[to - from];
    for (int i = from; i < to; i++) {
      addresses[i - from] = inRun(i);
    }
    writer.begin();
    int[] outcomes = new int[addresses.length];
    assertThat(writer.insertIpv4(addresses, addresses.length, outcomes)).isEqualTo(to - from);
    writer.end();
    assertThat(writer.parts().runs().present().count()).isPositive();
  }

  /** Looks something up in the general way, which reads all runs. */
  private void readRuns() {
    assertThat(reader.ipv4(0)).isEqualTo(inRun(0));
  }

  private boolean isKnown(int index) {
    reader.fastReads().copy(index, buffer);
    boolean known = reader.fastReads().copy(index, buffer) > 0;
    assertThat(reader.fastReads().find(inRun(index))).isEqualTo(known ? index : -1);
    if (known) {
      assertThat(reader.ipv4(index)).isEqualTo(inRun(index));
      assertThat(buffer.get(ValueLayout.JAVA_BYTE, 7)).isEqualTo((byte) (index));
    }
    return known;
  }

  @Test
  void runsAreKnownOnceTheyWereRead() {
    insertRun(0, RUN);
    assertThat(isKnown(70_000)).as("before").isFalse();
    readRuns();
    assertThat(isKnown(0)).isTrue();
    assertThat(isKnown(RUN - 1)).isTrue();
    assertThat(isKnown(RUN)).isFalse();
    insertRun(RUN, RUN + 10);
    assertThat(isKnown(RUN + 5)).as("not read yet").isFalse();
    readRuns();
    assertThat(isKnown(RUN + 5)).isTrue();
    assertThat(isKnown(70_000)).isTrue();
  }

  /** The slot that says so has a page that the reader has not seen. */
  @Test
  void deadEntriesOfRunsAreNotKnown() {
    insertRun(0, RUN);
    readRuns();
    assertThat(isKnown(70_000)).isTrue();
    writer.begin();
    assertThat(isKnown(70_000)).as("it has not died yet").isTrue();
    assertThat(writer.remove(70_000)).isZero();
    assertThat(isKnown(70_000)).isFalse();
    readRuns();
    assertThat(isKnown(70_000)).isFalse();
    assertThat(isKnown(70_001)).isTrue();
    assertThat(writer.remove(70_001)).isZero();
    assertThat(isKnown(70_001)).as("with a slot in the same page").isFalse();
    assertThat(isKnown(69_999)).isTrue();
    writer.end();
    // Another entry comes to the index.
    writer.begin();
    key.setIpv4(address(1));
    assertThat(writer.insert(key)).isEqualTo(70_000);
    writer.end();
    assertThat(reader.ipv4(70_000)).isEqualTo(address(1));
    assertThat(isKnownAs(70_000)).isEqualTo(address(1));
    remove(RUN - 1);
    readRuns();
    assertThat(isKnown(RUN - 1)).isFalse();
    assertThat(isKnown(RUN - 2)).isTrue();
  }

  /** Before the writer has ended its change, too. */
  @Test
  void walksFindWhatLookupsFind() {
    writer.begin();
    key.setIpv4(address(1));
    assertThat(writer.insert(key)).isZero();
    key.setIpv4(address(2));
    assertThat(writer.insert(key)).isOne();
    assertThat(reader.isLive(1)).isTrue();
    assertThat(reader.liveFrom(1, Integer.MAX_VALUE - 2, 1)).isOne();
    writer.end();
  }

  /** An entry that is no one of the run has brought the page. */
  @Test
  void deadEntriesOfRunsAreNotKnownInPagesOfOthers() {
    insertRun(0, 5000);
    readRuns();
    writer.begin();
    key.setIpv4(address(1));
    assertThat(writer.insert(key)).isEqualTo(5000);
    assertThat(isKnown(4999)).isFalse();
    readRuns();
    assertThat(isKnown(4999)).isTrue();
    assertThat(writer.remove(4999)).isZero();
    writer.end();
    assertThat(isKnown(4999)).isFalse();
    assertThat(isKnown(4998)).isTrue();
  }

  /** The pages of the first slots are of another size. */
  @ParameterizedTest
  @CsvSource({"69632, 1000", "200, 50", "1100, 800", "4000, 200"})
  void entriesInHolesOfRunsAreThemselves(int first, int many) {
    insertRun(0, RUN);
    writer.begin();
    for (int i = 0; i < many; i++) {
      same(writer.remove(first + i), 0, "remove");
    }
    for (int i = 0; i < many; i++) {
      key.setIpv4(address(i));
      same(writer.insert(key), first + i, "insert");
    }
    writer.end();
    readRuns();
    for (int i = 0; i < many; i++) {
      same(reader.ipv4(first + i), address(i), "ipv4");
      assertThat(isKnownAs(first + i)).isIn(-1L, address(i));
      same(reader.fastReads().find(inRun(first + i)), -1, "find");
    }
    assertThat(isKnown(first - 1)).isTrue();
    assertThat(isKnown(first + many)).isTrue();
  }

  /** A run comes into a hole of another one while others read all runs. */
  @Test
  void aRunThatComesWhileAllAreReadIsItself() throws InterruptedException {
    int hole = RUN - 1000;
    int holes = 200;
    long[] addresses = new long[holes];
    Arrays.setAll(addresses, i -> inRun(i) + (1L << 40));
    int[] all = new int[RUN + MANY * SHORT];
    try (EntryStore store = NamedStores.store(vector, OPTIONS)) {
      for (int round = 0; round < 25; round++) {
        insertRun(0, RUN);
        insertRuns(MANY);
        writer.begin();
        for (int i = 0; i < holes; i++) {
          same(writer.remove(hole + i), 0, "remove");
        }
        writer.end();
        AtomicBoolean inserted = new AtomicBoolean();
        CountDownLatch reading = new CountDownLatch(1);
        Thread reads =
            new Thread(() -> {
              while (!inserted.get()) {
                for (int i = 0; i < holes; i++) {
                  long address = store.ipv4(hole + i);
                  assertThat(address).isIn(-1L, addresses[i]);
                }
                reading.countDown();
              }
            });
        AtomicReference<Throwable> failed = new AtomicReference<>();
        reads.setUncaughtExceptionHandler((thread, e) -> failed.set(e));
        reads.start();
        reading.await();
        writer.begin();
        same(writer.insertIpv4(addresses, holes, new int[holes]), holes, "insertIpv4");
        writer.end();
        inserted.set(true);
        reads.join();
        assertThat(failed.get()).isNull();
        for (int i = 0; i < holes; i++) {
          same(store.ipv4(hole + i), addresses[i], "ipv4");
        }
        writer.begin();
        Arrays.setAll(all, i -> all.length - 1 - i);
        writer.remove(all, all.length, all);
        same(writer.parts().runs().present().count(), 0, "runs");
        writer.end();
      }
    }
  }

  /** A change of runs takes less time than to read all of them. */
  @Test
  void readersOfRunsFinishBesideAWriterWithoutPause() throws InterruptedException {
    int runs = 4000;
    int length = 16;
    writer.begin();
    long[] addresses = new long[length];
    for (int run = 0; run < runs; run++) {
      long network = (long) run << 24;
      Arrays.setAll(addresses, i -> inRun(i) + network);
      same(writer.insertIpv4(addresses, length, new int[length]), length, "insertIpv4");
    }
    assertThat(writer.parts().runs().present().count()).isEqualTo(runs);
    writer.end();
    AtomicBoolean done = new AtomicBoolean();
    AtomicReference<Throwable> failed = new AtomicReference<>();
    Thread writes =
        new Thread(() -> {
          for (int i = length; !done.get(); i++) {
            long[] next = {inRun(i) + ((long) (runs - 1) << 24)};
            writer.begin();
            same(writer.insertIpv4(next, 1, new int[1]), 1, "insertIpv4");
            writer.end();
          }
        });
    writes.setUncaughtExceptionHandler((thread, thrown) -> failed.set(thrown));
    writes.start();
    for (int i = 0; i < 300; i++) {
      same(reader.ipv4(i * length + 3), inRun(3) + ((long) i << 24), "ipv4");
    }
    done.set(true);
    writes.join();
    assertThat(failed.get()).isNull();
    assertThat(writer.parts().runs().present().count()).isEqualTo(runs);
  }

  private void insertRuns(int count) {
    writer.begin();
    long before = writer.parts().runs().present().count();
    long[] addresses = new long[SHORT];
    for (int run = 0; run < count; run++) {
      long network = (long) (run + 20) << 40;
      Arrays.setAll(addresses, i -> inRun(i) + network);
      assertThat(writer.insertIpv4(addresses, SHORT, new int[SHORT])).isEqualTo(SHORT);
    }
    assertThat(writer.parts().runs().present().count()).isEqualTo(before + count);
    writer.end();
  }

  /** The address that the short way gives an index; -1 if none. */
  private long isKnownAs(int index) {
    reader.fastReads().copy(index, buffer);
    return reader.fastReads().copy(index, buffer) == 0 ? -1 : PackedIpv4.read(buffer, 0);
  }

  @Test
  void entriesOfRunsThatDieAfterARepairAreNotKnown() {
    insertRun(0, RUN);
    readRuns();
    assertThat(isKnown(70_000)).isTrue();
    die();
    assertThat(isKnown(70_000)).as("nothing has changed yet").isTrue();
    remove(70_000);
    assertThat(reader.fastReads().copy(70_000, buffer)).isZero();
    assertThat(reader.fastReads().copy(70_001, buffer)).as("of runs not read again").isZero();
    assertThat(reader.fastReads().find(inRun(70_000))).isEqualTo(-1);
    assertThat(reader.ipv4(70_000)).isEqualTo(-1);
    readRuns();
    assertThat(isKnown(70_000)).isFalse();
    assertThat(isKnown(70_001)).isTrue();
  }

  @Test
  void runsAreKnownAgainAfterARepair() {
    insertRun(0, RUN);
    readRuns();
    writer.begin();
    writer.remove(7);
    vector.locks().fail();
    // The lock was given back, and 7 is dead, though the change has not come to its end.
    assertThat(isKnown(7)).isFalse();
    NamedStore other = NamedStore.of(NamedStores.vector(directory, OPTIONS, false), OPTIONS);
    other.begin();
    assertThat(other.remove(70_000)).isZero();
    other.end();
    readRuns();
    assertThat(isKnown(70_000)).isFalse();
    assertThat(isKnown(70_001)).isTrue();
    other.close();
  }

  @Test
  void singleChangesLeaveNoGarbage() {
    long before = 0;
    for (int warm = 0; warm < 3; warm++) {
      fill();
      writer.begin();
      int left = 0;
      before = Allocation.bytes();
      for (int i = 0; i < COUNT; i++) {
        left |= writer.remove(i);
      }
      before = Allocation.bytes() - before;
      writer.end();
      assertThat(left).isZero();
    }
    assertThat(before).as("bytes for %d removals", COUNT).isLessThan(COUNT);
  }
}
