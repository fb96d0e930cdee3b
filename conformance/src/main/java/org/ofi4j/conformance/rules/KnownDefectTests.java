// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.conformance.harness.Addresses.ipv6;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetAddress;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** Defects that address vectors of libfabric have or had, without traffic. */
@ConformanceTest
class KnownDefectTests extends AddressTests {
  @Proves(partly = {"AV-088", "AV-126"})
  @Variants
  void badThenGoodThenRemoveTheGoodOne(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    Inserted inserted = variant.insert(vector, variant.bad(), variant.a(1), variant.a(2));

    assertThat(inserted.result()).isEqualTo(2);
    assertThat(inserted.fi(0)).isEqualTo(Handles.NOT_AVAILABLE);
    vector.remove(inserted.fi(2));
    assertThat(vector.lookup(inserted.fi(1))).isEqualTo(variant.a(1));
    vector.remove(inserted.fi(1));
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = "AV-116")
  @Test
  void servicesOfAHostNameAreCounted(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();

    Insertion four = vector.insertSymmetric("localhost", 1, "6000", 4);

    assertThat(four.handles()).containsExactly(0, 1, 2, 3);
    for (int i = 0; i < 4; i++) {
      assertThat(vector.lookup(i)).isEqualTo(ipv4(0x7F000001, 6000 + i));
    }
  }

  @Proves(partly = "AV-118")
  @Test
  void ipv6RangesCarryAtTheRightPlace(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR_IN6));

    long[] handles = vector.insertSymmetric("fd00::fe", 4, "5000", 1).handles();

    String[] hosts = {"fe", "ff", "100", "101"};
    for (int i = 0; i < 4; i++) {
      assertThat(vector.lookup(handles[i]))
          .hasToString("fi_sockaddr_in6://[fd00::" + hosts[i] + "]:5000");
    }
  }

  @Proves(partly = "AV-125")
  @ParameterizedTest
  @ValueSource(ints = {1023, 1024, 1025, 1100, 4097, 70_000})
  void removingAllBeyondOneChunkEnds(int count, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    vector.insertSymmetric("10.0.0.0", count, "5000", 1).orThrow();

    vector.remove(LongStream.range(0, count).toArray());

    assertThat(vector.size()).isZero();
    assertThat(vector.insert(a(1))).isZero();
  }

  @Proves(partly = {"AV-101", "AV-102"})
  @Test
  void aBadFirstAddressDoesNotHideTheRest(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    int[] st = {-1, -1, -1};

    int inserted =
        vector.insert(
            pack(bad(), a(1), a(2)),
            3,
            null,
            MemorySegment.ofArray(st),
            InsertFlag.SYNC_ERR.mask(),
            null);

    assertThat(inserted).isEqualTo(2);
    assertThat(st).containsExactly(99, 0, 0);
  }

  @Proves(partly = "AV-077")
  @Test
  void aStrayFamilyDoesNotChangeTheVector(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(AddressFormat.SOCKADDR_IN6));
    vector.insert(ipv6(1));

    Expect.invalid(() -> vector.insert(a(1)));
    MemorySegment stray = MemorySegment.ofArray(new byte[28]);
    stray.set(ValueLayout.JAVA_SHORT_UNALIGNED, 0, (short) 99);
    assertThat(vector.insert(stray, 1, null, null, 0, null)).isZero();

    MemorySegment buffer = MemorySegment.ofArray(new byte[64]);
    assertThat(vector.lookup(0, buffer)).isEqualTo(28);
    assertThat(vector.lookup(0)).isEqualTo(ipv6(1));
    assertThat(vector.insert(ipv6(2))).isEqualTo(1);
  }

  @Proves(partly = "AV-048")
  @Test
  void readOnlyNeedsAName(ConformanceEnvironment environment) {
    Domain domain = environment.domain(Setup.DEFAULT);

    Expect.invalid(
        () -> domain.openAddressVector(VectorOptions.table().withFlags(VectorFlag.READ)));
  }

  @Proves(partly = "AV-060")
  @Test
  void asynchronousIsNotQuietlySynchronous(ConformanceEnvironment environment) {
    AddressVector vector = environment.unboundVector(environment.domain(Setup.DEFAULT));

    Expect.failure(Errno.ENOEQ, () -> vector.insert(a(1)));
    Expect.failure(Errno.ENOEQ, () -> vector.insert(List.of(a(1))));

    assertThat(vector.size()).isZero();
  }

  @Proves(partly = {"AV-115", "AV-202"})
  @Test
  void everyElementOfARangeGetsItsHandle(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    long[] fi = {7, 7, 7, 7, 7, 7, 7, 7};

    int inserted =
        vector.insertSymmetric(
            "127.0.0.254", 4, "9000", 2, MemorySegment.ofArray(fi), null, 0, null);

    assertThat(inserted).isEqualTo(8);
    assertThat(fi).containsExactly(0, 1, 2, 3, 4, 5, 6, 7);
    assertThat(vector.lookup(7)).isEqualTo(ipv4(0x7F000101, 9001));
  }

  @Proves(partly = {"AV-202", "AV-110"})
  @ParameterizedTest
  @EnumSource(names = {"SOCKADDR_IN6", "STR"})
  void aFailedResolutionIsNeverASuccess(AddressFormat format, ConformanceEnvironment environment) {
    boolean six = format == AddressFormat.SOCKADDR_IN6;
    List<InetAddress> useless = six ? List.of(InetAddress.ofLiteral("10.1.1.1")) : List.of();
    AddressVector vector =
        environment.vector(
            Setup.DEFAULT.format(format), VectorOptions.table().withResolver(_ -> useless));

    assertThat(vector.insertService("somewhere", "5000", InsertOptions.none()).result()).isZero();
    assertThat(vector.insertSymmetric("some1", 2, "5000", 2).result()).isZero();
    if (six) { // a number of the wrong family
      assertThat(vector.insertService("10.1.1.1", "5000", InsertOptions.none()).result()).isZero();
      assertThat(vector.insertSymmetric("10.1.1.1", 2, "5000", 1).result()).isZero();
    }
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = {"AV-119", "AV-121"})
  @Test
  void aNameOfDigitsAloneIsCountedFromItsStart(ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(
            Setup.DEFAULT,
            VectorOptions.table()
                .withResolver(host ->
                    List.of(
                        InetAddress.ofLiteral(
                            "10.3.3." + Integer.parseInt(host.substring(host.length() - 2))))));

    // too long for a number of an address, so it is a name
    Insertion two = vector.insertSymmetric("000000000000000000099", 2, "5000", 1);

    assertThat(two.requested()).isEqualTo(2);
    assertThat(vector.lookup(two.handle(0))).isEqualTo(ipv4(0x0A030363, 5000));
    assertThat(vector.lookup(two.handle(1))).isEqualTo(ipv4(0x0A030300, 5000));
  }
}
