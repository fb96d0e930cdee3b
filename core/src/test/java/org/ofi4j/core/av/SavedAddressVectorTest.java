// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.longs;

import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/** Vectors that are saved, and opened from their files. */
@Tag("AV-049")
class SavedAddressVectorTest {
  @TempDir private Path directory;
  private Path path;
  private VectorOptions copy;
  private VectorOptions reading;

  @BeforeEach
  void namePaths() {
    path = directory.resolve("peers.av");
    copy = VectorOptions.table().withSaved(path);
    reading = copy.withFlags(VectorFlag.READ);
  }

  private static CoreAddressVector open(VectorOptions options) {
    return VectorFixture.open(TestInfo.defaults(), options);
  }

  /** Scattered entries, runs, holes, shares and a last entry that is gone. */
  private void save() {
    try (CoreAddressVector vector = open(VectorOptions.table())) {
      fill(vector);
      vector.save(path);
      vector.insert(a(99));
    }
  }

  private static void fill(CoreAddressVector vector) {
    vector.insert(a(1));
    vector.insert(a(2));
    vector.insert(a(3));
    vector.insert(a(1));
    vector.insertSymmetric("10.9.0.1", 1000, "7000", 4);
    vector.remove(1);
    vector.remove(503);
    vector.insert(a(5));
    vector.remove(4002);
  }

  private static void compare(CoreAddressVector vector) {
    assertThat(vector.size()).isEqualTo(4001);
    assertThat(vector.lookup(0)).isEqualTo(a(1));
    assertThat(vector.lookup(1)).isEqualTo(a(5));
    assertThat(vector.lookup(2)).isEqualTo(a(3));
    fails(Errno.EINVAL, () -> vector.lookup(503));
    fails(Errno.EINVAL, () -> vector.lookup(4002));
    FabricAddress inRun = FabricAddress.parse("fi_sockaddr_in://10.9.0.100:7002");
    assertThat(vector.find(inRun)).isEqualTo(3 + 99 * 4 + 2);
    assertThat(vector.lookup(3 + 99 * 4 + 2)).isEqualTo(inRun);
    assertThat(vector.find(a(5))).isEqualTo(1);
    assertThat(vector.find(a(99))).isEqualTo(Handles.NOT_AVAILABLE);
  }

