// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.mapped;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.SharedVectorReport;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.av.VectorFixture;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.share.VectorFile;
import org.ofi4j.core.slot.SideRecordMemory;
import org.ofi4j.core.slot.SideRecords;
import org.ofi4j.core.store.EntryStore;
import org.ofi4j.core.store.StoreOptions;
import org.ofi4j.core.store.StoreParts;

/**
 * Overflow slots of a named vector that somebody attaches to, or comes back to, while another
 * process is changing them: memory is made to be what it is for a moment in the middle of such a
 * change.
 */
@Tag("AV-041")
class OverflowSlotsOfOthersTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(3);
  private static final long RUN = 0x0A00_0000L << Short.SIZE | 7000;
  private static final long OTHER = 0xC0A8_0000L << Short.SIZE | 9000;
  private static final long NODE = 1L << Short.SIZE;
  private static final int OVERFLOW_SLOT = 5;

  @TempDir private Path directory;
  private NamedVector vector;
  private NamedStore writer;
  private VectorFile file;

  /** The memory, as the process that writes has it. */
  private StoreParts parts;

  @BeforeEach
  void makeOneOverflowSlot() {
    vector = NamedStores.vector(directory, OPTIONS, false);
    writer = new NamedStore(vector, OPTIONS);
    int run = 1000;
    long[] words = new long[run];
    for (int i = 0; i < run; i++) {
      words[i] = RUN + i * NODE;
    }
    writer.begin();
    assertThat(writer.insertIpv4(words, run, new int[run])).isEqualTo(run);
    assertThat(writer.remove(OVERFLOW_SLOT)).isZero();
    assertThat(insert(writer, OTHER)).isEqualTo(OVERFLOW_SLOT);
    writer.end();
    file = vector.entries(vector.generation());
    parts = CurrentFile.store(file, OPTIONS).parts();
    assertThat(parts.slots().page(OVERFLOW_SLOT)).as("it is an overflow slot").isNull();
  }

  @AfterEach
  void close() {
    file.close();
    writer.close();
  }

  private NamedStore attach() {
    return new NamedStore(NamedStores.vector(directory, OPTIONS, false), OPTIONS);
  }

  private static int insert(EntryStore store, long address) {
    AddressKey key = new AddressKey();
    key.setIpv4(address);
    return store.insert(key);
  }

  @Test
  void whoComesBeforeAnOverflowSlotHasItsWordWritesItToThePageLater() {
    long word = parts.side().slot(OVERFLOW_SLOT);
    parts.side().setSlot(OVERFLOW_SLOT, 0);
    try (NamedStore other = attach()) {
      parts.side().setSlot(OVERFLOW_SLOT, word);
      assertThat(other.ipv4(OVERFLOW_SLOT)).isEqualTo(OTHER);
      other.begin();
      fillHoles(other);
      other.end();
      assertThat(parts.slots().page(OVERFLOW_SLOT)).as("no overflow slot any more").isNotNull();
      overflowSlotIsThere(other);
    }
  }

  @Test
  void whoComesWhileARecordGoesIsNotToldOfDamage() {
    SideRecordMemory records = new SideRecordMemory(parts.allocator());
    int record = parts.side().record(OVERFLOW_SLOT);
    // Whoever saw the cell before it went finds the record of another index.
    records.set(record, SideRecords.INDEX, 77);
    try (NamedStore other = attach()) {
      assertThat(other.ipv4(700)).isEqualTo(RUN + 700 * NODE);
      records.set(record, SideRecords.INDEX, OVERFLOW_SLOT);
      overflowSlotIsThere(other);
    }
  }

  @Test
  void whoFailsBeforeAnyChangeLeavesNothingToRepairAndBeginsAgain() {
    SideRecordMemory records = new SideRecordMemory(parts.allocator());
    int record = parts.side().record(OVERFLOW_SLOT);
    try (NamedStore other = attach()) {
      records.set(record, SideRecords.INDEX, 77);
      VectorFixture.fails(Errno.EIO, "damaged", other::begin);
      assertThat(vector.writer()).as("who is to be repaired after").isZero();
      records.set(record, SideRecords.INDEX, OVERFLOW_SLOT);
      other.begin();
      fillHoles(other);
      other.end();
      overflowSlotIsThere(other);
      writer.begin();
      writer.end();
      assertThat(vector.generation()).as("no file but the first").isEqualTo(1);
    }
  }

  @Test
  void overflowSlotOfAnIndexThatIsNoneIsToldAsDamage() {
    SideRecordMemory records = new SideRecordMemory(parts.allocator());
    int record = parts.side().record(OVERFLOW_SLOT);
    for (int index : new int[] {-5, Integer.MAX_VALUE}) {
      records.set(record, SideRecords.INDEX, index);
      try (NamedStore other = attach()) {
        VectorFixture.fails(Errno.EIO, "side record", other::begin);
        SharedVectorReport report =
            assertTimeoutPreemptively(
                Duration.ofSeconds(30), () -> Soundness.look(directory, OPTIONS));
        assertThat(report.isSound()).isFalse();
      }
    }
    records.set(record, SideRecords.INDEX, OVERFLOW_SLOT);
    Soundness.check(directory, OPTIONS);
  }

  /** So many overflow slots get a page. */
  private static void fillHoles(NamedStore store) {
    int first = 20;
    int holes = 40;
    for (int i = 0; i < holes; i++) {
      assertThat(store.remove(first + i)).isZero();
    }
    for (int i = 0; i < holes; i++) {
      assertThat(insert(store, OTHER + (1 + 3L * i) * NODE)).isEqualTo(first + i);
    }
  }

  private void overflowSlotIsThere(NamedStore other) {
    AddressKey key = new AddressKey();
    key.setIpv4(OTHER);
    assertThat(other.ipv4(OVERFLOW_SLOT)).isEqualTo(OTHER);
    assertThat(writer.ipv4(OVERFLOW_SLOT)).isEqualTo(OTHER);
    assertThat(other.find(key)).isEqualTo(OVERFLOW_SLOT);
    Soundness.check(directory, OPTIONS);
  }
}
