// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.InsertFlag;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.AsyncVector;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** INS: the flags that insert, insertsvc and insertsym share. */
@ConformanceTest
class InsertFlagTests extends AddressTests {
  private static final ApiVersion V1_19 = new ApiVersion(1, 19);
  private static final long MORE = InsertFlag.MORE.mask();
  private static final long SYNC_ERR = InsertFlag.SYNC_ERR.mask();
  private static final long USER_ID = InsertFlag.USER_ID.mask();
  private static final long AUTH_KEY = InsertFlag.AUTH_KEY.mask();
  private static final long FIREWALL = InsertFlag.FIREWALL_ADDRESS.mask();
  private static final long[] ID = {0xabc};

  private static final Map<Long, ApiVersion> SINCE =
      Map.of(
          SYNC_ERR, ApiVersion.V1_5,
          USER_ID, ApiVersion.V1_16,
          AUTH_KEY, ApiVersion.V1_20,
          FIREWALL, ApiVersion.V2_2);

  static Stream<Arguments> callsAndVersions() {
    return Stream.of(
            ApiVersion.V1_3,
            ApiVersion.V1_5,
            ApiVersion.V1_15,
            ApiVersion.V1_16,
            V1_19,
            ApiVersion.V2_1,
            ApiVersion.V2_2)
        .flatMap(
            version -> Stream.of(InsertCall.values()).map(call -> Arguments.of(call, version)));
  }

  private static AddressVector open(ConformanceEnvironment environment, ApiVersion version) {
    return environment.vector(Setup.of(version));
  }

  private static AddressVector withIds(ConformanceEnvironment environment, ApiVersion version) {
    return environment.vector(Setup.of(version).caps(Capability.AV_USER_ID));
  }

  private static void refused(
      Errno errno, InsertCall call, AddressVector vector, long flags, long[] input) {
    Expect.failure(errno, () -> call.insert(vector, flags, input));
    assertThat(vector.size()).as("nothing went in").isZero();
  }

  @Proves({"AV-097", "AV-114", "AV-124"})
  @ParameterizedTest
  @MethodSource("callsAndVersions")
  void eachFlagComesWithItsVersion(
      InsertCall call, ApiVersion version, ConformanceEnvironment environment) {
    AddressVector vector = open(environment, version);
    SINCE.forEach((flag, since) -> {
      if (!version.isAtLeast(since)) {
        refused(Errno.EBADFLAGS, call, vector, flag, ID);
        refused(Errno.EBADFLAGS, call, vector, MORE | flag, ID);
      }
    });
    for (long flag : new long[] {MORE, SYNC_ERR, FIREWALL}) {
      if (flag == MORE || version.isAtLeast(Expect.present(SINCE.get(flag)))) {
        assertThat(call.insert(vector, flag, null).result()).isEqualTo(1);
      }
    }
    if (version.isAtLeast(ApiVersion.V1_16)) {
      assertThat(call.insert(withIds(environment, version), USER_ID, ID).result()).isEqualTo(1);
    }
  }

  @Proves({"AV-097", "AV-012", "AV-114", "AV-124", "AV-202"})
  @EachProfile
  void bitsWithoutMeaningAreRefused(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    for (InsertCall call : InsertCall.values()) {
      for (int bit : new int[] {0, 3, 8, 17, 24, 40, 43, 55, 59, 63}) {
        refused(Errno.EBADFLAGS, call, vector, 1L << bit, ID);
        refused(Errno.EBADFLAGS, call, vector, MORE | 1L << bit, ID);
      }
    }
  }

  @Proves("AV-222")
  @ParameterizedTest
  @EnumSource
  void firewallAddressesAreOrdinaryEntries(InsertCall call, ConformanceEnvironment environment) {
    AddressVector vector = open(environment, ApiVersion.V2_2);

    Inserted inserted = call.insert(vector, FIREWALL, null);

    assertThat(inserted.fi()).containsExactly(0);
    assertThat(vector.lookup(0)).isEqualTo(a(1));
    assertThat(vector.find(a(1))).isZero();
  }

