// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.FabricException;
import org.ofi4j.core.memory.SlabAllocator;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.Jvm;

/**
 * Files of a vector with a byte that is not what was written, or shorter than they were. Another
 * process holds the vector; this one looks at it, attaches to it, reads all of it and changes it.
 * Each of these ends, and either refuses with a reason, or sees every address where it was, or the
 * verifier says what is wrong.
 */
@Tag("AV-039")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DamagedVectorTest {
  private static final long SEED = Long.getLong("ofi4j.seed", System.nanoTime());
  private static final StoreOptions OPTIONS = Change.UNSHARE.options();

  /** What is written before participants. */
  private static final int CONTROL_FIELDS = 216;

  private static final int CONTROL_BYTES = 20_480;
  private static final int ROOT = 8192;
  private static final int ROOT_BYTES = Superblock.UNITS * SlabAllocator.UNIT_BYTES;

  @TempDir private static Path directory;

  /** Who holds the vector in all tests: each of them writes the files anew. */
  private Process holder;

  private Path control;
  private Path entries;
  private byte[] controlBytes;
  private byte[] entryBytes;
  private View view;
  private final SplittableRandom random = new SplittableRandom(SEED);

  @BeforeAll
  void holdLittle() throws IOException {
    hold(Change.UNSHARE);
  }

  private void hold(Change content) throws IOException {
    List<String> arguments = List.of(directory.toString(), content.name());
    holder = Jvm.start(NamedVectorHolder.class, (Path) null, arguments);
    BufferedReader said = holder.inputReader();
    assertThat(said.readLine()).isEqualTo("ready");
    control = directory.resolve("own/domain+vector.control");
    entries = directory.resolve("own/domain+vector.entries");
    try (NamedStore store = open(true)) {
      view = View.of(store, false);
      assertThat(view.entries()).hasSizeGreaterThan(200);
    }
    controlBytes = Files.readAllBytes(control);
    entryBytes = Files.readAllBytes(entries);
    assertThat(Soundness.check(directory).processes()).containsExactly(holder.pid());
  }

  @AfterAll
  void letGo() throws Exception {
    holder.outputWriter().close();
    holder.waitFor();
    Files.deleteIfExists(control);
    Files.deleteIfExists(entries);
  }

  private NamedStore open(boolean readOnly) {
    return NamedStore.of(NamedStores.vector(directory, OPTIONS, readOnly), OPTIONS);
  }

  @Test
  void fieldsOfTheControlFile() throws Exception {
    damage(control, controlBytes, all(0, CONTROL_FIELDS), 1);
  }

  @Test
  void headerAndRootOfTheEntries() throws Exception {
    damage(entries, entryBytes, all(0, 64), 1);
    // One of each eight.
    int[] root =
        IntStream.range(0, ROOT_BYTES / 8).map(i -> ROOT + 8 * i + random.nextInt(8)).toArray();
    damage(entries, entryBytes, root, 1);
  }

  @Test
  void anyBytes() throws Exception {
    damage(control, controlBytes, some(10, CONTROL_FIELDS, CONTROL_BYTES), 1);
    damage(entries, entryBytes, some(60, 64, entryBytes.length), 1);
  }

  /** Of a vector with small pages of slots, too. */
  @Test
  @Tag("long")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void manyBytes() throws Exception {
    restore();
    letGo();
    hold(Change.EMPTY_HOLES);
    try {
      int many = Integer.getInteger("ofi4j.damages", 5_000);
      int each = many < 5_000 ? 1 : 4;
      damage(control, controlBytes, someOrAll(many, 0, CONTROL_FIELDS), each);
      damage(control, controlBytes, some(many / 10, CONTROL_FIELDS, CONTROL_BYTES), 1);
      damage(entries, entryBytes, someOrAll(many, 0, 64), each);
      damage(entries, entryBytes, someOrAll(many, ROOT, ROOT + ROOT_BYTES), (each + 1) / 2);
      damage(entries, entryBytes, some(many, 64, entryBytes.length), 1);
    } finally {
      restore();
      letGo();
      holdLittle();
    }
  }

  private static int[] all(int from, int to) {
    return IntStream.range(from, to).toArray();
  }

  private int[] someOrAll(int count, int from, int to) {
    return count < 5_000 ? some(count, from, to) : all(from, to);
  }

  private int[] some(int count, int from, int to) {
    return random.ints(count, from, to).toArray();
  }

  @Test
  void filesThatAreShorter() throws Exception {
    for (int length :
        new int[] {0, 1, 64, 4095, 4096, 8192, 12_288, 65_535, entryBytes.length - 1}) {
      cut(entries, length);
      check("entries of " + length + " bytes");
    }
    // Nobody has the control file mapped but the holder, which does not look at it.
    for (int length : new int[] {0, 1, 100, 4096, CONTROL_BYTES - 1}) {
      cut(control, length);
      check("control file of " + length + " bytes");
    }
  }

  private void cut(Path file, int length) throws IOException {
    restore();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.truncate(length);
    }
  }

  /** Flips bits of each byte, so many times: all of them, or one. */
  private void damage(Path file, byte[] bytes, int[] positions, int times) throws Exception {
    for (int position : positions) {
      for (int i = 0; i < times; i++) {
        int flip = random.nextInt(3) == 0 ? 0xFF : 1 << random.nextInt(8);
        byte other = (byte) (bytes[position] ^ flip);
        restore();
        write(file, position, new byte[] {other});
        check(
            String.format(
                Locale.ROOT,
                "%s, byte %d from %02x to %02x",
                file.getFileName(),
                position,
                bytes[position],
                other));
      }
    }
  }

  private void restore() throws IOException {
    // What repairs made is not there any more.
    try (var files = Files.list(control.getParent())) {
      for (Path file : files.toList()) {
        if (!file.equals(control) && !file.equals(entries)) {
          Files.delete(file);
        }
      }
    }
    if (!Files.exists(entries)) {
      Files.createFile(entries);
      Files.setPosixFilePermissions(entries, Files.getPosixFilePermissions(control));
    }
    write(control, 0, controlBytes);
    write(entries, 0, entryBytes);
    try (FileChannel channel = FileChannel.open(entries, StandardOpenOption.WRITE)) {
      channel.truncate(entryBytes.length);
    }
  }

  private static void write(Path file, int position, byte[] bytes) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(bytes), position);
    }
  }

  /** In a thread of its own, as it might not come to an end. */
  private void check(String what) {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread looking =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                look();
              } catch (Throwable failed) {
                failure.set(failed);
              }
            });
    try {
      looking.join();
    } catch (InterruptedException timeout) {
      throw new AssertionError(what + " does not end; repeat with -Dofi4j.seed=" + SEED, timeout);
    }
    if (failure.get() != null) {
      throw new AssertionError(
          what + ": " + failure.get() + "; repeat with -Dofi4j.seed=" + SEED, failure.get());
    }
  }

  private void look() {
    boolean sound;
    try {
      sound = Soundness.look(directory).isSound();
    } catch (FabricException refused) {
      sound = false;
    }
    Map<Integer, List<Long>> seen = view.addresses();
    try (NamedStore store = open(true)) {
      seen = View.of(store, false).addresses();
    } catch (FabricException refused) {
      // With a reason.
    } catch (AssertionError contradiction) {
      seen = Map.of();
    }
    if (sound) {
      // Counts, marks and generations may be any: nothing else tells of them.
      assertThat(seen).isEqualTo(view.addresses());
    }
    if (random.nextInt(3) > 0) {
      return;
    }
    try (NamedStore store = open(false)) {
      store.begin();
      try {
        Change.INSERT_IPV4.apply(store);
        Change.INSERT_ROW.apply(store);
        Change.REMOVE.apply(store);
      } finally {
        store.end();
      }
    } catch (FabricException refused) {
      // With a reason.
    }
  }
}
