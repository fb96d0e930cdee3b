// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.memory.MemorySource;
import org.ofi4j.core.run.RangeOutcome;
import org.ofi4j.core.testing.Rounds;

/**
 * Readers that run while a writer makes the store change in the ways that are hard on them: what it
 * takes thousands of operations to bring about, and jcstress cannot. {@code -Dofi4j.readers=N}
 * gives each test N milliseconds.
 */
class ReadersBesideWriterTest {
  private static final VarHandle SHARED = MethodHandles.arrayElementVarHandle(long[].class);
  private static final long MILLISECONDS = Rounds.of("ofi4j.readers", 200, 500);

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final EntryStore store = EntryStore.open(0, true, DuplicatePolicy.SHARE);
  private final AddressKey key = new AddressKey();
  private volatile boolean over;

  @AfterEach
  void stop() throws InterruptedException {
    over = true;
    threads.shutdownNow();
    assertThat(threads.awaitTermination(1, TimeUnit.DAYS)).isTrue();
    store.close();
  }

  /** Partitions grow and shrink, and their blocks go from hand to hand. */
  @Test
  void presentAddressesAreFoundWhilePartitionsAreRebuilt() throws Exception {
    int present = 4000;
    for (int i = 0; i < present; i++) {
      store.insert(ipv4(key, i));
    }
    run(
        random -> {
          int many = present + random.nextInt(1, 3000);
          for (int i = present; i < many; i++) {
            store.insert(ipv4(key, i));
          }
          for (int i = many - 1; i >= present; i--) {
            store.remove(i);
          }
        },
        (random, own) -> {
          int address = random.nextInt(present);
          if (store.find(ipv4(own, address)) != address) {
            throw new AssertionError("lost " + address);
          }
          if (store.find(ipv4(own, 100_000 + address)) != -1) {
            throw new AssertionError("found what never was there");
          }
        });
  }

  /** A few wide slots are used again and again, and their entries get other addresses. */
  @Test
  void addressesInWideSlotsAreWhole() throws Exception {
    StoreOptions options = StoreOptions.of(0, true, DuplicatePolicy.SHARE).withWideSlots(true);
    try (EntryStore wide = new EntryStore(options, MemorySource.system())) {
      int entries = 8;
      int[] next = {0};
      run(
          random -> {
            int index = random.nextInt(entries);
            if (!wide.isLive(index)) {
              wide.insert(ipv6(key, next[0]++));
            } else if (random.nextBoolean()) {
              wide.replace(index, ipv6(key, next[0]++));
            } else {
              wide.remove(index);
            }
          },
          (random, own) -> {
            MemorySegment buffer = BUFFERS.get();
            if (wide.fastReads().copy(random.nextInt(entries), buffer) > 0) {
              checkIpv6(buffer.get(WORD, 8), buffer.get(WORD, 16), buffer.get(PORT, 2));
            }
            if (wide.load(random.nextInt(entries), own)) {
              checkIpv6(own.word(0), own.word(1), (short) own.word(2));
            }
          });
    }
  }

