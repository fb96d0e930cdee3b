// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Domain;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.Fabrics;
import org.ofi4j.Handles;
import org.ofi4j.Insertion;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.Setup;

/**
 * Ranges of 2<sup>31</sup> - 2 addresses, which is all that a vector has room for. Only where a
 * range costs next to nothing: entry by entry they would take 30 GB.
 */
@Tag("AV-115")
@Tag("AV-178")
@Timeout(value = 10, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LargestRangeTest {
  private static final int ALL = Handles.MAX_ENTRIES;
  private static final int ENOMEM = Errno.ENOMEM.number();
  private static final int EALREADY = Errno.EALREADY.number();
  private static final int ECANCELED = Errno.ECANCELED.number();
  private static final int FIRST_HOST = 0x0100_0000;
  private static final String FIRST_NODE = "1.0.0.0";
  private static final FabricAddress STRANGER = new SocketAddress4(0x0A01_0101, 6000);
  private static final FabricAddress ANOTHER = new SocketAddress4(0x0A01_0102, 6000);

  /** 2<sup>31</sup> - 2 as a product, of nodes and their services. */
  private static final int NODES = 42_966;

  private static final int SERVICES = 49_981;
  private static final int FIRST_PORT = 1000;

  private final List<FabricObject> opened = new ArrayList<>();

  @BeforeEach
  void rangesCostNothing() {
    AddressVector probe = vector(Setup.DEFAULT, DuplicatePolicy.SHARE);
    probe.insertSymmetric("10.0.0.0", 1 << 20, "5000", 1).orThrow();
    Assumptions.assumeTrue(
        probe.statistics().memory().live() < 1024,
        () -> "a range of 2^20 addresses takes " + probe.statistics().memory().live() + " bytes");
  }

  @AfterEach
  void close() {
    opened.reversed().forEach(FabricObject::close);
  }

  private AddressVector vector(Setup setup, DuplicatePolicy policy) {
    var info = Fabrics.info(setup.hints()).best();
    Fabric fabric = Fabrics.open(info);
    opened.add(fabric);
    Domain domain = fabric.openDomain();
    opened.add(domain);
    AddressVector vector = domain.openAddressVector(VectorOptions.table().withDuplicates(policy));
    opened.add(vector);
    return vector;
  }

  private static Insertion insertAll(AddressVector vector) {
    return vector.insertSymmetric(FIRST_NODE, ALL, "5000", 1);
  }

  private static FabricAddress address(int index) {
    return new SocketAddress4(FIRST_HOST + index, 5000);
  }

  /** First, last, where blocks of 65,536 begin and end, and some in between. */
  private static int[] samples() {
    SplittableRandom random = new SplittableRandom(5);
    return IntStream.concat(
            IntStream.of(0, 1, 65_535, 65_536, ALL / 2, ALL - 2, ALL - 1), random.ints(500, 0, ALL))
        .toArray();
  }

  private static void expectAll(AddressVector vector) {
    for (int index : samples()) {
      assertThat(vector.lookup(index)).isEqualTo(address(index));
      assertThat(vector.find(address(index))).isEqualTo(index);
    }
    assertThat(vector.find(address(-1))).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(vector.find(address(ALL))).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(vector.find(new SocketAddress4(FIRST_HOST, 4999))).isEqualTo(-1);
    assertThat(vector.size()).isEqualTo(ALL);
  }

  private static void expectUnset(AddressVector vector, int index) {
    assertThat(Subject.errnoOf(() -> vector.lookup(index))).isEqualTo(Errno.EINVAL.number());
  }

  private static void expectFull(AddressVector vector, FabricAddress address) {
    assertThatThrownBy(() -> vector.insert(address))
        .isInstanceOfSatisfying(
            FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.ENOMEM));
  }

  @Test
  void theSameTwiceIsSharedEntryByEntry() {
    AddressVector vector = vector(Setup.DEFAULT, DuplicatePolicy.SHARE);
    Insertion first = insertAll(vector);
    assertThat(first.inserted()).isEqualTo(ALL);
    assertThat(first.result()).isEqualTo(ALL);
    assertThat(vector.statistics().memory().live()).isLessThan(1024);
    expectAll(vector);

    Insertion second = insertAll(vector);

    assertThat(second.inserted()).isEqualTo(ALL);
    for (int index : samples()) {
      assertThat(first.handle(index)).isEqualTo(index);
      assertThat(second.handle(index)).isEqualTo(index);
      assertThat(second.error(index)).isZero();
    }
    expectAll(vector);
    expectFull(vector, STRANGER);
    for (int index : new int[] {0, 77, 65_535, 65_536, 1_000_000_000, ALL - 1}) {
      vector.remove(index);
      assertThat(vector.lookup(index)).as("one share is left").isEqualTo(address(index));
      vector.remove(index);
      expectUnset(vector, index);
      assertThat(vector.find(address(index))).isEqualTo(Handles.NOT_AVAILABLE);
      assertThat(Subject.errnoOf(() -> vector.remove(index))).isEqualTo(Errno.EINVAL.number());

      assertThat(vector.insert(STRANGER)).isEqualTo(index);
      expectFull(vector, address(index));
      assertThat(vector.lookup(index)).isEqualTo(STRANGER);
      assertThat(vector.find(STRANGER)).isEqualTo(index);
      vector.remove(index);
      assertThat(vector.insert(address(index))).isEqualTo(index);
      vector.remove(index);
      expectUnset(vector, index);
      vector.insert(address(index));
    }
    expectAll(vector);
  }

  @Test
  void aBlockOfItGoesAndOthersComeInItsPlace() {
    AddressVector vector = vector(Setup.DEFAULT, DuplicatePolicy.SHARE);
    insertAll(vector);
    int from = 5 * 65_536 - 1000;
    int count = 70_000;

    vector.remove(LongStream.range(from, from + count).toArray());

    assertThat(vector.size()).isEqualTo(ALL - count);
    expectUnset(vector, from);
    expectUnset(vector, from + count - 1);
    assertThat(vector.lookup(from - 1)).isEqualTo(address(from - 1));
    assertThat(vector.lookup(from + count)).isEqualTo(address(from + count));
    assertThat(vector.find(address(from + 40_000))).isEqualTo(Handles.NOT_AVAILABLE);

    Insertion others = vector.insertSymmetric("10.1.0.0", count, "6000", 1);
    assertThat(others.inserted()).isEqualTo(count);
    for (int i = 0; i < count; i += 999) {
      assertThat(others.handle(i)).isEqualTo(from + i);
      FabricAddress other = new SocketAddress4(0x0A01_0000 + i, 6000);
      assertThat(vector.lookup(from + i)).isEqualTo(other);
      assertThat(vector.find(other)).isEqualTo(from + i);
    }
    expectFull(vector, address(from));
    Insertion again = insertAll(vector);
    assertThat(again.error(from - 1)).isZero();
    assertThat(again.handle(from - 1)).isEqualTo(from - 1);
    assertThat(again.error(from)).as("no index is left").isEqualTo(ENOMEM);
    assertThat(again.error(from + 1)).as("not tried").isEqualTo(ECANCELED);
  }

  @Test
  void nodesByServicesOverlapInColumns() {
    AddressVector vector = vector(Setup.DEFAULT, DuplicatePolicy.SHARE);
    Insertion all = vector.insertSymmetric("10.0.0.0", NODES, String.valueOf(FIRST_PORT), SERVICES);
    assertThat(all.inserted()).isEqualTo(ALL);
    for (int index : samples()) {
      FabricAddress expected =
          new SocketAddress4(0x0A00_0000 + index / SERVICES, FIRST_PORT + index % SERVICES);
      assertThat(vector.lookup(index)).isEqualTo(expected);
      assertThat(vector.find(expected)).isEqualTo(index);
    }

    Insertion some = vector.insertSymmetric("10.0.1.0", 50, String.valueOf(FIRST_PORT + 7), 3);

    assertThat(some.inserted()).isEqualTo(150);
    for (int i = 0; i < 150; i++) {
      int index = (256 + i / 3) * SERVICES + 7 + i % 3;
      assertThat(some.handle(i)).isEqualTo(index);
      vector.remove(index);
      assertThat(vector.lookup(index)).as("one share is left").isNotNull();
      vector.remove(index);
      expectUnset(vector, index);
    }
    assertThat(vector.size()).isEqualTo(ALL - 150);
    assertThat(vector.insert(STRANGER)).isEqualTo(256 * SERVICES + 7);
  }

  @Test
  void duplicatesOfAllAreRejected() {
    AddressVector vector = vector(Setup.DEFAULT, DuplicatePolicy.REJECT);
    insertAll(vector);
    vector.remove(70_000);

    Insertion second = insertAll(vector);

    assertThat(second.inserted()).isEqualTo(1);
    assertThat(second.handle(70_000)).isEqualTo(70_000);
    for (int index : samples()) {
      assertThat(second.error(index)).isEqualTo(EALREADY);
      assertThat(second.handle(index)).isEqualTo(Handles.NOT_AVAILABLE);
    }
    expectAll(vector);
  }

  @Test
  void furtherEntriesFindNoIndex() {
    AddressVector vector = vector(Setup.DEFAULT, DuplicatePolicy.NEW_INDEX);
    insertAll(vector);
    vector.remove(new long[] {3, 70_000});

    Insertion second = insertAll(vector);

    assertThat(second.inserted()).isEqualTo(2);
    assertThat(second.handle(0)).isEqualTo(3);
    assertThat(second.handle(1)).isEqualTo(70_000);
    assertThat(second.error(2)).isEqualTo(ENOMEM);
    assertThat(second.error(3)).isEqualTo(ECANCELED);
    assertThat(second.error(ALL - 1)).isEqualTo(ECANCELED);
    assertThat(vector.lookup(3)).isEqualTo(address(0));
    assertThat(vector.find(address(0))).isZero();
    vector.remove(0);
    assertThat(vector.find(address(0))).isEqualTo(3);
    assertThat(vector.find(address(3))).isEqualTo(Handles.NOT_AVAILABLE);
  }

  @Test
  @Tag("AV-083")
  void whereIndicesAreUsedOnceNothingFollows() {
    AddressVector vector = vector(Setup.of(ApiVersion.V1_0), DuplicatePolicy.SHARE);
    insertAll(vector);
    vector.remove(LongStream.range(0, 100).toArray());

    expectFull(vector, STRANGER);
    Insertion refused = vector.insert(List.of(STRANGER, ANOTHER));

    assertThat(refused.inserted()).isZero();
    assertThat(refused.error(0)).isEqualTo(ENOMEM);
    expectUnset(vector, 0);
    assertThat(vector.size()).isEqualTo(ALL - 100);
    assertThat(vector.lookup(100)).isEqualTo(address(100));
  }

  @Test
  void scatteredEntriesInsideAreShared() {
    AddressVector vector = vector(Setup.DEFAULT, DuplicatePolicy.SHARE);
    int strangers = 1000;
    for (int i = 0; i < strangers; i++) {
      FabricAddress scattered =
          i % 2 == 0
              ? address(i * 1_000_003)
              : new SocketAddress4(0x0B00_0000 + i * 7919, 6000 + i);
      assertThat(vector.insert(scattered)).isEqualTo(i);
    }

    int count = ALL - strangers / 2;
    Insertion range = vector.insertSymmetric(FIRST_NODE, count, "5000", 1);

    assertThat(range.inserted()).isEqualTo(count);
    assertThat(vector.size()).isEqualTo(ALL);
    expectFull(vector, STRANGER);
    for (int i = 0; i < strangers; i += 2) {
      assertThat(range.handle(i * 1_000_003)).isEqualTo(i);
      vector.remove(i);
      assertThat(vector.lookup(i)).as("one share is left").isEqualTo(address(i * 1_000_003));
    }
    assertThat(range.handle(1)).isEqualTo(strangers);
    assertThat(vector.find(address(1))).isEqualTo(strangers);
    assertThat(vector.find(address(count - 1))).isEqualTo(ALL - 1);
    assertThat(vector.lookup(ALL - 1)).isEqualTo(address(count - 1));
  }

  @Test
  void ipv6HasTheSameRoom() {
    AddressVector vector =
        vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR_IN6), DuplicatePolicy.SHARE);
    Insertion all = vector.insertSymmetric("2001:db8::8000:0", ALL, "5000", 1);

    assertThat(all.inserted()).isEqualTo(ALL);
    for (int index : samples()) {
      FabricAddress expected =
          new SocketAddress6(0x2001_0db8_0000_0000L, 0x8000_0000L + index, 5000, 0, 0);
      assertThat(vector.lookup(index)).isEqualTo(expected);
      assertThat(vector.find(expected)).isEqualTo(index);
    }
    vector.remove(12_345);
    expectUnset(vector, 12_345);
    assertThat(vector.insert(new SocketAddress6(1, 1, 1, 0, 0))).isEqualTo(12_345);
    assertThat(insertAllIpv6(vector).error(12_345)).isEqualTo(ENOMEM);
  }

  private static Insertion insertAllIpv6(AddressVector vector) {
    return vector.insertSymmetric("2001:db8::8000:0", ALL, "5000", 1);
  }
}
