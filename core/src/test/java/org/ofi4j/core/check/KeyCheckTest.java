// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.check;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
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
import org.ofi4j.core.mapped.NamedStore;
import org.ofi4j.core.mapped.NamedStores;
import org.ofi4j.core.mapped.Soundness;
import org.ofi4j.core.memory.Superblock;
import org.ofi4j.core.share.NamedVector;
import org.ofi4j.core.slot.KeySlots;
import org.ofi4j.core.slot.KeyedHash;
import org.ofi4j.core.store.KeyNumbers;
import org.ofi4j.core.store.StoreOptions;

/** What is found wrong with the key slots of a vector. */
@Tag("AV-041")
class KeyCheckTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(7);

  /** Slab 0 is the first piece, and begins with the root; the slots are the first that is taken. */
  private static final long ROOT = 8192;

  private static final long FIRST = ROOT + 64L * Superblock.UNITS;
  private static final long SLOT = 64L * KeySlots.UNITS;

  @TempDir private Path directory;

  private NamedVector vector;
  private NamedStore store;

  /** Three slots, of which the second is free. */
  @BeforeEach
  void fill() {
    vector = NamedStores.vector(directory, OPTIONS, false);
    store = NamedStore.of(vector, OPTIONS);
    store.begin();
    KeyNumbers keys = store.keyNumbers(0);
    for (int number = 0; number < 3; number++) {
      byte[] fingerprint = new byte[KeyedHash.FINGERPRINT_BYTES];
      Arrays.fill(fingerprint, (byte) (number + 1));
      assertThat(keys.allocate(fingerprint)).isEqualTo(number);
    }
    for (int number = 0; number < 3; number++) {
      AddressKey key = new AddressKey();
      key.setIpv4(0x0A01_0101L << 16 | 5000);
      key.putUnder(number);
      assertThat(store.insert(key)).isEqualTo(number);
      keys.countEntries(number, 1);
    }
    store.remove(1);
    keys.countEntries(1, -1);
    keys.free(1);
    store.end();
    Soundness.check(directory);
  }

  @AfterEach
  void close() {
    // Without looking at it any more.
    store.close(true);
  }

  /** Something wrong, and what is said of it. */
  record Fault(String what, Consumer<MemorySegment> plant) {
    @Override
    public String toString() {
      return what;
    }
  }

  private static Fault number(String what, long offset, int value) {
    return new Fault(what, file -> file.set(JAVA_INT, offset, value));
  }

  static List<Fault> faults() {
    return List.of(
        number("entries of key slot 0: stored 7, counted 1", FIRST + 4, 7),
        new Fault(
            "key slot 2 is held by participant 41, who is not there",
            file -> file.set(JAVA_LONG, FIRST + 2 * SLOT + 64, 1L << 41 | 1)),
        number("index 0 is under key 0, which has no slot", ROOT + Superblock.KEYS, 0),
        number("the list of key slots cannot be looked at", ROOT + Superblock.KEYS, 1 << 29),
        number("the list of key slots cannot be looked at", FIRST + 2 * SLOT, Superblock.UNITS),
        new Fault(
            "key slot 1 is free, and has a fingerprint",
            file -> file.set(JAVA_LONG, FIRST + SLOT + 32, 5)),
        new Fault(
            "key slot 0 is in use without a fingerprint",
            file -> file.asSlice(FIRST + 32, 32).fill((byte) 0)),
        new Fault(
            "key slot 2 has the fingerprint of key slot 0",
            file -> file.asSlice(FIRST + 2 * SLOT + 32, 32).fill((byte) 1)));
  }

  @ParameterizedTest
  @MethodSource("faults")
  void whatIsWrongIsFound(Fault fault) throws IOException {
    damage(fault.plant);
    SharedVectorReport report = Soundness.look(directory);
    assertThat(String.join("\n", report.violations())).contains(fault.what);
  }

  /** Lists that lead nowhere, or back to themselves, are the end of a change, not of a process. */
  @Test
  void slotsThatLeadBackEndWithAReason() throws IOException {
    damage(file -> file.set(JAVA_INT, FIRST + 2 * SLOT, Superblock.UNITS));
    NamedVector other = NamedStores.vector(directory, OPTIONS, false);
    NamedStore comes = NamedStore.of(other, OPTIONS);
    try {
      NamedStores.begin(other);
      other.locks().end();
      assertThatThrownBy(comes::begin)
          .isInstanceOf(FabricException.class)
          .hasMessageContaining("EIO")
          .hasMessageContaining("key slots");
      assertThat(comes.keyNumbers(0).isElsewhere(KeySlots.MOST - 1)).isTrue();
      assertThat(comes.keyNumbers(0).isElsewhere(Integer.MAX_VALUE)).isFalse();
      assertThat(comes.isLive(0)).as("readers go on").isTrue();
    } finally {
      comes.close(true);
    }
  }

  private void damage(Consumer<MemorySegment> plant) throws IOException {
    Path entries = directory.resolve("own/domain+vector.entries");
    try (Arena arena = Arena.ofConfined();
        FileChannel channel =
            FileChannel.open(entries, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      MemorySegment file = channel.map(MapMode.READ_WRITE, 0, channel.size(), arena);
      assertThat(file.get(JAVA_BYTE, FIRST + 32)).as("the first fingerprint").isEqualTo((byte) 1);
      plant.accept(file);
    }
  }
}
