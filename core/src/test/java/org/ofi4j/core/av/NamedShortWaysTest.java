package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.core.address.AddressKey;
import org.ofi4j.core.address.PackedIpv4;
import org.ofi4j.core.address.PackedIpv6;
import org.ofi4j.core.share.NamedVector;

/** The short ways of one that has a named vector open, while another one changes and repairs it. */
@Tag("AV-039")
class NamedShortWaysTest {
  private static final StoreOptions OPTIONS =
      StoreOptions.of(0, true, DuplicatePolicy.SHARE).withSeed(5);
  private static final int COUNT = 5000;

  @TempDir private Path directory;

  private final AddressKey key = new AddressKey();
  private final MemorySegment buffer = Arena.ofAuto().allocate(32, 8);
  private NamedVector vector;
  private NamedStore writer;
  private NamedStore reader;

  @BeforeEach
  void open() {
    vector = NamedStores.vector(directory, OPTIONS, false);
    writer = new NamedStore(vector, OPTIONS);
    reader = new NamedStore(NamedStores.vector(directory, OPTIONS, true), OPTIONS);
  }

  @AfterEach
  void close() {
    reader.close();
    writer.close();
  }

  /** No two of them follow each other. */
  private static long address(int i) {
    return (0x9E37_79B1L * i & 0xFFFF_FFFFL) << 16 | 1000;
  }

  private void fill() {
    writer.begin();
    for (int i = 0; i < COUNT; i++) {
      key.setIpv4(address(i));
      assertThat(writer.insert(key)).isEqualTo(i);
    }
    writer.end();
  }

  /** As if the writer had died; whoever comes next makes a new file. */
  private void die() {
    vector.begin();
    vector.fail();
  }

  private void remove(int index) {
    writer.begin();
    assertThat(writer.remove(index)).isZero();
    writer.end();
  }

  @Test
  void entriesAreFoundInAFewInstructions() {
    fill();
    int looked = 0;
    int found = 0;
    for (int i = 0; i < COUNT; i++) {
      assertThat(reader.findIpv4(address(i))).isEqualTo(i);
      looked += reader.packedLookups().copy(i, buffer) == PackedIpv4.SIZE ? 1 : 0;
    }
    for (int i = 0; i < COUNT; i++) {
      int index = reader.ipv4Searches().find(address(i));
      assertThat(index).isIn(-1, i);
      found += index == i ? 1 : 0;
    }
    // The first of all only looks where the entries are.
    assertThat(looked).isEqualTo(COUNT - 1);
    assertThat(found).isGreaterThan(COUNT * 98 / 100);
  }

  @Test
  void ipv6AddressesAreLookedUpInAFewInstructions() {
    writer.begin();
    key.setIpv6(1L << 61, 7, 5000, 0, 0);
    assertThat(writer.insert(key)).isZero();
    key.setIpv6(1L << 61, 8, 5000, 0, 3);
    assertThat(writer.insert(key)).isOne();
    writer.end();
    assertThat(reader.packedLookups().copy(0, buffer)).as("nothing seen yet").isZero();
    // Brings the memory that came after the reader.
    assertThat(reader.load(0, key)).isTrue();
    assertThat(reader.packedLookups().copy(0, buffer)).isEqualTo(PackedIpv6.SIZE);
    assertThat(buffer.get(ValueLayout.JAVA_BYTE, 23)).isEqualTo((byte) 7);
    assertThat(reader.packedLookups().copy(1, buffer)).as("with a scope").isZero();
    remove(0);
    assertThat(reader.packedLookups().copy(0, buffer)).isZero();
  }

  @Test
  void lookupsGoOverToTheFileOfARepairAtOnce() {
    fill();
    assertThat(reader.ipv4(3)).isEqualTo(address(3));
    reader.packedLookups().copy(3, buffer);
    assertThat(reader.packedLookups().copy(3, buffer)).isEqualTo(PackedIpv4.SIZE);
    die();
    remove(3);
    assertThat(reader.packedLookups().copy(3, buffer)).isZero();
    assertThat(reader.ipv4(3)).isEqualTo(-1);
    reader.packedLookups().copy(4, buffer);
    assertThat(reader.packedLookups().copy(4, buffer)).isEqualTo(PackedIpv4.SIZE);
  }

  @Test
  void searchesGoOverToTheFileOfARepairAtOnce() {
    fill();
    for (int i = 0; i < 100; i++) {
      reader.findIpv4(address(i));
    }
    reader.ipv4Searches().find(address(3));
    assertThat(reader.ipv4Searches().find(address(3))).isEqualTo(3);
    die();
    remove(3);
    assertThat(reader.ipv4Searches().find(address(3))).isEqualTo(-1);
    assertThat(reader.findIpv4(address(3))).isEqualTo(-1);
    assertThat(reader.findIpv4(address(4))).isEqualTo(4);
    reader.ipv4Searches().find(address(4));
    assertThat(reader.ipv4Searches().find(address(4))).isEqualTo(4);
  }

  @Test
  void nothingIsFoundOnceClosed() {
    fill();
    reader.findIpv4(address(3));
    reader.packedLookups().copy(3, buffer);
    assertThat(reader.packedLookups().copy(3, buffer)).isEqualTo(PackedIpv4.SIZE);
    reader.close();
    assertThat(reader.packedLookups().copy(3, buffer)).isZero();
    assertThat(reader.ipv4Searches().find(address(3))).isEqualTo(-1);
  }
}