  @Proves({"AV-098", "AV-100"})
  @Variants(forms = {InsertForm.PACKED, InsertForm.COLLECTION})
  void moreChangesNothing(Variant variant, ConformanceEnvironment environment) {
    AddressVector with = variant.open(environment);
    AddressVector without = variant.open(environment);
    List<FabricAddress> list = List.of(variant.a(1), variant.bad(), variant.a(2));

    Inserted hinted = variant.form().insert(with, list, MORE, null, null);
    Inserted plain = variant.form().insert(without, list, 0, null, null);

    assertThat(with.lookup(hinted.fi(0))).as("usable at once").isEqualTo(variant.a(1));
    assertThat(hinted.result()).isEqualTo(plain.result()).isEqualTo(2);
    assertThat(with.size()).isEqualTo(without.size());
    assertThat(with.lookup(hinted.fi(2))).isEqualTo(without.lookup(plain.fi(2)));
    if (variant.hasIndexHandles()) {
      assertThat(hinted.fi()).containsExactly(plain.fi());
    }
  }

  @Proves("AV-099")
  @Variants(
      forms = {InsertForm.PACKED, InsertForm.COLLECTION},
      types = VectorType.TABLE)
  void aSeriesWithMoreKeepsEverything(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    for (int i = 1; i <= 3; i++) {
      variant.form().insert(vector, variant.list(i, i), MORE, null, null);
    }
    assertThat(vector.size()).as("a series that was never ended loses nothing").isEqualTo(3);

    variant.form().insert(vector, variant.list(4, 4), 0, null, null);

    Expect.entries(vector, variant.list(1, 4));
  }

  @Proves({"AV-101", "AV-102", "AV-089"})
  @Test
  void statusesWorkWithAndWithoutHandles(ConformanceEnvironment environment) {
    MemorySegment packed = pack(a(1), bad(), a(2));
    for (Setup setup :
        List.of(Setup.of(ApiVersion.V1_5), Setup.of(ApiVersion.V1_20), Setup.DEFAULT)) {
      AddressVector vector = environment.vector(setup);
      int[] st = {-1, -1, -1, -1};
      MemorySegment errors = MemorySegment.ofArray(st);

      assertThat(vector.insert(packed, 3, null, errors, SYNC_ERR, null)).isEqualTo(2);

      assertThat(st).containsExactly(0, 99, 0, -1);
      AddressVector other = environment.vector(setup);
      long[] fi = {7, 7, 7};
      assertThat(other.insert(packed, 3, MemorySegment.ofArray(fi), errors, SYNC_ERR, null))
          .isEqualTo(2);
      assertThat(st).containsExactly(0, 99, 0, -1);
      assertThat(fi).containsExactly(0, -1, 1);
    }
  }

  @Proves("AV-101")
  @ParameterizedTest
  @EnumSource
  void statusesNeedTheirArray(InsertCall call, ConformanceEnvironment environment) {
    if (!call.isPacked()) {
      return; // the values form has no array that could be missing
    }
    AddressVector vector = environment.vector();
    MemorySegment handles = MemorySegment.ofArray(new long[1]);
    MemorySegment three = MemorySegment.ofArray(new byte[3]);

    Expect.invalid(() -> call.packed(vector, handles, null, SYNC_ERR, new Object()));
    Expect.invalid(() -> call.packed(vector, handles, three, SYNC_ERR, null));

    assertThat(vector.size()).isZero();
    assertThat(handles.get(ValueLayout.JAVA_LONG_UNALIGNED, 0)).isZero();
  }

