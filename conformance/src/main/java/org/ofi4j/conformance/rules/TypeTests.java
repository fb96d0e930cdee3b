// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.conformance.harness.Expect.missing;

import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** TYPE: the attribute {@code type}. */
@ConformanceTest
class TypeTests extends AddressTests {
  @Proves("AV-018")
  @Variants
  void typeChangesNothingButHandles(Variant variant, ConformanceEnvironment environment) {
    AddressVector map = environment.vector(variant.setup(), VectorOptions.map());
    AddressVector table = environment.vector(variant.setup(), VectorOptions.table());
    for (AddressVector vector : List.of(map, table)) {
      Inserted inserted =
          variant.insert(vector, variant.a(1), variant.bad(), variant.a(2), variant.a(3));
      long[] fi = inserted.fi();
      Expect.entries(vector, new long[] {fi[0], fi[2], fi[3]}, variant.list(1, 3));
      vector.remove(fi[2]);
      Expect.unset(vector, fi[2]);

      assertThat(inserted.result()).isEqualTo(3);
      assertThat(vector.size()).isEqualTo(2);
      assertThat(vector.statistics().highWaterMark()).isEqualTo(3);
      assertThat(vector.find(variant.a(3))).isEqualTo(fi[3]);
      assertThat(vector.handleAt(2)).isEqualTo(fi[3]);
    }
  }

  @Proves("AV-019")
  @Test
  void thereAreThreeTypes(ConformanceEnvironment environment) {
    assertThat(VectorType.values()).extracting(VectorType::number).containsExactly(0, 1, 2);
    assertThat(VectorType.of(1)).isEqualTo(VectorType.MAP);
    assertThat(VectorType.of(2)).isEqualTo(VectorType.TABLE);
    Expect.invalid(() -> VectorType.of(3));
    Expect.invalid(() -> VectorType.of(-1));
    Expect.invalid(() -> VectorOptions.defaults().withType(missing()));
    for (VectorType type : VectorType.values()) {
      environment.vector(Setup.DEFAULT, VectorOptions.defaults().withType(type)).insert(a(1));
    }
  }

  @Proves("AV-020")
  @EachProfile
  void domainWithTypeAdmitsThatAlone(Setup setup, ConformanceEnvironment environment) {
    for (VectorType type : List.of(VectorType.MAP, VectorType.TABLE)) {
      VectorType wrong = type == VectorType.MAP ? VectorType.TABLE : VectorType.MAP;
      Domain domain = environment.domain(setup.domainType(type));

      assertThat(domain.info().domain().vectorType()).isEqualTo(type);
      Expect.invalid(() -> domain.openAddressVector(VectorOptions.defaults().withType(wrong)));
      assertThat(environment.vector(domain, VectorOptions.defaults()).options().type())
          .as("what UNSPEC becomes")
          .isEqualTo(type);
      assertThat(
              environment.vector(domain, VectorOptions.defaults().withType(type)).options().type())
          .isEqualTo(type);
    }
  }

  @Proves({"AV-021", "AV-082"})
  @Variants(types = VectorType.MAP)
  void everyMapHandleLeadsBack(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    Inserted inserted = variant.insert(vector, variant.list(1, 50));

    assertThat(inserted.result()).isEqualTo(50);
    assertThat(inserted.fi()).doesNotHaveDuplicates().doesNotContain(Handles.NOT_AVAILABLE);
    Expect.entries(vector, inserted.fi(), variant.list(1, 50));
  }

  @Proves("AV-022")
  @EachProfile
  void sendTakesMapHandlesAsTheyAre(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, VectorOptions.map());
    vector.insert(List.of(a(1), a(2)));
    Peer here = environment.peer(vector);
    Peer there = environment.peer(vector);

    here.exchange(here.insert(there), there);
    there.exchange(there.insert(here), here);
  }

  @Proves("AV-024")
  @Variants(types = VectorType.MAP)
  void mapHandlesAreIndicesFromVersion2On(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    long[] fi = variant.insert(vector, variant.list(1, 2)).fi();

    if (variant.setup().isAtLeast(ApiVersion.V2_0)) {
      assertThat(fi).containsExactly(0, 1);
    } else {
      assertThat(fi).doesNotHaveDuplicates();
    }
    Expect.entries(vector, fi, variant.list(1, 2));
  }

  @Proves("AV-025")
  @Variants(types = VectorType.TABLE)
  void tableHandleIsPosition(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    assertThat(variant.insert(vector, variant.list(1, 5)).fi()).containsExactly(0, 1, 2, 3, 4);

    Expect.address(vector, 3, variant.a(4));
    for (int i = 0; i < 5; i++) {
      assertThat(vector.handleAt(i)).isEqualTo(i);
      Expect.address(vector, i, variant.a(i + 1));
    }
    Expect.unset(vector, 5);
  }

  @Proves("AV-027")
  @Variants(types = VectorType.TABLE)
  void positionsFollowTheOrderOfInsertion(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);

    assertThat(variant.insert(vector, variant.list(1, 3)).fi()).containsExactly(0, 1, 2);
    assertThat(variant.insert(vector, variant.list(4, 5)).fi()).containsExactly(3, 4);
    assertThat(variant.insert(vector, variant.list(6, 400)).fi())
        .containsExactly(LongStream.range(5, 400).toArray());
    Expect.address(vector, 399, variant.a(400));
  }

  @Proves("AV-028")
  @EachProfile
  void allInsertCallsShareTheNumbering(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);

    assertThat(vector.insert(a(1))).isZero();
    assertThat(vector.insertService("10.1.1.2", "5000")).isEqualTo(1);
    assertThat(vector.insertSymmetric("10.1.1.3", 1, "5000", 2).handles()).containsExactly(2, 3);
    assertThat(vector.insert(List.of(a(5), a(6))).handles()).containsExactly(4, 5);
    assertThat(vector.insertService("10.1.1.7", "5000")).isEqualTo(6);

    Expect.address(vector, 1, a(2));
    Expect.address(vector, 3, ipv4(0x0a01_0103, 5001));
    Expect.address(vector, 6, a(7));
  }

  @Proves(partly = "AV-029")
  @ParameterizedTest
  @EnumSource(names = {"TABLE", "MAP"})
  void handlesAreOptionalUnlessTheyCarryInput(VectorType type, ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(
            Setup.DEFAULT.caps(Capability.AV_USER_ID), VectorOptions.defaults().withType(type));
    MemorySegment one = pack(a(1));
    MemorySegment two = pack(a(2));

    assertThat(vector.insert(one, 1, null, null, 0, null)).isEqualTo(1);
    Expect.address(vector, 0, a(1));
    Expect.invalid(() -> vector.insert(two, 1, null, null, InsertFlag.USER_ID.mask(), null));
    Expect.invalid(() -> vector.insert(List.of(a(2)), InsertOptions.of(InsertFlag.USER_ID)));
    Expect.invalid(() -> vector.insert(two, 1, null, null, InsertFlag.AUTH_KEY.mask(), null));
    assertThat(vector.size()).isEqualTo(1);
  }

  @Proves("AV-030")
  @EachProfile
  void unspecifiedTypeIsReplaced(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, VectorOptions.defaults());

    assertThat(vector.options().type()).isIn(VectorType.MAP, VectorType.TABLE);
    if (vector.options().type() == VectorType.TABLE) {
      assertThat(vector.insert(List.of(a(1), a(2))).handles()).containsExactly(0, 1);
    }
  }
}
