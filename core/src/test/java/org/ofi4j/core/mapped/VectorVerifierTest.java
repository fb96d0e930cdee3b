// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricException;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.hash.HashTable;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.run.Runs;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.ShareDirectory;
import org.ofi4j.core.slot.SlotWord;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.testing.VectorFiles;

/** What is found in the files of vectors that are in use, left behind, interrupted or wrong. */
@Tag("AV-039")
@Tag("AV-041")
class VectorVerifierTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(7);
  private static final int SCATTERED = 300;
  private static final int RUN = 200;

  @TempDir private Path directory;

  private NamedVector vector;
  private NamedStore store;

  @BeforeEach
  void fill() {
    vector = NamedStores.vector(directory, OPTIONS, false);
    store = NamedStore.of(vector, OPTIONS);
    AddressKey key = new AddressKey();
    store.begin();
    for (int i = 0; i < SCATTERED; i++) {
      if (i % 3 == 0) {
        key.setIpv6(0x2001_0DB8L << 32, 7919L * i, 1000 + i % 7, 0, 0);
      } else {
        key.setIpv4((0x0A00_0000L + 7919L * i) << 16 | 1000);
      }
      assertThat(store.insert(key)).isEqualTo(i);
    }
    long[] row = new long[RUN];
    for (int i = 0; i < RUN; i++) {
      row[i] = (0x0B00_0000L + i) << 16 | 1000;
    }
    store.insertIpv4(row, RUN, new int[RUN]);
    store.markFirewall(SCATTERED - 1);
    store.remove(SCATTERED + 50);
    store.remove(8);
    assertThat(store.reserve()).isEqualTo(8);
    store.end();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void vectorInUseIsLive() {
    SharedVectorReport report = Soundness.check(directory);
    assertThat(report.isSound()).isTrue();
    assertThat(report.state()).isEqualTo(SharedVectorReport.State.IN_USE);
    assertThat(report.entries()).isEqualTo(store.size()).isEqualTo(SCATTERED + RUN - 2);
    assertThat(report.reserved()).isEqualTo(1);
    assertThat(report.runs()).isEqualTo(1);
    assertThat(report.bytes()).isEqualTo(store.memory().held());
    assertThat(report.processes()).containsExactly(ProcessHandle.current().pid());
    assertThat(report.interrupted()).isEmpty();
    assertThat(report.changes()).isEqualTo(vector.locks().changes());
    // Whoever looked holds no lock any more, and those of this process are still held.
    store.begin();
    store.end();
    assertThat(vector.otherProcesses()).isEmpty();
  }

  @Test
  void changeThatDidNotEndIsToldOf() {
    NamedStores.failChange(vector);
    SharedVectorReport report = Soundness.check(directory);
    assertThat(report.state()).isEqualTo(SharedVectorReport.State.INTERRUPTED);
    assertThat(report.interrupted()).hasValue(ProcessHandle.current().pid());
    store.begin();
    store.end();
    report = Soundness.check(directory);
    assertThat(report.state()).isEqualTo(SharedVectorReport.State.IN_USE);
    assertThat(report.repairs()).isOne();
  }

  @Test
  void filesLeftBehindAreLookedAtToo() throws IOException {
    SharedVectorReport report = Soundness.check(copy(memory -> {}));
    assertThat(report.state()).isEqualTo(SharedVectorReport.State.LEFT);
    assertThat(report.entries()).isEqualTo(SCATTERED + RUN - 2);
    assertThat(report.processes()).isEmpty();
  }

  @Test
  void whereNoVectorIsNothingIsFound() {
    ShareDirectory own = ShareDirectory.at(directory.resolve("own"));
    assertThatThrownBy(() -> VectorVerifier.verify(own, "domain", "other", Duration.ZERO))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("ENOENT")
        .hasMessageContaining("other");
  }

  /** Something wrong, and what is said of it. */
  record Fault(String what, Consumer<MemorySegment> plant) {
    @Override
    public String toString() {
      return what;
    }
  }

  /** Slab 0 is the first piece, and begins with the root. */
  private static final long ROOT = 8192;

  private static Fault number(String what, long offset, int difference) {
    return new Fault(
        what,
        file -> {
          int before = file.get(JAVA_INT, ROOT + offset);
          file.set(JAVA_INT, ROOT + offset, before + difference);
        });
  }

  /** Changes a number of the memory of all runs. */
  private static Fault run(String what, long offset, int difference) {
    return new Fault(
        what,
        file -> {
          int unit = Runs.unit(file.get(JAVA_LONG, ROOT + Superblock.RUNS));
          long at = piece(file, -1 - (unit >>> 13)) + 64L * (unit & 8191) + offset;
          file.set(JAVA_INT, at, file.get(JAVA_INT, at) + difference);
        });
  }

  /** The position of the piece with a tag. */
  private static long piece(MemorySegment file, int tag) {
    for (int piece = 0; ; piece++) {
      // The table of pieces: where each begins, divided by 64, and its tag.
      long entry = 4096 + 8L * piece;
      if (file.get(JAVA_INT, entry + 4) == tag) {
        return 64L * file.get(JAVA_INT, entry);
      }
    }
  }

  static List<Fault> faults() {
    return List.of(
        number("live entries: stored 499, counted 498", Superblock.COUNTS, 1),
        number("entries with slots", Superblock.COUNTS + 8, -1),
        number("reservations", Superblock.COUNTS + 16, 1),
        number("indices below the end", Superblock.END, 1),
        number("free indices", Superblock.FREE_INDEX_COUNT, -1),
        number("no runs can be read", Superblock.RUNS, 1 << 24),
        run("no runs can be read", 12, -1000),
        run("indices with slots of the run at", 8 + 60, 1),
        number("units in use", Superblock.USED_UNITS, 1),
        number("units of something", Superblock.NEXT_UNIT, 1),
        number("a free block", Superblock.FREE_BLOCKS, 1 << 24),
        number("bytes of records", Superblock.RECORD_BYTES, 8),
        number("found at -1", Superblock.SEED, 1),
        number("units of free indices", Superblock.FREE_INDEX_UNITS, 1),
        number("the summary of the free indices", Superblock.FREE_INDEX_SUMMARY, 1),
        new Fault("index 5 has 10.0.154.171:1004, which is found at -1", file -> slot(file, 5, 4)),
        new Fault("and no side word", file -> slot(file, 10, SlotWord.SIDE)),
        new Fault("reserved by nobody", file -> slot(file, 8, 7L << SlotWord.BODY_BITS)),
        new Fault("the record of index 9", file -> slot(file, 9, 1)),
        number("the table of addresses has", Superblock.CELLS, 1 << 20),
        new Fault("the table of addresses is none", VectorVerifierTest::takeBuckets),
        number("units of addresses", Superblock.CELLS + 44, 1),
        number("the side words from index 0", Superblock.SIDE_PAGES, 1 << 24),
        number("units of side words", Superblock.SIDE_PAGES + 4, 1));
  }

  private static void takeBuckets(MemorySegment file) {
    long view = file.get(JAVA_LONG, ROOT + Superblock.CELLS);
    file.set(JAVA_INT, ROOT + Superblock.CELLS + HashTable.descriptor(view, false), -1);
  }

  /** Changes bits of the slot of one of the first 64 indices. */
  private static void slot(MemorySegment file, int index, long bits) {
    long offset = piece(file, 0) + 8L * index;
    file.set(JAVA_LONG, offset, file.get(JAVA_LONG, offset) ^ bits);
  }

  @ParameterizedTest
  @MethodSource("faults")
  void whatIsWrongIsFound(Fault fault) throws IOException {
    SharedVectorReport report = Soundness.look(copy(fault.plant));
    assertThat(report.isSound()).isFalse();
    assertThat(String.join("\n", report.violations())).contains(fault.what);
  }

  /** A copy of the vector's files with something else in the file of entries. */
  private Path copy(Consumer<MemorySegment> change) throws IOException {
    Path to = directory.resolve("copy");
    ShareDirectory.at(Files.createDirectory(to).resolve("own"));
    for (Path file : VectorFiles.of(directory.resolve("own"))) {
      byte[] bytes = Files.readAllBytes(file);
      if (file.toString().endsWith(".entries")) {
        MemorySegment aligned = MemorySegment.ofArray(new long[bytes.length / Long.BYTES]);
        MemorySegment.copy(MemorySegment.ofArray(bytes), 0, aligned, 0, bytes.length);
        change.accept(aligned);
        bytes = aligned.toArray(JAVA_BYTE);
      }
      Path made = Files.copy(file, to.resolve("own").resolve(file.getFileName()));
      Files.write(made, bytes);
    }
    return to;
  }
}