  @Proves("AV-101")
  @ParameterizedTest
  @EnumSource
  void statusesAreForSynchronousVectors(InsertCall call, ConformanceEnvironment environment) {
    AsyncVector asynchronous = environment.asyncVector(Setup.DEFAULT);

    refused(Errno.EBADFLAGS, call, asynchronous.vector(), SYNC_ERR, ID);

    asynchronous.events().expectSilence();
  }

  @Proves("AV-102")
  @Variants(
      forms = InsertForm.PACKED,
      formats = {AddressFormat.SOCKADDR_IN, AddressFormat.STR},
      withStatuses = true)
  void statusesAreNeverNegative(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    List<FabricAddress> list = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      list.add(i % 3 == 0 ? variant.bad() : i % 7 == 0 ? variant.foreign() : variant.a(i));
    }

    Inserted inserted = variant.insert(vector, list);

    for (int i = 0; i < 200; i++) {
      assertThat(inserted.st()[i]).isEqualTo(i % 3 == 0 ? 99 : i % 7 == 0 ? 22 : 0);
    }
    assertThat(inserted.result()).isEqualTo((int) vector.size());
  }

  @Proves("AV-104")
  @ParameterizedTest
  @EnumSource
  void idsWithoutTheCapabilityFail(InsertCall call, ConformanceEnvironment environment) {
    for (ApiVersion version : List.of(ApiVersion.V1_16, ApiVersion.V1_20, ApiVersion.V2_1)) {
      AddressVector vector = open(environment, version);
      assertThat(vector.domain().info().has(Capability.AV_USER_ID))
          .as("granted only when asked for")
          .isFalse();

      refused(Errno.ENOSYS, call, vector, USER_ID, ID);
    }
  }

  @Proves(partly = {"AV-105", "AV-052"})
  @ParameterizedTest
  @EnumSource
  void idsAtInsertExcludeIdsByCall(InsertCall call, ConformanceEnvironment environment) {
    for (ApiVersion version : List.of(ApiVersion.V1_20, ApiVersion.V2_1)) {
      AddressVector vector =
          environment.vector(
              Setup.of(version).caps(Capability.AV_USER_ID),
              VectorOptions.table().withFlags(VectorFlag.USER_ID));

      refused(Errno.EINVAL, call, vector, USER_ID, ID);

      call.insert(vector, 0, null);
      long[] handles = {0};
      Expect.invalid(() -> vector.remove(MemorySegment.ofArray(handles), 1, USER_ID));
      assertThat(vector.lookup(0)).isEqualTo(a(1));
    }
  }

  @Proves(partly = {"AV-029", "AV-190"})
  @ParameterizedTest
  @EnumSource
  void inputNeedsTheHandleArray(InsertCall call, ConformanceEnvironment environment) {
    AddressVector vector = withIds(environment, ApiVersion.V2_1);
    if (call.isPacked()) {
      assertThat(call.packed(vector, null, null, 0, null)).as("without input").isEqualTo(1);
      vector.remove(0);
      Expect.invalid(() -> call.packed(vector, null, null, USER_ID, null));
      Expect.invalid(() -> call.packed(vector, null, null, AUTH_KEY, null));
      MemorySegment seven = MemorySegment.ofArray(new byte[7]);
      Expect.invalid(() -> call.packed(vector, seven, null, USER_ID, null));
    } else {
      Expect.invalid(() -> call.insert(vector, USER_ID, null));
      Expect.invalid(() -> call.insert(vector, USER_ID, new long[0]));
      Expect.invalid(() -> call.insert(vector, AUTH_KEY, null));
    }
    assertThat(vector.size()).isZero();
  }

  @Proves(partly = "AV-029")
  @ParameterizedTest
  @EnumSource
  void keysNeedADomainForKeys(InsertCall call, ConformanceEnvironment environment) {
    refused(Errno.EINVAL, call, open(environment, ApiVersion.V1_20), AUTH_KEY, ID);
    refused(Errno.EINVAL, call, open(environment, ApiVersion.V2_1), AUTH_KEY, ID);
  }
}
