// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.VectorFixture;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;

/** Pages of slots of a named vector that are none, or that have an index in common. */
@Tag("AV-041")
class DamagedPagesTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(3);
  private static final long RUN = 0x0A00_0000L << Short.SIZE | 7000;
  private static final long OTHER = 0xC0A8_0000L << Short.SIZE | 9000;
  private static final long NODE = 1L << Short.SIZE;

  /** Of the page of an exchanged entry of the run: 64 slots from 4992 on. */
  private static final int SMALL = 1 << 25 | 78;

  private static final int EXCHANGED = 5000;

  /** Of the page of the entry behind the run: 4096 slots from 8192 on. */
  private static final int FULL = 128;

  private static final int LAST = 10_000;

  @TempDir private Path directory;
  private NamedStore writer;
  private Path file;

  @BeforeEach
  void makePages() throws IOException {
    NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
    writer = NamedStore.of(vector, OPTIONS);
    long[] words = new long[LAST];
    for (int i = 0; i < LAST; i++) {
      words[i] = RUN + i * NODE;
    }
    writer.begin();
    assertThat(writer.insertIpv4(words, LAST, new int[LAST])).isEqualTo(LAST);
    assertThat(writer.replace(EXCHANGED, key(OTHER))).isZero();
    assertThat(writer.insert(key(OTHER + NODE))).isEqualTo(LAST);
    writer.end();
    try (Stream<Path> files = Files.list(directory.resolve("own"))) {
      file = files.filter(path -> path.toString().endsWith(".entries")).findAny().orElseThrow();
    }
  }

  @AfterEach
  void close() {
    writer.close();
  }

  @Test
  void pagesOfBothSizesAreFoundByOthers() throws IOException {
    NamedVector vector = NamedStores.vector(directory, OPTIONS, false);
    try (NamedStore other = NamedStore.of(vector, OPTIONS)) {
      assertThat(other.ipv4(EXCHANGED)).isEqualTo(OTHER);
      assertThat(other.find(key(OTHER))).isEqualTo(EXCHANGED);
      assertThat(other.ipv4(LAST)).isEqualTo(OTHER + NODE);
      assertThat(other.ipv4(EXCHANGED + 1)).isEqualTo(RUN + (EXCHANGED + 1) * NODE);
      // One that comes while the other process is there.
      writer.begin();
      assertThat(writer.replace(EXCHANGED + 100, key(OTHER + 2 * NODE))).isZero();
      writer.end();
      assertThat(other.ipv4(EXCHANGED + 100)).isEqualTo(OTHER + 2 * NODE);
      other.begin();
      assertThat(other.remove(EXCHANGED)).isZero();
      assertThat(insert(other, OTHER + 3 * NODE)).isEqualTo(EXCHANGED);
      other.end();
      assertThat(writer.ipv4(EXCHANGED)).isEqualTo(OTHER + 3 * NODE);
    }
    // Two slabs at most, and three pages.
    assertThat(piece(SMALL)).isBetween(1, 5);
    Soundness.check(directory);
  }

  @Test
  void flatPageIsFoundByOthers() throws IOException {
    int count = 20_000;
    Path elsewhere = directory.resolve("flat");
    Files.createDirectory(elsewhere);
    NamedVector vector = NamedStores.vector(elsewhere, OPTIONS, false);
    try (NamedStore one = NamedStore.of(vector, OPTIONS)) {
      one.begin();
      one.expect(count);
      for (int i = 0; i < count; i++) {
        assertThat(insert(one, OTHER + i * 3 * NODE)).isEqualTo(i);
      }
      one.end();
      try (NamedStore other =
          NamedStore.of(NamedStores.vector(elsewhere, OPTIONS, false), OPTIONS)) {
        for (int i = 0; i < count; i++) {
          assertThat(other.ipv4(i)).isEqualTo(OTHER + i * 3 * NODE);
        }
        // The flat page has 16,384 slots behind the first 4,096.
        assertThat(other.capacity()).isEqualTo(20_480);
        other.begin();
        assertThat(other.remove(4096)).isZero();
        assertThat(other.remove(count - 1)).isZero();
        other.end();
        assertThat(one.isLive(4096)).isFalse();
        assertThat(one.isLive(4097)).isTrue();
        assertThat(one.isLive(count - 1)).isFalse();
      }
      Soundness.check(elsewhere);
    }
  }

  /** In the same place, in a larger page, around a small one, and what no page is. */
  @ParameterizedTest
  @CsvSource({
    "small, 128",
    "small, 33554560",
    "full, 64",
    "full, 33554510",
    "small, 33554432",
    "small, 33554433",
    "small, 134217806",
    "full, 129",
    "full, 1073741824",
    "full, 67108864",
    "full, 67108865",
    "full, 67108866",
    "full, 67109121",
    "full, 100663298",
  })
  void pageThatIsNoneIsToldAsDamage(String which, int tag) throws IOException {
    int before = which.equals("small") ? SMALL : FULL;
    int piece = piece(before);
    setTag(piece, tag);
    try (NamedVector vector = NamedStores.vector(directory, OPTIONS, false)) {
      VectorFixture.fails(Errno.EIO, " is of no page: ", () -> NamedStore.of(vector, OPTIONS));
      assertThat(Soundness.look(directory).violations())
          .anyMatch(line -> line.contains(" has tag "));
    }
    setTag(piece, before);
    Soundness.check(directory);
  }

  /** The number of the piece with a tag, which is in the first table. */
  private int piece(int tag) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      ByteBuffer table = ByteBuffer.allocate(4096).order(ByteOrder.nativeOrder());
      channel.read(table, 4096);
      for (int piece = 0; piece < 511; piece++) {
        if (table.getInt(8 * piece + 4) == tag) {
          return piece;
        }
      }
    }
    throw new AssertionError("no piece has tag " + tag);
  }

  private void setTag(int piece, int tag) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.allocate(4).order(ByteOrder.nativeOrder()).putInt(0, tag);
      channel.write(bytes, 4096 + 8L * piece + 4);
    }
  }

  private static int insert(EntryStore store, long address) {
    return store.insert(key(address));
  }

  private static AddressKey key(long address) {
    AddressKey key = new AddressKey();
    key.setIpv4(address);
    return key;
  }
}
