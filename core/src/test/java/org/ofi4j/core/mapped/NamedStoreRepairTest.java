// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.slot.AddressRecords;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.VectorFiles;

/** Repairs that fail, and repairs that follow each other. */
@Tag("AV-039")
class NamedStoreRepairTest {
  private static final Change CONTENT = Change.INSERT_IPV4;
  private static final StoreOptions OPTIONS = CONTENT.options();

  /** Header, table and root are before this; what they lead to follows. */
  private static final int FROM = 12_288;

  /** The word of the first piece that leads to all runs. */
  private static final long RUNS = 8192 + Superblock.RUNS;

  @TempDir private Path directory;

  /** The runs cannot be read. */
  @Test
  void aRepairThatFailsLeavesTheFilesAsTheyAre() throws IOException {
    try (NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
        NamedStore store = NamedStore.of(vector, OPTIONS)) {
      store.begin();
      CONTENT.prepare(store);
      store.end();
      NamedStores.failChange(vector);
      try (FileChannel channel = FileChannel.open(entries(), StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.wrap(damage()), RUNS);
      }
      assertThatThrownBy(store::begin).hasMessageContaining("domain+vector");
      assertThat(files(directory.resolve("own")))
          .containsExactly("domain+vector.control", "domain+vector.entries");
    }
  }

  private Path entries() {
    return directory.resolve("own/domain+vector.entries");
  }

  private static byte[] damage() {
    byte[] bytes = new byte[Long.BYTES];
    Arrays.fill(bytes, (byte) 0xA5);
    return bytes;
  }

  /** Whether the writer before died or not is told apart. */
  @Test
  void memoryThatEndsBeforeAChangeLeavesEverythingAsItWas() throws Exception {
    run(ExhaustedWriter.class);
  }

  @Test
  void rareChangesAreRepairedBehindEachStore() throws Exception {
    run(RareDeaths.class);
  }

  private void run(Class<? extends Runnable> writer) throws ReflectiveOperationException {
    System.setProperty("halt.directory", directory.toString());
    try {
      SteppingLoader.run(writer);
    } finally {
      System.clearProperty("halt.directory");
    }
  }

  /**
   * Each repair derives the same from the entries, and takes no memory that it does not give back.
   */
  @Test
  void repeatedRepairsTakeNoMoreMemory() {
    try (NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
        NamedStore store = NamedStore.of(vector, OPTIONS)) {
      store.begin();
      AddressKey key = new AddressKey();
      for (int i = 0; i < 20_000; i++) {
        if (i % 3 == 0) {
          key.setIpv6(1L << 61, i, 5000, 0, i % 2);
        } else {
          key.setIpv4((0x9E37_79B1L * i & 0xFFFF_FFFFL) << 16 | 1000);
        }
        assertThat(store.insert(key)).isEqualTo(i);
      }
      for (int i = 0; i < 20_000; i += 2) {
        assertThat(store.remove(i)).isZero();
      }
      store.end();
      long[] held = new long[8];
      for (int i = 0; i < held.length; i++) {
        NamedStores.failChange(vector);
        store.begin();
        store.end();
        held[i] = store.memory().held();
        Soundness.check(directory);
      }
      assertThat(held[held.length - 1]).isEqualTo(held[1]);
      assertThat(store.size()).isEqualTo(10_000);
      for (int i = 0; i < 20_000; i++) {
        assertThat(store.isLive(i)).isEqualTo(i % 2 == 1);
        if (store.load(i, key)) {
          assertThat(store.find(key)).isEqualTo(i);
        }
      }
    }
  }

  /** A reader that stopped at a record of before finds out, however often that was used. */
  @Test
  void recordsInOtherMemoryBeginWithVersionsThatNoneHad() {
    try (NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
        NamedStore store = NamedStore.of(vector, OPTIONS)) {
      AddressKey key = new AddressKey();
      store.begin();
      for (int i = 0; i < 70_000; i++) {
        key.setIpv6(1L << 61, i, 5000, 0, 0);
        assertThat(store.insert(key)).isZero();
        store.remove(0);
      }
      store.insert(key);
      long before = version(store);
      store.remove(0);
      store.end();
      NamedStores.failChange(vector);
      store.begin();
      store.insert(key);
      store.end();
      assertThat(before).isGreaterThan(2 * 70_000);
      assertThat(version(store)).isGreaterThan(before);
    }
  }

  /** The version of the record of index 0. */
  private static long version(NamedStore store) {
    return store.ask(
        (memory, _, _, _) -> {
          AddressRecords records = new AddressRecords(memory.parts().allocator());
          long word = memory.parts().slots().word(0);
          return AddressRecords.version(records.segment(word), records.offsetOf(word));
        },
        0);
  }

  private static List<String> files(Path own) throws IOException {
    return VectorFiles.names(own);
  }
}
