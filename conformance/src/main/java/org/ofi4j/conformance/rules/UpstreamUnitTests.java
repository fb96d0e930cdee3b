// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/**
 * The eleven cases of libfabric's own {@code fi_av_test}, each with what it does not check there:
 * which handles come out, and what is in the vector afterwards.
 */
@ConformanceTest
class UpstreamUnitTests extends AddressTests {
  private static final int COUNT = 16;
  private static final int DISCARD = 9;

  private FabricAddress address(int i) {
    return ipv4(0x7F000001 + i, DISCARD);
  }

  private MemorySegment packed(int from, int count) {
    return pack(IntStream.range(from, from + count).mapToObj(this::address).toList());
  }

  private static VectorOptions count(long count) {
    return VectorOptions.table().withCount(count);
  }

  private static MemorySegment filled(int count, long with) {
    long[] handles = new long[count];
    Arrays.fill(handles, with);
    return MemorySegment.ofArray(handles);
  }

  private static long handle(MemorySegment handles, int i) {
    return handles.get(ValueLayout.JAVA_LONG_UNALIGNED, 8L * i);
  }

  @Proves(partly = {"AV-035", "AV-013"})
  @EachProfile
  void avOpenClose(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    for (VectorType type : VectorType.values()) {
      for (int power = 0; power <= 16; power++) {
        AddressVector vector = domain.openAddressVector(count(1L << power).withType(type));
        vector.close();
        assertThat(vector.isOpen()).isFalse();
      }
    }
  }

  @Proves(partly = "AV-088")
  @EachProfile
  void avGood(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, count(32));
    MemorySegment handles = filled(1, Handles.NOT_AVAILABLE);

    assertThat(vector.insert(packed(0, 1), 1, handles, null, 0, null)).isEqualTo(1);

    assertThat(handle(handles, 0)).isZero();
  }

  @Proves(partly = "AV-087")
  @EachProfile
  void avNullFiAddr(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, count(32));

    assertThat(vector.insert(packed(0, 1), 1, null, null, 0, null)).isEqualTo(1);

    assertThat(vector.lookup(0)).isEqualTo(address(0));
  }

  @Proves(partly = {"AV-028", "AV-087"})
  @EachProfile
  void avInsertStages(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup.caps(Capability.MSG), count(32));

    assertThat(vector.insert(packed(0, 2), 2, null, null, 0, new Object())).isEqualTo(2);
    var queue = environment.completionQueue(vector.domain());
    environment.endpoint(vector.domain(), EndpointOptions.of(vector, queue));
    assertThat(vector.insert(packed(2, 2), 2, null, null, 0, new Object())).isEqualTo(2);

    for (int i = 0; i < 4; i++) {
      assertThat(vector.lookup(i)).isEqualTo(address(i));
    }
  }

  @Proves(partly = "AV-136")
  @EachProfile
  void avLookupGood(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, count(COUNT));
    MemorySegment packed = packed(0, COUNT);
    MemorySegment handles = filled(COUNT, Handles.NOT_AVAILABLE);
    assertThat(vector.insert(packed, COUNT, handles, null, 0, null)).isEqualTo(COUNT);
    MemorySegment buffer = MemorySegment.ofArray(new byte[4096]);
    long walked = 0;
    for (int i = 0; i < COUNT; i++) {
      int length = vector.lookup(handle(handles, i), buffer);
      assertThat(buffer.asSlice(0, length).mismatch(packed.asSlice(walked, length))).isEqualTo(-1);
      walked += length;
    }
    assertThat(walked).isEqualTo(packed.byteSize());
  }

  @Proves(partly = "AV-125")
  @EachProfile
  void avRemoveGood(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, count(COUNT));
    vector.insert(packed(0, COUNT), COUNT, null, null, 0, null);
    for (int i = 0; i < COUNT; i++) {
      vector.remove(i);
    }
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = {"AV-202", "AV-207"})
  @EachProfile
  void avBad(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, count(32));
    MemorySegment handles = filled(1, 0);
    MemorySegment zeros = MemorySegment.ofArray(new byte[16]);

    assertThat(vector.insert(zeros, 1, handles, null, 0, null)).isZero();

    assertThat(handle(handles, 0)).isEqualTo(Handles.NOT_AVAILABLE);
  }

  @Proves(partly = {"AV-088", "AV-207"})
  @EachProfile
  void avGoodBadVector(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, count(32));
    for (boolean goodFirst : new boolean[] {true, false}) {
      MemorySegment handles = filled(2, 0x55);
      List<FabricAddress> list =
          goodFirst ? List.of(address(1), bad()) : List.of(bad(), address(2));

      int inserted = vector.insert(pack(list), 2, handles, null, 0, null);

      assertThat(inserted).isEqualTo(1);
      assertThat(handle(handles, goodFirst ? 1 : 0)).isEqualTo(Handles.NOT_AVAILABLE);
      assertThat(handle(handles, goodFirst ? 0 : 1)).isEqualTo(goodFirst ? 0 : 1);
    }
  }

  @Proves(partly = {"AV-101", "AV-102"})
  @EachProfile
  void avGoodBadVectorSyncErr(Setup setup, ConformanceEnvironment environment) {
    if (!setup.isAtLeast(ApiVersion.V1_5)) {
      return; // the flag came with 1.5
    }
    AddressVector vector = environment.vector(setup, count(32));
    int[] errors = {-1, 0};

    int inserted =
        vector.insert(
            pack(address(0), bad()),
            2,
            null,
            MemorySegment.ofArray(errors),
            InsertFlag.SYNC_ERR.mask(),
            null);

    assertThat(inserted).isEqualTo(1);
    assertThat(errors).containsExactly(0, Errno.EADDRNOTAVAIL.number());
  }

  @Proves(partly = {"AV-136", "AV-223"})
  @EachProfile
  void avLookupBad(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, count(COUNT + 1));
    vector.insert(packed(0, COUNT), COUNT, null, null, 0, null);

    Expect.unset(vector, COUNT);
    Expect.unset(vector, COUNT + 32);
    Expect.unset(vector, Handles.NOT_AVAILABLE);
    vector.remove(0);
    Expect.unset(vector, 0);
    assertThat(vector.size()).isEqualTo(COUNT - 1);
  }

  @Proves(partly = {"AV-125", "AV-223"})
  @EachProfile
  void avRemoveBad(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, count(COUNT + 1));
    vector.insert(packed(0, COUNT), COUNT, null, null, 0, null);
    long[] all = LongStream.range(0, COUNT).toArray();
    for (long bad : new long[] {COUNT + 1, Handles.NOT_AVAILABLE, COUNT + 32}) {
      Expect.invalid(() -> vector.remove(bad));
    }
    vector.remove(0);
    Expect.invalid(() -> vector.remove(0));

    Expect.invalid(() -> vector.remove(all));

    assertThat(vector.size()).as("all others are gone").isZero();
  }
}
