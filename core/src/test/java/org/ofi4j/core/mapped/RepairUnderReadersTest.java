// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Quick;
import org.ofi4j.core.testing.Rounds;

/** Readers of the file that a writer repairs find what they found before. */
@Tag("AV-039")
class RepairUnderReadersTest {
  private static final StoreOptions OPTIONS = StoreOptions.of(0, true, DuplicatePolicy.SHARE);
  private static final int ENTRIES = 500;

  private static final int REPAIRS = Rounds.of("ofi4j.repairs", 30, 1000);

  @TempDir private Path directory;

  @Test
  void readersGoOn() throws InterruptedException {
    Map<String, Object> wrong = new ConcurrentHashMap<>();
    AtomicBoolean done = new AtomicBoolean();
    List<Thread> threads = new ArrayList<>();
    try (NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
        NamedStore store = filled(vector)) {
      Map<String, IntConsumer> readers = readers(store);
      CountDownLatch running = new CountDownLatch(readers.size());
      readers.forEach((what, reader) ->
          threads.add(
              Thread.ofPlatform()
                  .start(() -> {
                    running.countDown();
                    try {
                      for (int i = 0; !done.get(); i = (i + 1) % ENTRIES) {
                        reader.accept(i);
                        if (Thread.interrupted()) {
                          wrong.put(what, "interrupted");
                        }
                      }
                    } catch (Throwable failed) {
                      wrong.put(what, failed);
                    }
                  })));
      running.await();
      for (int i = 0; i < REPAIRS && wrong.isEmpty(); i++) {
        repair(vector, store);
      }
      done.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
    }
    assertThat(wrong).isEmpty();
  }

  @Test
  void interruptedThreadsStayInterrupted() {
    Arena arena = Arena.ofShared();
    MemorySegment freed = arena.allocate(16);
    arena.close();
    try (NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
        NamedStore store = filled(vector)) {
      Thread.currentThread().interrupt();
      assertThat(store.fastReads().copy(3, freed)).isZero();
      assertThat(Thread.interrupted()).isTrue();
    }
    MemorySegment buffer = Arena.ofAuto().allocate(16, 8);
    SavedStore saved = saved(directory.resolve("saved"));
    assertThat(saved.fastReads().copy(3, buffer)).isPositive();
    saved.close();
    Thread.currentThread().interrupt();
    assertThat(saved.fastReads().copy(3, buffer)).isZero();
    assertThat(saved.fastReads().find(address(3))).isNegative();
    assertThat(Thread.interrupted()).isTrue();
  }

  private static SavedStore saved(Path path) {
    VectorTraits traits = new VectorTraits(3, 2, 1, 2, 0, 0, 0, 0, 0);
    try (EntryStore store = new EntryStore(OPTIONS, MemorySource.system())) {
      fill(store);
      try (Snapshot snapshot = new Snapshot(store, OPTIONS)) {
        snapshot.write(path, traits);
      }
    }
    return SavedStore.open(path, traits);
  }

  private static void fill(EntryStore store) {
    for (int i = 0; i < ENTRIES; i++) {
      store.insertIpv4(new long[] {address(i)}, 1, new int[1]);
    }
  }

  private static NamedStore filled(NamedVector vector) {
    NamedStore store = NamedStore.of(vector, OPTIONS);
    store.begin();
    fill(store);
    store.end();
    return store;
  }

  /** Dies in a change, as another one would, and lets the next change repair that. */
  private static void repair(NamedVector vector, NamedStore store) {
    NamedStores.failChange(vector);
    store.begin();
    store.end();
  }

  private static Map<String, IntConsumer> readers(NamedStore store) {
    MemorySegment target = MemorySegment.ofArray(new byte[16]);
    AddressKey key = new AddressKey();
    return Map.of(
        "a lookup", i -> Quick.same(store.ipv4(i), address(i), "address"),
        "a search",
            i -> {
              key.setIpv4(address(i));
              Quick.same(store.find(key), i, "index");
            },
        "a short search", i -> store.fastReads().find(address(i)),
        "a short lookup", i -> store.fastReads().copy(i, target));
  }

  private static long address(int i) {
    return (0x0A01_0101L + i) << 16 | 5000;
  }
}