  @Test
  void aCopyHasWhatWasThereAndGoesItsOwnWay() throws Exception {
    save();
    byte[] before = Files.readAllBytes(path);
    try (CoreAddressVector one = open(copy);
        CoreAddressVector other = open(copy)) {
      compare(one);
      compare(other);
      assertThat(one.insert(a(7))).as("the lowest unused").isEqualTo(503);
      assertThat(one.insert(a(8))).isEqualTo(4002);
      one.remove(0);
      assertThat(one.lookup(0)).as("was inserted twice").isEqualTo(a(1));
      one.remove(0);
      fails(Errno.EINVAL, () -> one.lookup(0));
      compare(other);
    }
    assertThat(Files.readAllBytes(path)).isEqualTo(before);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
        .isEqualTo("rw-------");
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(path);
    }
  }

  /** So many slots lie together, also in the file, and lookups find them by an addition. */
  @Test
  @Tag("AV-035")
  void manyAtOnceHaveOneFlatPage() {
    List<FabricAddress> peers =
        IntStream.range(0, 20_000).mapToObj(i -> a(Integer.reverse(i) >>> 16)).toList();
    try (CoreAddressVector vector = open(VectorOptions.table())) {
      vector.insert(peers, InsertOptions.none());
      assertThat(vector.statistics().capacity()).isEqualTo(20_480);
      vector.save(path);
    }
    for (VectorOptions options : List.of(copy, reading)) {
      try (CoreAddressVector saved = open(options)) {
        assertThat(saved.statistics().capacity()).isEqualTo(20_480);
        for (int i = 0; i < peers.size(); i++) {
          assertThat(saved.lookup(i)).isEqualTo(peers.get(i));
        }
      }
    }
  }

  /** Neither a thread that is interrupted already is kept from it, nor one that is meanwhile. */
  @Test
  void interruptionIsNoObstacle() throws Exception {
    try (CoreAddressVector vector = open(VectorOptions.table())) {
      fill(vector);
      Thread.currentThread().interrupt();
      vector.save(path);
      assertThat(Thread.interrupted()).as("stays interrupted").isTrue();
      AtomicBoolean over = new AtomicBoolean();
      Thread saver = Thread.currentThread();
      Thread interrupter =
          Thread.ofPlatform()
              .start(() -> {
                while (!over.get()) {
                  saver.interrupt();
                  Thread.onSpinWait();
                }
              });
      try {
        for (int i = 0; i < 2; i++) {
          vector.save(path);
          openInBothWays();
        }
      } finally {
        over.set(true);
        // Not by joining it: that is interrupted, too.
        while (interrupter.isAlive()) {
          Thread.onSpinWait();
        }
        Thread.interrupted();
      }
      Thread.currentThread().interrupt();
      openInBothWays();
      assertThat(Thread.interrupted()).isTrue();
    }
    try (var files = Files.list(directory)) {
      assertThat(files).containsExactly(path);
    }
  }

  private void openInBothWays() {
    try (CoreAddressVector one = open(copy);
        CoreAddressVector other = open(reading)) {
      compare(one);
      compare(other);
    }
  }

  @Test
  void theFileItselfIsRead() {
    save();
    try (CoreAddressVector vector = open(reading)) {
      compare(vector);
      MemorySegment handles = longs(0, 0);
      fails(Errno.EACCES, "FI_READ", () -> vector.insert(a(9)));
      fails(Errno.EACCES, () -> vector.insertSymmetric("10.1.1.9", 2, "80", 1));
      fails(Errno.EACCES, () -> vector.remove(0));
      fails(Errno.EACCES, () -> vector.remove(handles, 1, 0));
      compare(vector);
      Path again = directory.resolve("again.av");
      vector.save(again);
      try (CoreAddressVector copied = open(VectorOptions.table().withSaved(again))) {
        compare(copied);
      }
    }
    CoreAddressVector closed = open(reading);
    closed.close();
    fails(Errno.EINVAL, "closed", () -> closed.save(path));
  }

  @Test
  void savingReplacesTheFileOfWhoReadsIt() {
    save();
    try (CoreAddressVector reader = open(reading);
        CoreAddressVector empty = open(VectorOptions.table())) {
      empty.save(path);
      compare(reader);
      try (CoreAddressVector copied = open(copy)) {
        assertThat(copied.size()).isZero();
        assertThat(copied.insert(a(1))).isZero();
      }
    }
  }

  @Test
  void everythingElseMustBeAsItWas() {
    save();
    fails(Errno.EINVAL, "type", () -> open(VectorOptions.map().withSaved(path)));
    fails(
        Errno.EINVAL,
        "duplicate policy",
        () -> open(copy.withDuplicates(DuplicatePolicy.NEW_INDEX)));
    fails(Errno.EINVAL, "rx_ctx_bits", () -> open(copy.withReceiveContextBits(3)));
    fails(
        Errno.EINVAL,
        "address format",
        () -> VectorFixture.open(TestInfo.defaults().format(AddressFormat.SOCKADDR_IN6), copy));
    fails(Errno.EINVAL, "leave one out", () -> open(copy.withName("both")));
    fails(
        Errno.ENOENT, "there is no file", () -> open(copy.withSaved(directory.resolve("nobody"))));
    try (CoreAddressVector vector = open(VectorOptions.table())) {
      fails(Errno.EINVAL, "path is null", () -> vector.save(null));
      fails(Errno.EINVAL, "directory", () -> vector.save(directory));
      fails(Errno.EIO, () -> vector.save(directory.resolve("no/such/place")));
    }
  }

  @Test
  void handlesOfMapVectorsStayWhatTheyWere() {
    VectorOptions map =
        VectorOptions.map().withName("saved " + UUID.randomUUID()).withMapAddress(0x70_0000);
    TestInfo info =
        TestInfo.defaults().version(ApiVersion.V1_20).capabilities(Capability.SHARED_AV);
    List<Long> handles = new ArrayList<>();
    try (CoreAddressVector named = VectorFixture.open(info, map)) {
      for (int i = 1; i < 40; i++) {
        handles.add(named.insert(a(i)));
      }
      named.save(path);
    }
    try (CoreAddressVector copied = VectorFixture.open(info, VectorOptions.map().withSaved(path))) {
      for (int i = 1; i < 40; i++) {
        assertThat(copied.lookup(handles.get(i - 1))).isEqualTo(a(i));
        assertThat(copied.find(a(i))).isEqualTo(handles.get(i - 1));
      }
    }
  }

  @Test
  void aNamedVectorThatIsOnlyReadCannotWait() {
    VectorOptions named = VectorOptions.table().withName("saved " + UUID.randomUUID());
    TestInfo info = TestInfo.defaults().capabilities(Capability.SHARED_AV);
    try (CoreAddressVector writer = VectorFixture.open(info, named);
        CoreAddressVector reader = VectorFixture.open(info, named.withFlags(VectorFlag.READ))) {
      fill(writer);
      fails(Errno.EACCES, "open it without FI_READ to save it", () -> reader.save(path));
      writer.save(path);
    }
    try (CoreAddressVector copied = open(copy)) {
      compare(copied);
    }
  }
}