  private static final ThreadLocal<MemorySegment> BUFFERS =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(32, 8));
  private static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfShort PORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private static AddressKey ipv6(AddressKey key, int number) {
    key.setIpv6(number, ~(long) number, number & 0xFFFF, 0, 0);
    return key;
  }

  private static void checkIpv6(long high, long low, short port) {
    if (low != ~high || port != (short) high) {
      throw new AssertionError("%x %x %d are of several addresses".formatted(high, low, port));
    }
  }

  /** The lowest of several entries with one address changes all the time; one of them stays. */
  @Test
  @Tag("AV-178")
  void duplicatesAreFoundWhileTheLowestChanges() throws Exception {
    EntryStore several = EntryStore.open(0, true, DuplicatePolicy.NEW_INDEX);
    try {
      for (int i = 0; i < 3; i++) {
        several.insert(ipv4(key, 1));
      }
      run(
          random -> {
            int index = random.nextInt(10) == 0 ? 1 : 0;
            assertThat(several.remove(index)).isZero();
            assertThat(several.insert(ipv4(key, 1))).isEqualTo(index);
          },
          (random, own) -> {
            int found = several.find(ipv4(own, 1));
            if (found < 0 || found > 2) {
              throw new AssertionError("lost: " + found);
            }
          });
    } finally {
      several.close();
    }
  }

  /** The directory deepens, partitions split. */
  @Test
  void insertedAddressesAreFoundWhileTheIndexGrows() throws Exception {
    long[] inserted = {0};
    run(
        random -> {
          int next = (int) inserted[0];
          assertThat(store.insert(ipv4(key, next * 7919))).isEqualTo(next);
          if (next < 400_000) {
            SHARED.setRelease(inserted, 0, next + 1L);
          } else {
            store.remove(next);
          }
        },
        (random, own) -> {
          int count = (int) (long) SHARED.getAcquire(inserted, 0);
          int index = count == 0 ? 0 : random.nextInt(count);
          if (count > 0) {
            assertThat(store.find(ipv4(own, index * 7919))).isEqualTo(index);
            assertThat(store.ipv4(index)).isEqualTo(own.ipv4());
          }
        },
        // However slow the machine is, the index has to grow meanwhile.
        () -> (long) SHARED.getAcquire(inserted, 0) > 10_000);
    assertThat(inserted[0]).isGreaterThan(10_000);
  }

  /** Records go from entry to entry, of several lengths. */
  @Test
  void recordsAreReadWhole() throws Exception {
    run(
        random -> {
          int index = store.insert(record(key, random.nextInt(1, 100)));
          store.remove(index == 0 && random.nextInt(3) > 0 ? 1 : index);
          store.remove(random.nextInt(3));
        },
        (random, own) -> {
          if (store.load(random.nextInt(3), own)) {
            long address = own.word(0);
            assertThat(own.word(1)).isEqualTo(address);
            assertThat(own.word(2)).isEqualTo(address << 32 | address);
            assertThat(own.word(3)).isEqualTo(address);
          }
        });
  }

  /** An entry goes from record to record and to its slot and back, and always has an address. */
  @Test
  void replacedEntriesAlwaysHaveAnAddress() throws Exception {
    for (int i = 0; i < 3; i++) {
      store.insert(record(key, i + 1));
    }
    run(
        random -> {
          int address = random.nextInt(1, 100);
          AddressKey next = random.nextInt(4) == 0 ? ipv4(key, address) : record(key, address);
          store.replace(random.nextInt(3), next);
        },
        (random, own) -> {
          int index = random.nextInt(3);
          assertThat(store.load(index, own)).as("index %s has an address", index).isTrue();
          if (own.kind() == AddressKey.Kind.IPV6) {
            long address = own.word(0);
            assertThat(own.word(1)).isEqualTo(address);
            assertThat(own.word(2)).isEqualTo(address << 32 | address);
            assertThat(own.word(3)).isEqualTo(address);
          }
          assertThat(store.isLive(index)).isTrue();
          assertThat(store.generation(index)).isZero();
          assertThat(store.count(index)).isOne();
        });
  }

  /** Entries of a run get slots with their new addresses, one after the other. */
  @Test
  void entriesOfRunsHaveTheOldAddressOrTheNew() throws Exception {
    int many = 200_000;
    AddressRange range = new AddressRange(false, 0, 1, 0, 5000, many, 1);
    store.insertRange(range, new RangeOutcome());
    store.insertRange(range, new RangeOutcome());
    long[] next = {0};
    run(
        random -> {
          int index = (int) next[0];
          if (index < many) {
            assertThat(store.replace(index, ipv4(key, many + 1 + index))).isZero();
            SHARED.setRelease(next, 0, index + 1L);
          }
        },
        (random, own) -> {
          // Where the writer is.
          int index =
              (int) Math.min((long) SHARED.getAcquire(next, 0) + random.nextInt(3), many - 1);
          assertThat(store.load(index, own)).as("index %s has an address", index).isTrue();
          assertThat(own.ipv4() >>> 16).isIn(1L + index, many + 1L + index);
          assertThat(store.isLive(index)).isTrue();
          assertThat(store.count(index)).isEqualTo(2);
          assertThat(store.generation(index)).isZero();
          assertThat(store.liveFrom(index, many, 1)).isEqualTo(index);
          if (store.find(ipv4(own, 1 + index)) != index) {
            assertThat(store.find(ipv4(own, many + 1 + index))).isEqualTo(index);
          }
        });
    assertThat(next[0]).isPositive();
  }

  /** One entry has an address all the while that others take and give back. */
  @Test
  @Tag("AV-178")
  void companionsOfReplacedEntriesAreFound() throws Exception {
    EntryStore several = EntryStore.open(0, true, DuplicatePolicy.NEW_INDEX);
    try {
      for (int i = 0; i < 3; i++) {
        several.insert(ipv4(key, 1));
      }
      run(
          random -> several.replace(random.nextInt(2), ipv4(key, random.nextInt(1, 4))),
          (random, own) -> {
            int found = several.find(ipv4(own, 1));
            if (found < 0 || found > 2) {
              throw new AssertionError("lost: " + found);
            }
          });
    } finally {
      several.close();
    }
  }

  /** Ids go with their entries; each entry's user id is its address. */
  @Test
  void userIdsAreThoseOfTheGenerationThatWasSeen() throws Exception {
    run(
        random -> {
          int address = random.nextInt(1, 1000);
          int index = store.insert(ipv4(key, address));
          assertThat(store.setUserId(index, address)).isZero();
          int other = store.insert(ipv4(key, address + 1000));
          store.remove(random.nextBoolean() ? index : other);
          store.remove(0);
          store.remove(1);
        },
        (random, own) -> {
          int index = random.nextInt(2);
          long generation = store.generation(index);
          long word = store.ipv4(index);
          long id = store.userId(index, -1);
          boolean oneLife = generation == store.generation(index) && word != -1;
          if (oneLife && id != -1 && id != word >>> 16) {
            throw new AssertionError(id + " is not the user id of " + (word >>> 16));
          }
        });
  }

  /** What all entries of a run get is taken from one of them again. */
  @Test
  @Tag("AV-117")
  void countsOfEntriesOfRunsAreThoseOfOneMoment() throws Exception {
    AddressRange range = new AddressRange(false, 0, 1, 0, 5000, 16, 1);
    store.insertRange(range, new RangeOutcome());
    run(
        random -> {
          store.insertRange(range, new RangeOutcome());
          store.remove(3);
        },
        (random, own) -> {
          int count = store.count(3);
          if (count != 1 && count != 2) {
            throw new AssertionError("count " + count);
          }
        });
  }

  /** Generations of far indices are looked at while near ones come and go. */
  @Test
  void askingForGenerationsDoesNotDisturbTheWriter() throws Exception {
    int far = (1 << 21) + 5;
    Ranges.insert(store, Ranges.nodes(1, far + 100));
    assertThat(store.remove(far)).isZero();
    run(
        random -> {
          int index = random.nextInt(1000);
          assertThat(store.remove(index)).isZero();
          assertThat(store.isLive(index)).as("index %s has been removed", index).isFalse();
          Ranges.insert(store, Ranges.nodes(1 + index, 1));
          assertThat(store.isLive(index)).isTrue();
        },
        (random, own) -> assertThat(store.generation(far)).isOne());
  }

  /** Records go from index to index; user ids of an index are even or odd as itself, never 0. */
  @Test
  void userIdsAreThoseOfTheIndex() throws Exception {
    run(
        random -> {
          int index = store.insert(ipv4(key, random.nextInt(1000)));
          store.setUserId(index, random.nextInt(1, 1000) * 2L + index % 2);
          store.remove(random.nextInt(4));
        },
        (random, own) -> {
          int index = random.nextInt(4);
          long id = store.userId(index, -1);
          if (id != -1 && (id == 0 || id % 2 != index % 2)) {
            throw new AssertionError(id + " is no user id of index " + index);
          }
        });
  }

  /** Closing under a reader's feet. */
  @Test
  void closingEndsReadersCleanly() throws Exception {
    for (int round = 0; round < 20; round++) {
      EntryStore closing = EntryStore.open(0, true, DuplicatePolicy.SHARE);
      for (int i = 0; i < 1000; i++) {
        closing.insert(ipv4(key, i));
      }
      List<Future<String>> readers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        readers.add(
            threads.submit(() -> {
              AddressKey own = new AddressKey();
              try {
                for (int j = 0; ; j = (j + 1) % 1000) {
                  if (closing.find(ipv4(own, j)) != j || closing.ipv4(j) != own.ipv4()) {
                    return "wrong answer";
                  }
                }
              } catch (IllegalStateException e) {
                return "closed";
              }
            }));
      }
      Thread.sleep(2);
      closing.close();
      for (Future<String> reader : readers) {
        assertThat(reader.get()).isEqualTo("closed");
      }
    }
  }

  private interface Writer {
    void write(SplittableRandom random);
  }

  private interface Reader {
    void read(SplittableRandom random, AddressKey own);
  }

  private void run(Writer writer, Reader reader) throws Exception {
    run(writer, reader, () -> true);
  }

  private void run(Writer writer, Reader reader, BooleanSupplier enough) throws Exception {
    List<Future<?>> running = new ArrayList<>();
    running.add(
        threads.submit(() -> {
          SplittableRandom random = new SplittableRandom(1);
          while (!over) {
            writer.write(random);
          }
        }));
    for (int i = 0; i < 2; i++) {
      int seed = i;
      Callable<Void> loop =
          () -> {
            SplittableRandom random = new SplittableRandom(seed);
            AddressKey own = new AddressKey();
            while (!over) {
              reader.read(random, own);
            }
            return null;
          };
      running.add(threads.submit(loop));
    }
    long end = System.nanoTime() + MILLISECONDS * 1_000_000;
    while ((System.nanoTime() < end || !enough.getAsBoolean())
        && running.stream().noneMatch(Future::isDone)) {
      Thread.sleep(5);
    }
    over = true;
    for (Future<?> task : running) {
      task.get();
    }
  }

  /** An address that is in a record, and shows whether it was read whole. */
  private static AddressKey record(AddressKey key, int i) {
    key.setIpv6(i, i, i, i, i);
    return key;
  }

  private static AddressKey ipv4(AddressKey key, int i) {
    key.setIpv4((i & 0xFFFF_FFFFL) << 16 | 5000);
    return key;
  }
}
