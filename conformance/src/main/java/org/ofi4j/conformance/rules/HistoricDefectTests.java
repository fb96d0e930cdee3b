// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.DuplicatePolicy;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** Defects that were reported against address vectors of libfabric over the years. */
@ConformanceTest
class HistoricDefectTests extends AddressTests {
  @Proves(partly = "AV-087")
  @ParameterizedTest
  @ValueSource(ints = {1, 1000})
  void noHandleArrayForOneOrMany(int count, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    List<FabricAddress> addresses = list(1, count);

    assertThat(vector.insert(pack(addresses), count, null, null, 0, null)).isEqualTo(count);

    assertThat(vector.lookup(count - 1)).isEqualTo(addresses.getLast());
  }

  @Proves(partly = {"AV-028", "AV-084"})
  @Variants(types = VectorType.TABLE)
  void positionsGoOnAfterAFailure(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    variant.insert(vector, variant.a(1));
    variant.insert(vector, variant.bad());
    variant.insert(vector, variant.a(2), variant.bad(), variant.a(3));

    assertThat(variant.insert(vector, variant.a(4)).fi(0)).isEqualTo(3);
    assertThat(vector.lookup(2)).isEqualTo(variant.a(3));
  }

  @Proves(partly = {"AV-021", "AV-136"})
  @Test
  void differentAddressesNeverShareAHandle(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    // neighbours in every field, and values that a poor hash would throw together
    vector.insertSymmetric("10.1.0.0", 300, "1", 300).orThrow();
    assertThat(vector.size()).isEqualTo(90_000);
    for (int i = 0; i < 90_000; i += 7) {
      FabricAddress expected = ipv4(0x0A010000 + i / 300, 1 + i % 300);
      assertThat(vector.lookup(i)).isEqualTo(expected);
      assertThat(vector.find(expected)).isEqualTo(i);
    }
  }

  @Proves(partly = "AV-075")
  @Test
  void nothingWithGarbageChangesNothing(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    vector.insert(a(1));
    MemorySegment garbage = MemorySegment.ofArray(new byte[] {99, 99, 99});

    assertThat(vector.insert(garbage, 0, garbage.asSlice(0, 0), null, 0, null)).isZero();
    assertThat(vector.insert(MemorySegment.NULL, 0, null, null, 0, null)).isZero();

    assertThat(vector.size()).isEqualTo(1);
    assertThat(vector.lookup(0)).isEqualTo(a(1));
    assertThat(vector.insert(a(2))).isEqualTo(1);
  }

  @Proves(partly = {"AV-136", "AV-140", "AV-223"})
  @Test
  void handleZeroIsAHandle(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    Expect.unset(vector, 0);
    vector.insert(a(1));

    assertThat(vector.lookup(0)).isEqualTo(a(1));
    assertThat(vector.find(a(1))).isZero();
    vector.remove(0);
    Expect.unset(vector, 0);
    assertThat(vector.find(a(1))).isEqualTo(Handles.NOT_AVAILABLE);
  }

  @Proves(partly = "AV-178")
  @Test
  void removingOneOfTwoLeavesTheOther(ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(
            Setup.DEFAULT, VectorOptions.table().withDuplicates(DuplicatePolicy.NEW_INDEX));
    vector.insert(List.of(a(1), a(1), a(1)));

    vector.remove(1);

    assertThat(vector.lookup(0)).isEqualTo(a(1));
    assertThat(vector.lookup(2)).isEqualTo(a(1));
    vector.remove(0);
    assertThat(vector.find(a(1))).isEqualTo(2);
  }

  @Proves(partly = {"AV-178", "AV-180"})
  @Test
  void duplicatesDoNotLeak(ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(
            Setup.DEFAULT, VectorOptions.table().withDuplicates(DuplicatePolicy.SHARE));
    vector.insert(a(2));
    long held = 0;
    for (int round = 0; round < 5000; round++) {
      long handle = vector.insert(a(1));
      assertThat(vector.insert(a(1))).isEqualTo(handle);
      vector.remove(handle);
      vector.remove(handle);
      Expect.unset(vector, handle);
      if (round == 100) {
        held = vector.statistics().memory().held();
      }
    }
    assertThat(vector.statistics().memory().held()).isEqualTo(held);
    assertThat(vector.size()).isEqualTo(1);
  }

  @Proves(partly = "AV-035")
  @ParameterizedTest
  @ValueSource(ints = {1025, 65_537, 1_000_001})
  void noHintNoLimit(int count, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();

    Inserted inserted =
        Inserted.of(vector.insertSymmetric("10.0.0.0", count, "5000", 1, InsertOptions.none()));

    assertThat(inserted.result()).isEqualTo(count);
    for (int i : new int[] {0, 1023, 1024, count / 2, count - 1}) {
      assertThat(vector.lookup(i)).isEqualTo(ipv4(0x0A000000 + i, 5000));
      assertThat(vector.find(ipv4(0x0A000000 + i, 5000))).isEqualTo(i);
    }
    Expect.unset(vector, count);
    assertThat(vector.statistics().memory().live()).isPositive();
  }

  @Proves(partly = {"AV-125", "AV-223"})
  @Test
  void boundsAreTheSameForAllCallsAfterGrowth(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT, VectorOptions.table().withCount(4));
    vector.insertSymmetric("10.0.0.0", 5000, "5000", 1).orThrow();
    vector.remove(4999);

    for (long beyond : new long[] {4999, 5000, 8191, 8192, 65_536}) {
      Expect.unset(vector, beyond);
      Expect.invalid(() -> vector.remove(beyond));
      Expect.invalid(() -> vector.handleAt(beyond));
    }
    assertThat(vector.lookup(4998)).isEqualTo(ipv4(0x0A000000 + 4998, 5000));
  }

  @Proves(partly = {"AV-053", "AV-055", "AV-059"})
  @Test
  void aRangeHasOneCompletion(ConformanceEnvironment environment) {
    var async = environment.asyncVector(Setup.DEFAULT);

    InsertForm.COLLECTION.insert(async.vector(), List.of(bad()), "first");
    var first = async.events().untilCompletion();
    async
        .vector()
        .insertSymmetric("10.1.1.1", 2, "65535", 2, InsertOptions.none().withContext("range"));
    var range = async.events().untilCompletion();

    assertThat(first).extracting(event -> event.context()).containsOnly("first");
    assertThat(range).extracting(event -> event.context()).containsOnly("range");
    assertThat(range).extracting(event -> event.data()).containsExactly(1L, 3L, 2L);
    async.events().expectSilence();
  }

  @Proves(partly = {"AV-027", "AV-086"})
  @Test
  void theSameOrderGivesTheSameIndices(ConformanceEnvironment environment) {
    AddressVector one = environment.vector();
    AddressVector two = environment.vector(Setup.DEFAULT, VectorOptions.table().withCount(1));
    for (AddressVector vector : List.of(one, two)) {
      vector.insert(list(1, 50));
      vector.remove(new long[] {3, 30, 7});
      vector.insertSymmetric("10.5.0.1", 5, "5000", 2);
    }
    for (int i = 0; i < 57; i++) {
      assertThat(two.lookup(i)).isEqualTo(one.lookup(i));
    }
  }
}
