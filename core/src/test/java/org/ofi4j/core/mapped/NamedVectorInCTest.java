// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.AddressRange;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.KeyNumbers;
import org.ofi4j.core.store.Ranges;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.TestDomain;

/**
 * A program in C that knows {@code docs/internals/files.md} and nothing else sees the entries that
 * this library sees: each of them, in vectors at rest.
 */
@Tag("AV-039")
class NamedVectorInCTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());

  @TempDir private Path directory;

  /** Where the program is, which is compiled once. */
  @TempDir private static Path tools;

  private static CReader reader;
  private final SplittableRandom random = new SplittableRandom(SEED);
  private final PrintedAddresses addresses = new PrintedAddresses(random);

  @BeforeEach
  void compile() throws Exception {
    if (reader == null) {
      reader = new CReader(tools);
    }
  }

  /**
   * All forms of free indices, small pages, cut runs, all kinds of addresses; then the same
   * repaired.
   */
  @ParameterizedTest
  @EnumSource(names = {"SHARE", "NEW_INDEX"})
  void everyEntryOfAVectorAtRestIsSeen(DuplicatePolicy duplicates) throws Exception {
    StoreOptions options =
        StoreOptions.of(0, true, duplicates)
            .withSeed(random.nextLong())
            .withWideSlots(random.nextBoolean());
    NamedVector vector = NamedStores.vector(directory, options, false);
    try (NamedStore store = NamedStore.of(vector, options)) {
      assertThat(reader.read(CReader.control(directory), 1)).containsExactly("end 0");
      store.begin();
      insertSome(store, 300);
      if (!options.wide()) {
        insertUnderKeys(store, 200);
      }
      for (int i = 0; i < 12; i++) {
        long low = 0x0B00_0000L + (i << 12);
        Ranges.insert(store, new AddressRange(false, 0, low, 0, 1000, 1 + 7 * i, 1 + 3 * i));
        Ranges.insert(store, new AddressRange(true, 7L * i, low, i % 3, 99, 40 + i, 1 + i % 4));
      }
      insertRows(store);
      removeEach(store, 0, 3000, 7);
      insertSome(store, 440);
      Ranges.insert(store, Ranges.nodes(0x0C00_0000L, 80_000));
      assertThat(store.load(80_000, new AddressKey())).isTrue();
      // An array in one block, a bitmap in another one.
      removeEach(store, 40_000, 40_400, 10);
      removeEach(store, 70_000, 80_000, 3);
      // The holes are filled from the lowest on: there are no pages.
      insertSome(store, 100);
      compare(store, "made");
      assertThat(smallPages()).as("pages for entries in holes; %s", seed()).isPositive();
      removeEach(store, 72_000, 78_000, 1);
      removeEach(store, 40_000, 40_400, 7);
      Ranges.insert(store, Ranges.nodes(0x0D00_0000L, 5000));
      store.reserve();
      store.end();
      NamedStores.failChange(vector);
      compare(store, "behind a dead writer");
      store.begin();
      store.end();
      compare(store, "repaired");
      assertThat(vector.repairs()).isOne();
    }
  }

  /** Changes of all kinds, by several writers that die now and then. */
  @ParameterizedTest
  @EnumSource(names = "BY_VERSION", mode = EnumSource.Mode.EXCLUDE)
  void everyEntryIsSeenAfterRandomChanges(DuplicatePolicy duplicates) throws Exception {
    boolean reuse = duplicates != DuplicatePolicy.REJECT || random.nextBoolean();
    StoreOptions options =
        StoreOptions.of(0, reuse, duplicates)
            .withSeed(random.nextLong())
            .withWideSlots(random.nextBoolean());
    try (NamedStores stores = new NamedStores(directory, options, 200)) {
      for (int round = 0; round < 5; round++) {
        for (int i = 0; i < 25; i++) {
          int at = random.nextInt(3000);
          switch (random.nextInt(6)) {
            case 0 -> insertSome(stores, random.nextInt(20));
            case 1 -> insertRows(stores);
            case 2 -> removeEach(stores, at, at + random.nextInt(200), 1);
            case 3 -> removeEach(stores, at, at + random.nextInt(3000), 1 + random.nextInt(9));
            case 4 -> {
              int reserved = stores.reserve();
              if (random.nextBoolean()) {
                stores.publish(reserved, addresses.some());
              } else if (random.nextBoolean()) {
                stores.cancel(reserved);
              }
            }
            default -> {
              boolean ipv6 = random.nextBoolean();
              int nodes = 1 + random.nextInt(900);
              long first = 0x0A00_0000L + random.nextInt(5000);
              Ranges.insert(
                  stores,
                  new AddressRange(
                      ipv6, ipv6 ? 5 : 0, first, 0, 1000, nodes, 1 + random.nextInt(4)));
            }
          }
        }
        compare(stores, "round " + round);
      }
    }
  }

  /** More pieces than there are in a table. */
  @Test
  void allTablesOfPiecesAreFollowed() throws Exception {
    int pages = 1100;
    List<String> expected = new ArrayList<>();
    try (NamedVector vector =
        NamedVector.open(
            ShareDirectory.at(directory.resolve("own")),
            "domain",
            "vector",
            new VectorTraits(0, 2, 0, 2, 0, 0, 0, 0, 0).withBase().toBytes(),
            false,
            TestDomain.PATIENCE,
            file -> {
              file.allocate(4096, -1);
              file.count();
              // In place of pages 6 and 7.
              MemorySegment flat = file.allocate(8L * 8192, 1 << 26 | 2);
              file.count();
              for (int page = 0; page < pages; page++) {
                int first = page == 0 ? 0 : page < 6 ? 32 << page : (page - 5) << 12;
                int slots = page == 0 ? 64 : Math.min(first, 4096);
                int small = page % 5 == 4 ? 1 << 25 : 0;
                if (small != 0) {
                  first += 64 * random.nextInt(slots / 64);
                  slots = 64;
                }
                int place = random.nextInt(slots);
                long word = random.nextLong() >>> 16;
                boolean isFlat = page == 6 || page == 7;
                MemorySegment its =
                    isFlat
                        ? flat.asSlice(8L * (first - 4096))
                        : file.allocate(8L * slots, first / 64 | small);
                its.setAtIndex(ValueLayout.JAVA_LONG, place, 1L << 63 | word);
                if (!isFlat) {
                  file.count();
                }
                expected.add(first + place + " " + PrintedAddresses.text(ipv4(word)));
              }
              expected.add("end " + pages);
            })) {
      assertThat(vector.isReadOnly()).isFalse();
      assertThat(reader.read(CReader.control(directory), 1)).as(seed()).isEqualTo(expected);
    }
  }

  @Test
  void aRecordThatIsBeingWrittenIsNoEntry() throws Exception {
    StoreOptions options =
        StoreOptions.of(0, true, DuplicatePolicy.SHARE).withWideSlots(random.nextBoolean());
    Path control = CReader.control(directory);
    Path entries = control.resolveSibling("domain+vector.entries");
    AddressKey key = new AddressKey();
    long half = random.nextLong();
    key.setIpv6(half, ~half, 1000, 0, 0);
    try (NamedStore store = NamedStore.of(NamedStores.vector(directory, options, false), options)) {
      store.begin();
      store.insert(key);
      store.end();
      compare(store, "whole");
      ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(entries)).order(ByteOrder.nativeOrder());
      ByteBuffer bigEndian = file.duplicate();
      int record = 8192;
      while (bigEndian.getLong(record + 8) != half || bigEndian.getLong(record + 16) != ~half) {
        record += 8;
      }
      int version = record + (file.order() == ByteOrder.LITTLE_ENDIAN ? 0 : 3);
      write(entries, version, (byte) (file.get(version) | 1));
      assertThat(reader.read(control, 1)).as(seed()).containsExactly("end 0");
      write(entries, version, file.get(version));
      compare(store, "whole again");
    }
  }

  @Test
  void whatIsNoVectorIsRefused() throws Exception {
    StoreOptions options = StoreOptions.of(0, true, DuplicatePolicy.SHARE);
    Path control = CReader.control(directory);
    Path entries = control.resolveSibling("domain+vector.entries");
    Path away = directory.resolve("away");
    assertThat(reader.refusal(control)).contains("is not there");
    NamedVector vector = NamedStores.vector(directory, options, false);
    try (NamedStore store = NamedStore.of(vector, options)) {
      LostLocksUser.awaitSocket(directory, vector);
      assertThat(store.size()).isZero();
      refuses(control, entries, 0, "is not OFI4J-EN");
      refuses(control, entries, 8, "has version");
      refuses(control, entries, 12, "another byte order");
      refuses(control, entries, 16, "another vector");
      refuses(control, entries, 4096, "is not within");
      Files.move(entries, away);
      assertThat(reader.refusal(control)).contains("entries is not there");
      Files.move(away, entries);
      assertThat(reader.read(control, 1)).containsExactly("end 0");
      // This process loses its locks as it closes the control file, but its socket shows that it
      // lives.
      refuses(control, control, 0, "is not OFI4J-AV");
      refuses(control, control, 8, "has version");
      refuses(control, control, 12, "another byte order");
      refuses(control, control, 24, "is not ready");
      assertThat(reader.read(control, 1)).containsExactly("end 0");
      LostLocksUser.deleteSockets(directory);
      assertThat(reader.refusal(control)).contains("nobody who is alive");
    }
  }

  /** A byte is another one for a while. */
  private void refuses(Path control, Path file, int offset, String why) throws Exception {
    byte[] whole = Files.readAllBytes(file);
    write(file, offset, (byte) (whole[offset] ^ 0x40));
    assertThat(reader.refusal(control)).contains(why);
    write(file, offset, whole[offset]);
  }

  private static void write(Path file, int offset, byte value) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {value}), offset);
    }
  }

  /** How many small pages there are, as the first table of pieces says. */
  private int smallPages() throws IOException {
    Path entries = CReader.control(directory).resolveSibling("domain+vector.entries");
    ByteBuffer file = ByteBuffer.wrap(Files.readAllBytes(entries)).order(ByteOrder.nativeOrder());
    int pieces = Math.min(file.getInt(48), 511);
    return (int)
        IntStream.range(0, pieces)
            .filter(i -> (file.getInt(4100 + 8 * i) >>> 25 & ~4) == 1)
            .count();
  }

  private static byte[] fingerprint(int which) {
    byte[] fingerprint = new byte[KeyedHash.FINGERPRINT_BYTES];
    Arrays.fill(fingerprint, (byte) (which + 1));
    return fingerprint;
  }

  private void insertUnderKeys(NamedStore store, int count) {
    KeyNumbers keys = store.keyNumbers(0);
    for (int i = 0; i < 3; i++) {
      assertThat(keys.allocate(fingerprint(i))).isEqualTo(i);
    }
    for (int i = 0; i < count; i++) {
      AddressKey key = addresses.someUnder(3);
      long before = store.size();
      store.insert(key);
      keys.countEntries(key.authKey(), (int) (store.size() - before));
    }
    for (int i = 0; i < 3; i++) {
      keys.free(i);
    }
  }

  private void insertSome(EntryStore store, int count) {
    for (int i = 0; i < count; i++) {
      store.insert(addresses.some());
    }
  }

  /** Successive and regular addresses, given many at once. */
  private void insertRows(EntryStore store) {
    long first = (0x0A10_0000L + random.nextInt(1 << 16)) << 16 | 3000 + random.nextInt(8);
    long step = random.nextBoolean() ? 1 + random.nextInt(3) : -3L << 16;
    int columns = 17 + random.nextInt(60);
    long[] words =
        IntStream.range(0, columns * 5)
            .mapToLong(i -> first + i % columns * step + i / columns * (1L << 40))
            .toArray();
    store.insertIpv4(words, words.length, new int[words.length]);
  }

  private static void removeEach(EntryStore store, int from, int to, int step) {
    int[] indices = IntStream.iterate(from, i -> i < to, i -> i + step).toArray();
    store.remove(indices, indices.length, new int[indices.length]);
  }

  private static AddressKey ipv4(long word) {
    AddressKey key = new AddressKey();
    key.setIpv4(word);
    return key;
  }

  private void compare(EntryStore store, String when) throws Exception {
    List<String> seen = reader.read(CReader.control(directory), 1);
    List<String> expected = expected(store);
    if (!seen.equals(expected)) {
      int at = 0;
      while (at < Math.min(seen.size(), expected.size()) && seen.get(at).equals(expected.get(at))) {
        at++;
      }
      String what = when + " from line " + at + "; " + seed();
      assertThat(seen.stream().skip(at).limit(3).toList())
          .as(what)
          .isEqualTo(expected.stream().skip(at).limit(3).toList());
      assertThat(seen).as(what).hasSameSizeAs(expected);
    }
  }

  private static String seed() {
    return "repeat with -Dofi4j.seed=" + SEED;
  }

  /** What the program is to print. */
  private static List<String> expected(EntryStore store) {
    List<String> lines = new ArrayList<>();
    AddressKey key = new AddressKey();
    for (int index = 0; lines.size() < store.size() && index < 1 << 20; index++) {
      if (store.load(index, key)) {
        lines.add(index + " " + PrintedAddresses.text(key));
      }
    }
    lines.add("end " + store.size());
    return lines;
  }
}
