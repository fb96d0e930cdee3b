// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.SegmentEntryStore;
import org.ofi4j.core.store.StoreCopy;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.VectorFiles;

/** A repair that fails leaves nothing of what it has written; others read while one goes on. */
@Tag("AV-039")
class NamedStoreRepairTest {
  private static final Change CONTENT = Change.INSERT_IPV4;
  private static final StoreOptions OPTIONS = CONTENT.options();

  /** Header, table and root are before this; what they lead to follows. */
  private static final int FROM = 12_288;

  /** The word of the first piece that leads to all runs. */
  private static final long RUNS = 8192 + Superblock.RUNS;

  @TempDir private Path directory;

  /** What is to be copied cannot be read. */
  @Test
  void whatFailsTakesNoRoom() throws IOException {
    try (NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
        NamedStore store = new NamedStore(vector, OPTIONS)) {
      store.begin();
      CONTENT.prepare(store);
      store.end();
      vector.begin();
      vector.fail();
      try (FileChannel channel = FileChannel.open(entries(1), StandardOpenOption.WRITE)) {
        channel.write(ByteBuffer.wrap(damage()), RUNS);
      }
      assertThatThrownBy(store::begin).hasMessageContaining("domain+vector");
      assertThat(files(directory.resolve("own")))
          .containsExactly("domain+vector.1.entries", "domain+vector.control");
    }
  }

  /** Who repaired before died behind that: what it left is ended first, and takes no room more. */
  @Test
  void whatADeadRepairLeftIsEndedFirst() throws IOException {
    try (NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
        NamedStore store = new NamedStore(vector, OPTIONS)) {
      leaveTwoFiles(vector, store);
      Path inTheWay = Files.createDirectories(entries(3).resolve("directory")).getParent();
      assertThatThrownBy(store::begin).hasMessageContaining(inTheWay.toString());
      assertThat(files(directory.resolve("own")))
          .containsExactly(
              "domain+vector.2.entries", "domain+vector.3.entries", "domain+vector.control");
      Files.delete(inTheWay.resolve("directory"));
      store.begin();
      store.end();
      assertThat(files(directory.resolve("own")))
          .containsExactly("domain+vector.3.entries", "domain+vector.control");
    }
  }

  /** Else each attempt would leave one file more. */
  @Test
  void whatCannotBeEndedIsNotRepairedOver() throws IOException {
    try (NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
        NamedStore store = new NamedStore(vector, OPTIONS)) {
      leaveTwoFiles(vector, store);
      try (FileChannel left = FileChannel.open(entries(1), StandardOpenOption.WRITE)) {
        left.truncate(FROM);
      }
      for (int i = 0; i < 3; i++) {
        assertThatThrownBy(store::begin)
            .hasMessageContaining("EIO (5)")
            .hasMessageContaining("domain+vector.1.entries")
            .hasMessageContaining("close the vector everywhere");
        assertThat(files(directory.resolve("own")))
            .containsExactly(
                "domain+vector.1.entries", "domain+vector.2.entries", "domain+vector.control");
      }
    }
  }

  /** Does what a repair does whose process dies when the new file is the vector's. */
  private static void leaveTwoFiles(NamedVector vector, NamedStore store) {
    store.begin();
    CONTENT.prepare(store);
    store.end();
    vector.begin();
    try (SegmentEntryStore old = CurrentFile.store(vector.entries(1), OPTIONS);
        SegmentEntryStore copy = CurrentFile.store(vector.create(), OPTIONS)) {
      new StoreCopy(old, copy, OPTIONS, owner -> false).copy();
    }
    vector.replace();
    vector.fail();
    assertThat(store.isLive(0)).as("of the second file").isTrue();
  }

  private Path entries(int generation) {
    return directory.resolve("own/domain+vector." + generation + ".entries");
  }

  private static byte[] damage() {
    byte[] bytes = new byte[Long.BYTES];
    Arrays.fill(bytes, (byte) 0xA5);
    return bytes;
  }

  /** Whether the writer before died or not is told apart. */
  @Test
  void memoryThatEndsBeforeAChangeLeavesEverythingAsItWas() throws Exception {
    System.setProperty("halt.directory", directory.toString());
    try {
      SteppingLoader.run(ExhaustedWriter.class);
    } finally {
      System.clearProperty("halt.directory");
    }
  }

  /** Whoever has looked which file to read finds it marked, and reads the other one. */
  @Test
  void whoReadsWhileAnotherFileComesReadsThatOne() throws Exception {
    System.setProperty("halt.directory", directory.toString());
    try {
      SteppingLoader.run(OvertakenReader.class, OvertakenReader.STEPS);
    } finally {
      System.clearProperty("halt.directory");
    }
  }

  private static List<String> files(Path own) throws IOException {
    return VectorFiles.names(own);
  }
}
