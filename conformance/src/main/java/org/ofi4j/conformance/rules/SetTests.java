// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.AddressVectorSet;
import org.ofi4j.ApiVersion;
import org.ofi4j.Errno;
import org.ofi4j.Handles;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** EXT: sets of entries of a vector, fi_av_set(3). */
@ConformanceTest
class SetTests extends AddressTests {
  static Stream<Setup> setups() {
    return Stream.of(Setup.of(new ApiVersion(1, 9)), Setup.of(ApiVersion.V1_20), Setup.DEFAULT);
  }

  /** A vector of ten entries, 0 to 9. */
  private AddressVector ten(ConformanceEnvironment environment, Setup setup) {
    AddressVector vector = environment.vector(setup, VectorOptions.table());
    for (int i = 0; i < 10; i++) {
      assertThat(vector.insert(a(i + 1))).isEqualTo(i);
    }
    return vector;
  }

  private static AddressVectorSet set(
      ConformanceEnvironment environment, AddressVector vector, long... handles) {
    AddressVectorSet set = environment.keep(vector.openSet(VectorSetOptions.empty()));
    for (long handle : handles) {
      set.insert(handle);
    }
    return set;
  }

  @Proves("AV-226")
  @EachSetup
  void rangesAreInclusiveWithStrides(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = ten(environment, setup);
    VectorSetOptions range = VectorSetOptions.range(2, 8).withStride(3);
    assertThat(environment.keep(vector.openSet(range)).handles()).containsExactly(2, 5, 8);
    assertThat(environment.keep(vector.openSet(range.withCount(3))).size()).isEqualTo(3);
    Expect.invalid(() -> vector.openSet(range.withCount(2)));
    Expect.invalid(() -> vector.openSet(VectorSetOptions.range(2, Handles.NOT_AVAILABLE)));
    Expect.invalid(() -> vector.openSet(VectorSetOptions.range(Handles.NOT_AVAILABLE, 2)));
    assertThat(set(environment, vector).size()).isZero();
    vector.remove(5);
    assertThat(environment.keep(vector.openSet(range)).handles()).containsExactly(2, 8);
    assertThat(environment.keep(vector.openSet(VectorSetOptions.universe())).handles())
        .containsExactly(0, 1, 2, 3, 4, 6, 7, 8, 9);
  }

  @Proves("AV-226")
  @EachSetup
  void operationsKeepTheOrder(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = ten(environment, setup);
    AddressVectorSet set = set(environment, vector, 7, 3, 5, 1);
    Expect.invalid(() -> set.insert(3));
    AddressVectorSet source = set(environment, vector, 1, 9, 7, 0);
    set.union(source);
    assertThat(set.handles()).containsExactly(7, 3, 5, 1, 9, 0);
    assertThat(source.handles()).as("the source stays").containsExactly(1, 9, 7, 0);
    set.remove(5);
    Expect.invalid(() -> set.remove(5));
    assertThat(set.handles()).containsExactly(7, 3, 1, 9, 0);
    set.intersect(set(environment, vector, 0, 1, 2, 3, 9));
    assertThat(set.handles()).containsExactly(3, 1, 9, 0);
    set.difference(set(environment, vector, 9, 8, 3));
    assertThat(set.handles()).containsExactly(1, 0);
    assertThat(set.address()).isNotEqualTo(source.address());
    Expect.invalid(() -> vector.lookup(set.address()));
  }

  @Proves({"AV-226", "AV-070"})
  @Test
  void setsKeepTheirVectorOpen(ConformanceEnvironment environment) {
    AddressVector vector = ten(environment, Setup.DEFAULT);
    AddressVectorSet set = set(environment, vector, 1);
    Expect.failure(Errno.EBUSY, vector::close);
    Expect.address(vector, 0, a(1));
    set.close();
    Expect.invalid(() -> set.insert(2));
    vector.close();
  }

  @Proves("AV-226")
  @Test
  void rangesNeedATable(ConformanceEnvironment environment) {
    AddressVector map = environment.vector(Setup.of(ApiVersion.V1_20), VectorOptions.map());
    long one = map.insert(a(1));
    Expect.invalid(() -> map.openSet(VectorSetOptions.range(0, 0)));
    AddressVectorSet set = set(environment, map, one);
    assertThat(set.handles()).containsExactly(one);
    AddressVector old = environment.vector(Setup.of(new ApiVersion(1, 8)));
    Expect.failure(Errno.ENOSYS, () -> old.openSet(VectorSetOptions.empty()));
  }
}
