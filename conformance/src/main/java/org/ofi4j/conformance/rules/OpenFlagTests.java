// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.UserId;
import org.ofi4j.VectorFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.EachSetup;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;

/** FLG: the attribute {@code flags}. */
@ConformanceTest
class OpenFlagTests extends AddressTests {
  static List<Setup> setups() {
    return List.of(
        Setup.of(ApiVersion.V1_20).caps(Capability.AV_USER_ID),
        Setup.of(ApiVersion.V2_1).caps(Capability.AV_USER_ID));
  }

  @Proves("AV-047")
  @Test
  @SuppressWarnings("deprecation")
  void flagsFormClosedList(ConformanceEnvironment environment) {
    assertThat(VectorFlag.values())
        .containsExactlyInAnyOrder(
            VectorFlag.READ, VectorFlag.EVENT, VectorFlag.USER_ID, VectorFlag.SYMMETRIC);
    assertThat(VectorFlag.READ.mask()).isEqualTo(0x100);
    assertThat(VectorFlag.EVENT.mask()).isEqualTo(0x1000000);
    assertThat(VectorFlag.USER_ID.mask()).isEqualTo(0x20000000000L);
    assertThat(VectorFlag.SYMMETRIC.mask()).isEqualTo(0x800000000000000L);

    Domain domain = environment.domain(Setup.DEFAULT.caps(Capability.AV_USER_ID));
    long all = VectorFlag.EVENT.mask() | VectorFlag.USER_ID.mask() | VectorFlag.SYMMETRIC.mask();
    assertThat(environment.vector(domain, VectorOptions.table().withFlags(all)).options().flags())
        .isEqualTo(all);
    Expect.invalid(() -> domain.openAddressVector(VectorOptions.table().withFlags(all | 1L << 60)));
  }

  @Proves("AV-050")
  @EachProfile
  void symmetryIsPromiseWithoutEffect(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(setup, VectorOptions.table().withFlags(VectorFlag.SYMMETRIC));

    assertThat(vector.insertSymmetric("10.0.0.1", 4, "5000", 4).result()).isEqualTo(16);
    for (int i = 0; i < 16; i++) {
      Expect.address(vector, i, ipv4(0x0a00_0001 + i / 4, 5000 + i % 4));
    }
    assertThat(vector.insert(a(77))).as("an address that breaks the promise").isEqualTo(16);
    Expect.address(vector, 16, a(77));
    vector.remove(5);
    assertThat(vector.insert(ipv4(0x0a00_00ff, 1))).isEqualTo(setup.isAppendOnly() ? 17 : 5);
  }

  @Proves("AV-050")
  @Test
  void symmetryGoesWithUserIds(ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(
            Setup.DEFAULT.caps(Capability.AV_USER_ID),
            VectorOptions.table().withFlags(VectorFlag.SYMMETRIC, VectorFlag.USER_ID));

    assertThat(vector.insertSymmetric("10.0.0.1", 2, "5000", 2).result()).isEqualTo(4);
    vector.setUserId(3, new UserId(33));
    Expect.address(vector, 3, ipv4(0x0a00_0002, 5001));
  }

  @Proves("AV-051")
  @EachSetup
  void userIdsAtOpenNeedTheirCapability(Setup setup, ConformanceEnvironment environment) {
    VectorOptions options = VectorOptions.table().withFlags(VectorFlag.USER_ID);
    Domain without = environment.domain(setup.caps(Capability.MSG));

    assertThat(without.info().has(Capability.AV_USER_ID))
        .as("a primary capability is granted only if asked for")
        .isFalse();
    Expect.invalid(() -> without.openAddressVector(options));

    AddressVector vector = environment.vector(setup, options);
    vector.insert(a(1));
    vector.setUserId(0, new UserId(1));
  }
}
