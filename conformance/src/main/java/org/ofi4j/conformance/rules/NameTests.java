// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Errno;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** NAME and MAPA: the options {@code name} and {@code map_addr}, as far as private vectors go. */
@ConformanceTest
class NameTests {
  @Proves(partly = "AV-038")
  @Variants
  void vectorsWithoutNameShareNothing(Variant variant, ConformanceEnvironment environment) {
    AddressVector here = variant.open(environment);
    AddressVector there = variant.open(environment);

    long handle = variant.insert(here, variant.a(1)).fi(0);

    assertThat(here.options().name()).isNull();
    Expect.unset(there, handle);
    assertThat(variant.insert(there, variant.a(2)).result()).isEqualTo(1);
    Expect.address(here, handle, variant.a(1));
    assertThat(here.size()).isEqualTo(1);
  }

  @Proves(partly = {"AV-038", "AV-040"})
  @Test
  void sharingNeedsItsCapability(ConformanceEnvironment environment) {
    Domain domain = environment.domain(Setup.DEFAULT.caps(Capability.MSG));
    Assumptions.assumeFalse(
        domain.info().has(Capability.SHARED_AV), "FI_SHARED_AV is granted without being asked for");

    Expect.failure(
        Errno.ENOSYS,
        () -> domain.openAddressVector(VectorOptions.table().withName("ofi4j-shared")));

    domain.close();
    assertThat(domain.isOpen()).as("a refused open holds nothing").isFalse();
  }

  @Proves(partly = "AV-046")
  @Variants
  void mapAddressIsLeftAloneWithoutName(Variant variant, ConformanceEnvironment environment) {
    AddressVector plain = variant.open(environment);
    long[] fi = variant.insert(plain, variant.list(1, 3)).fi();

    for (long ignored : new long[] {0x1234, 0x1235, -1, Long.MIN_VALUE}) {
      AddressVector vector =
          variant.open(environment, VectorOptions.defaults().withMapAddress(ignored));

      assertThat(vector.options().mapAddress()).isEqualTo(ignored);
      assertThat(variant.insert(vector, variant.list(1, 3)).fi()).isEqualTo(fi);
      Expect.entries(vector, fi, variant.list(1, 3));
    }
  }
}
