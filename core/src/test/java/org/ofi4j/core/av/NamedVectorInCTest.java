package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.share.VectorTraits;

/**
 * A program in C that knows {@code docs/named-vector.md} and nothing else sees the entries that
 * this library sees: in vectors at rest each of them, in one that changes those that stay, and none
 * that never was.
 */
@Tag("AV-039")
class NamedVectorInCTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final int PASSES = Integer.getInteger("ofi4j.passes", 5);

  /** Addresses of each range in the vector that changes. */
  private static final int LENGTH = 6000;

  private static final AddressCodec TEXT = AddressCodec.of(AddressFormat.STR);
  private static final AddressCodec OPAQUE = AddressCodec.of(AddressFormat.GNI);
  private static final AddressCodec WIDE = AddressCodec.of(AddressFormat.PSMX2);

  @TempDir private Path directory;

  private CReader reader;
  private final SplittableRandom random = new SplittableRandom(SEED);

  @BeforeEach
  void compile() throws Exception {
    reader = new CReader(directory);
  }

  /** All forms of vacancies, strays, cut runs, all kinds of addresses; then the same repaired. */
  @ParameterizedTest
  @EnumSource(names = {"SHARE", "NEW_INDEX"})
  void everyEntryOfAVectorAtRestIsSeen(DuplicatePolicy duplicates) throws Exception {
    StoreOptions options = StoreOptions.of(0, true, duplicates).withSeed(random.nextLong());
    NamedVector vector = NamedStores.vector(directory, options, false);
    try (NamedStore store = new NamedStore(vector, options)) {
      assertThat(reader.read(CReader.control(directory), 1)).containsExactly("end 0");
      store.begin();
      insertSome(store, 300);
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
      // The holes are filled from the lowest on: there are no slots.
      insertSome(store, 100);
      compare(store, "made");
      assertThat(strays()).as("entries in holes without slots; %s", seed()).isPositive();
      removeEach(store, 72_000, 78_000, 1);
      removeEach(store, 40_000, 40_400, 7);
      Ranges.insert(store, Ranges.nodes(0x0D00_0000L, 5000));
      store.reserve();
      store.end();
      vector.begin();
      vector.fail();
      compare(store, "behind a dead writer");
      store.begin();
      store.end();
      compare(store, "repaired");
      assertThat(directory.resolve("own")).isDirectoryContaining("glob:**.2.entries");
    }
  }

  /** Changes of all kinds, by several writers that die now and then. */
  @ParameterizedTest
  @EnumSource(names = "BY_VERSION", mode = EnumSource.Mode.EXCLUDE)
  void everyEntryIsSeenAfterRandomChanges(DuplicatePolicy duplicates) throws Exception {
    boolean reuse = duplicates != DuplicatePolicy.REJECT || random.nextBoolean();
    StoreOptions options = StoreOptions.of(0, reuse, duplicates).withSeed(random.nextLong());
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
                stores.publish(reserved, some());
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

  /** Each address tells which it is: what is put together of two is none of them. */
  @Test
  void aVectorThatChangesIsSeenAsItIs() throws Exception {
    StoreOptions options =
        StoreOptions.of(0, true, DuplicatePolicy.REJECT).withSeed(random.nextLong());
    Map<String, Integer> numbers = new HashMap<>();
    List<AddressKey> keys = new ArrayList<>();
    for (int i = 0; i < 700; i++) {
      AddressKey key = some();
      if (numbers.putIfAbsent(text(key), keys.size()) == null) {
        keys.add(key);
      }
    }
    int ranges = keys.size();
    for (int i = 0; i < 3 * LENGTH; i++) {
      AddressKey key = new AddressKey();
      range(i / LENGTH, i % LENGTH, 1).at(0, key);
      numbers.put(text(key), keys.size());
      keys.add(key);
    }
    AtomicBoolean enough = new AtomicBoolean();
    AtomicReference<Throwable> failed = new AtomicReference<>();
    Set<Long> everThere = new HashSet<>();
    NamedVector vector = NamedStores.vector(directory, options, false);
    try (NamedStore store = new NamedStore(vector, options)) {
      Set<String> constant = new HashSet<>();
      store.begin();
      for (int i = 0; i < ranges; i += 10) {
        int index = insert(store, keys.get(i));
        everThere.add((long) index << 32 | i);
        constant.add(index + " " + text(keys.get(i)));
      }
      for (int which = 0; which < 2; which++) {
        RangeOutcome outcome = Ranges.insert(store, range(which, 0, LENGTH));
        for (int i = 0; i < LENGTH; i++) {
          int number = ranges + which * LENGTH + i;
          int index = outcome.outcome(i);
          if (i % 40 >= 20) {
            // Gone before anybody looks: whoever sees it sees a ghost.
            store.remove(index);
            continue;
          }
          everThere.add((long) index << 32 | number);
          if (i % 40 < 4) {
            constant.add(index + " " + text(keys.get(number)));
          }
        }
      }
      store.end();
      CReader dawdling = new CReader(directory, "-DDAWDLE");
      Thread writer =
          new Thread(() -> {
            try {
              while (!enough.get()) {
                change(store, keys, ranges, everThere);
                if (random.nextInt(3000) == 0) {
                  vector.begin();
                  vector.fail();
                }
              }
            } catch (Throwable e) {
              failed.set(e);
            }
          });
      writer.start();
      List<String> lines;
      try {
        lines = dawdling.read(CReader.control(directory), PASSES);
      } finally {
        enough.set(true);
        writer.join();
      }
      assertThat(failed.get()).isNull();
      int missing = constant.size();
      int ends = 0;
      for (String line : lines) {
        int space = line.indexOf(' ');
        if (line.startsWith("end ")) {
          assertThat(missing).as("constant entries that pass %s lacks; %s", ends, seed()).isZero();
          missing = constant.size();
          ends++;
          continue;
        }
        Integer number = numbers.get(line.substring(space + 1));
        long index = Long.parseLong(line.substring(0, space));
        if (number == null || !everThere.contains(index << 32 | number)) {
          throw new AssertionError(line + " was never there; " + seed());
        }
        missing -= constant.contains(line) ? 1 : 0;
      }
      assertThat(ends).isEqualTo(PASSES);
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
            new VectorTraits(0, 2, 0, 2, 0, 0, 0, 0),
            false,
            Duration.ofSeconds(60),
            file -> {
              file.take(4096, -1);
              file.count();
              for (int page = 0; page < pages; page++) {
                int first = page == 0 ? 0 : page < 6 ? 32 << page : (page - 5) << 12;
                int slots = page == 0 ? 64 : Math.min(first, 4096);
                int place = random.nextInt(slots);
                long word = random.nextLong() >>> 16;
                file.take(8L * slots, first / 64)
                    .setAtIndex(ValueLayout.JAVA_LONG, place, 1L << 63 | word);
                file.count();
                expected.add(first + place + " " + text(ipv4(word)));
              }
              expected.add("end " + pages);
            })) {
      assertThat(vector.isReadOnly()).isFalse();
      assertThat(reader.read(CReader.control(directory), 1)).as(seed()).isEqualTo(expected);
    }
  }

  @Test
  void whatIsNoVectorIsRefused() throws Exception {
    StoreOptions options = StoreOptions.of(0, true, DuplicatePolicy.SHARE);
    Path control = CReader.control(directory);
    Path entries = control.resolveSibling("domain+vector.1.entries");
    Path away = directory.resolve("away");
    assertThat(reader.refusal(control)).contains("is not there");
    try (NamedStore store =
        new NamedStore(NamedStores.vector(directory, options, false), options)) {
      assertThat(store.size()).isZero();
      refuses(control, entries, 0, "is not OFI4J-EN");
      refuses(control, entries, 8, "has version");
      refuses(control, entries, 12, "another byte order");
      refuses(control, entries, 16, "another vector");
      refuses(control, entries, 24, "another time");
      refuses(control, entries, 4096, "is not within");
      Files.move(entries, away);
      assertThat(reader.refusal(control)).contains("entries is not there");
      Files.move(away, entries);
      assertThat(reader.read(control, 1)).containsExactly("end 0");
      // Whoever closes the control file, this process too, loses its locks and is not alive.
      refuses(control, control, 0, "is not OFI4J-AV");
      refuses(control, control, 8, "has version");
      refuses(control, control, 12, "another byte order");
      refuses(control, control, 24, "is not ready");
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

  /** Changes a little, but neither what is constant nor what is gone for good. */
  private void change(NamedStore store, List<AddressKey> keys, int ranges, Set<Long> everThere) {
    store.begin();
    int which = random.nextInt(12);
    if (which < 3) {
      int first = which == 2 ? random.nextInt(LENGTH - 300) : random.nextInt(LENGTH / 40) * 40 + 4;
      int count = 1 + random.nextInt(which == 2 ? 300 : 16);
      int number = ranges + which * LENGTH + first;
      if (random.nextBoolean()) {
        keys.subList(number, number + count).forEach(key -> remove(store, key));
      }
      if (random.nextBoolean()) {
        RangeOutcome outcome = Ranges.insert(store, range(which, first, count));
        for (int i = 0; i < count; i++) {
          if (outcome.outcome(i) >= 0) {
            everThere.add((long) outcome.outcome(i) << 32 | number + i);
          }
        }
      }
    } else {
      int number = random.nextInt(ranges);
      if (number % 10 != 0) {
        remove(store, keys.get(number));
        int index = random.nextInt(3) == 0 ? -1 : store.insert(keys.get(number));
        if (index >= 0) {
          everThere.add((long) index << 32 | number);
        }
      }
    }
    store.end();
  }

  private static void remove(NamedStore store, AddressKey key) {
    int index = store.find(key);
    if (index >= 0) {
      store.remove(index);
    }
  }

  /** A part of one of three ranges. */
  private static AddressRange range(int which, int first, int count) {
    return which == 1
        ? new AddressRange(true, 0x2001_0DB8L << 32, 0x1_0000_0000L + first, 5, 777, count, 1)
        : Ranges.nodes(0x0B00_0000L + (which << 16) + first, count);
  }

  /** How many strays there are, as the root says in the first piece. */
  private int strays() throws IOException {
    Path entries = CReader.control(directory).resolveSibling("domain+vector.1.entries");
    return ByteBuffer.wrap(Files.readAllBytes(entries))
        .order(ByteOrder.nativeOrder())
        .getInt(8192 + 556);
  }

  private void insertSome(EntryStore store, int count) {
    for (int i = 0; i < count; i++) {
      store.insert(some());
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

  private static int insert(EntryStore store, AddressKey key) {
    int index = store.insert(key);
    assertThat(index).isNotNegative();
    return index;
  }

  private static AddressKey ipv4(long word) {
    AddressKey key = new AddressKey();
    key.setIpv4(word);
    return key;
  }

  /** Any address of any kind, now and then one of few. */
  private AddressKey some() {
    AddressKey key = new AddressKey();
    long any = random.nextInt(8) == 0 ? random.nextInt(20) : random.nextLong();
    int port = 1 + random.nextInt(0xFFFF);
    switch (random.nextInt(7)) {
      case 0 -> key.setIpv6(any, ~any, port, 0, 0);
      case 1 -> key.setIpv6(any, -any, port, 1 + random.nextInt(0xFFFFF), 0);
      case 2 -> key.setIpv6(any, any, port, 0, random.nextInt());
      case 3 -> {
        String low = Long.toHexString(any & 0xFFFF);
        String text = "fi_sockaddr_in6://[2001:db8::" + low + "]:" + port;
        assertThat(TEXT.read(new TextAddress(text), key)).isZero();
      }
      case 4 -> {
        byte[] bytes = new byte[1 + random.nextInt(random.nextInt(8) == 0 ? 4096 : 100)];
        random.nextBytes(bytes);
        assertThat(OPAQUE.read(new ProviderAddress(AddressFormat.GNI, bytes), key)).isZero();
      }
      case 5 -> {
        byte[] bytes = new byte[16];
        random.nextBytes(bytes);
        assertThat(WIDE.read(new ProviderAddress(AddressFormat.PSMX2, bytes), key)).isZero();
      }
      default -> key.setIpv4(any >>> 16);
    }
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
        lines.add(index + " " + text(key));
      }
    }
    lines.add("end " + store.size());
    return lines;
  }

  private static String text(AddressKey key) {
    return switch (key.kind()) {
      case IPV4 -> {
        long word = key.ipv4();
        yield (word >>> 40)
            + ("." + (word >>> 32 & 255) + "." + (word >>> 24 & 255) + "." + (word >>> 16 & 255))
            + (":" + (word & 0xFFFF));
      }
      case IPV6 -> {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 8; i++) {
          long half = key.word(i / 4) >>> 48 - i % 4 * 16;
          text.append(i == 0 ? '[' : ':').append(Long.toHexString(half & 0xFFFF));
        }
        text.append("]:").append(key.word(2) & 0xFFFF);
        long scope = key.word(2) >>> 32;
        text.append(scope == 0 ? "" : " scope " + scope);
        yield text.append(key.word(3) == 0 ? "" : " flow 0x" + Long.toHexString(key.word(3)))
            .toString();
      }
      case TEXT -> {
        byte[] bytes = packed(TEXT, key);
        yield "text \"" + new String(bytes, 0, bytes.length - 1, StandardCharsets.UTF_8) + '"';
      }
      case WIDE -> hex("wide ", AddressFormat.PSMX2, packed(WIDE, key));
      default -> hex("opaque ", AddressFormat.GNI, packed(OPAQUE, key));
    };
  }

  private static String hex(String kind, AddressFormat format, byte[] bytes) {
    return kind + format.number() + ": " + HexFormat.of().formatHex(bytes);
  }

  private static byte[] packed(AddressCodec codec, AddressKey key) {
    byte[] bytes = new byte[AddressKey.MAX_BYTES + 1];
    return Arrays.copyOf(bytes, codec.write(key, MemorySegment.ofArray(bytes)));
  }
}
