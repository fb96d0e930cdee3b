// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.Errno;
import org.ofi4j.FabricException;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.slot.IndexPages;
import org.ofi4j.core.store.StoreOptions;

/**
 * Many words of a file of entries are not what was written: words of zeros, ones, other places of
 * the same file, or anything. Whoever attaches to it, reads it, changes it, repairs it or checks it
 * comes to an end, and either refuses with a reason or goes on. What a repair that failed wrote is
 * gone.
 */
@Tag("AV-039")
class DamagedWordsTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final String ENTRIES = "own/domain+vector.entries";

  /** What is behind the header and the first table of pieces. */
  private static final int FIRST_PIECE = 8192;

  /** What took this long does not end: the longest of what ends takes a hundredth of it. */
  private static final int MOST_READ = 20_000;

  @TempDir private Path directory;

  private final SplittableRandom random = new SplittableRandom(SEED);
  private int vectors;

  /** What each of the processes that use a vector does when it comes upon the damage. */
  private enum Use {
    ATTACH {
      @Override
      void of(NamedVector vector, NamedStore store, NamedStore later) {
        later.close();
      }
    },
    READ {
      @Override
      void of(NamedVector vector, NamedStore store, NamedStore later) {
        // However many indices counts speak of.
        AddressKey key = new AddressKey();
        MemorySegment target = MemorySegment.ofArray(new long[4]);
        for (int index = 0; index < MOST_READ; index++) {
          later.fastReads().copy(index, target);
          if (later.isLive(index) && later.load(index, key)) {
            later.fastReads().find(later.ipv4(index));
            later.find(key);
            later.count(index);
            later.generation(index);
          }
        }
      }
    },
    CHANGE {
      @Override
      void of(NamedVector vector, NamedStore store, NamedStore later) {
        change(store);
      }
    },
    CHANGE_BY_OTHERS {
      @Override
      void of(NamedVector vector, NamedStore store, NamedStore later) {
        change(store);
        change(later);
      }
    },
    REPAIR {
      @Override
      void of(NamedVector vector, NamedStore store, NamedStore later) {
        NamedStores.failChange(vector);
        change(later);
      }
    };

    abstract void of(NamedVector vector, NamedStore store, NamedStore later);

    static void change(NamedStore store) {
      store.begin();
      try {
        for (Change change : Change.values()) {
          // That one goes through as many indices as there are said to be entries.
          if (change != Change.REMOVE_LAST || store.size() < MOST_READ) {
            change.apply(store);
          }
        }
      } finally {
        store.end();
      }
    }
  }

  /** All references of the first node of side words lead to this node. */
  @Test
  void sideWordsThatLeadToEachOther() throws Exception {
    Damage damage =
        bytes -> {
          ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
          int unit = words.getInt(FIRST_PIECE + (int) Superblock.SIDE_PAGES);
          assertThat(unit).isPositive();
          for (int i = 0; i < 1 << IndexPages.NODE_BITS; i++) {
            words.putInt(position(words, unit) + i * Integer.BYTES, unit);
          }
        };
    for (Use use : Use.values()) {
      use(use, Change.UNSHARE, damage);
    }
  }

  /** Runs that cannot be are no sign that they have just changed. */
  @Test
  void runsThatAreNone() throws Exception {
    Damage damage =
        bytes -> {
          ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
          long root = words.getLong(FIRST_PIECE + (int) Superblock.RUNS);
          assertThat(Runs.unit(root)).isPositive();
          words.putInt(position(words, Runs.unit(root)), Integer.MIN_VALUE);
        };
    for (Use use : Use.values()) {
      use(use, Change.UNSHARE, damage);
    }
  }

  /** Free indices that are behind the end of all. */
  @Test
  void endBeforeFreeIndices() throws Exception {
    Damage damage =
        bytes -> {
          ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
          assertThat(words.getLong(FIRST_PIECE + (int) Superblock.FREE_INDEX_COUNT)).isPositive();
          words.putInt(FIRST_PIECE + (int) Superblock.END, Integer.MIN_VALUE);
        };
    for (Use use : Use.values()) {
      use(use, Change.FILL_HOLES, damage);
    }
  }

  /** A table of pieces that goes on with itself. */
  @Test
  void moreTablesThanThereIsFile() throws Exception {
    Damage damage =
        bytes -> {
          ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
          words.putInt(48, Integer.MAX_VALUE);
          words.putInt(8184, FIRST_PIECE / SlabAllocator.UNIT_BYTES);
          words.putInt(FIRST_PIECE + 4088, FIRST_PIECE / SlabAllocator.UNIT_BYTES);
        };
    for (Use use : Use.values()) {
      use(use, Change.UNSHARE, damage);
    }
  }

  /** Where a unit is in the file. */
  private static int position(ByteBuffer words, int unit) {
    int slab = unit >>> 13;
    int entry = 4096;
    while (words.getInt(entry + 4) != -1 - slab) {
      entry += 8;
    }
    return words.getInt(entry) * SlabAllocator.UNIT_BYTES
        + (unit & 8191) * SlabAllocator.UNIT_BYTES;
  }

  @Test
  void anyWords() throws Exception {
    damage(30);
  }

  @Test
  @Tag("long")
  @Timeout(value = 4, unit = TimeUnit.HOURS)
  void manyWords() throws Exception {
    damage(Integer.getInteger("ofi4j.damages", 20_000));
  }

  private void damage(int times) throws Exception {
    Change[] changes = Change.values();
    for (int i = 0; i < times; i++) {
      Use use = Use.values()[i % Use.values().length];
      use(use, changes[random.nextInt(changes.length)], this::damage);
    }
  }

  /** Overwrites words here and there, or a piece of memory with one word. */
  private void damage(byte[] bytes) {
    ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    int used = (int) words.getLong(32);
    int from = random.nextInt(8) == 0 ? 32 : FIRST_PIECE;
    if (random.nextInt(4) == 0) {
      int start = from + random.nextInt((used - from) / 4) * 4;
      int value = word(words, used);
      for (int at = start; at < Math.min(used, start + (16 << random.nextInt(8))); at += 4) {
        words.putInt(at, value);
      }
      return;
    }
    for (int i = 1 << random.nextInt(9); i > 0; i--) {
      words.putInt(from + random.nextInt((used - from) / 4) * 4, word(words, used));
    }
  }

  private int word(ByteBuffer words, int used) {
    return switch (random.nextInt(5)) {
      case 0 -> 0;
      case 1 -> -1;
      case 2 -> words.getInt(random.nextInt(used / 4) * 4);
      case 3 -> random.nextInt(used / SlabAllocator.UNIT_BYTES);
      default -> random.nextInt();
    };
  }

  private interface Damage {
    void to(byte[] bytes);
  }

  private void use(Use use, Change content, Damage damage) throws Exception {
    Path own = Files.createDirectory(directory.resolve("vector" + vectors++));
    StoreOptions options = content.options();
    NamedVector vector = NamedStores.vector(own, options, false);
    NamedStore store = NamedStore.of(vector, options);
    store.begin();
    content.prepare(store);
    store.end();
    List<NamedStore> opened = new ArrayList<>(List.of(store));
    ending(
        use + " of " + content,
        () -> {
          Path entries = own.resolve(ENTRIES);
          byte[] bytes = Files.readAllBytes(entries);
          damage.to(bytes);
          Files.write(entries, bytes);
          try {
            NamedStore later = NamedStore.of(NamedStores.vector(own, options, false), options);
            opened.add(later);
            use.of(vector, store, later);
          } catch (FabricException refused) {
            assertThat(refused.errno()).isIn(Errno.EIO, Errno.EINVAL, Errno.ENOMEM);
            assertThat(refused).hasMessageContaining("damaged");
          }
          try {
            Soundness.look(own);
          } catch (FabricException refused) {
            assertThat(refused).hasMessageContaining("damaged");
          }
        });
    opened.forEach(NamedStore::close);
    try (var left = Files.list(own.resolve("own"))) {
      assertThat(left).isEmpty();
    }
  }

  /** What is done to a vector. */
  private interface Deed {
    void run() throws IOException;
  }

  /** In a thread of its own, as it might not come to an end. */
  private static void ending(String what, Deed deed) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread doing =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                deed.run();
              } catch (IOException e) {
                failure.set(new UncheckedIOException(e));
              } catch (Throwable failed) {
                failure.set(failed);
              }
            });
    try {
      doing.join();
    } catch (InterruptedException timeout) {
      throw new AssertionError(what + " does not end; repeat with -Dofi4j.seed=" + SEED, timeout);
    }
    if (failure.get() != null) {
      throw new AssertionError(
          what + ": " + failure.get() + "; repeat with -Dofi4j.seed=" + SEED, failure.get());
    }
  }
}
