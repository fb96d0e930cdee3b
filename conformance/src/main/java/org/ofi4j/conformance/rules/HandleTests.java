// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Domain;
import org.ofi4j.Handles;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** RXA and GRP: how handles are divided, as far as a vector by itself shows it. */
@ConformanceTest
class HandleTests extends AddressTests {
  @Proves(partly = "AV-033")
  @EachProfile
  void opaqueHandlesNeedTheirRoom(Setup setup, ConformanceEnvironment environment) {
    Domain domain = environment.domain(setup);
    environment.vector(domain, VectorOptions.map().withReceiveContextBits(29));
    environment.vector(domain, VectorOptions.table().withReceiveContextBits(31));
    for (int bits : new int[] {30, 31}) {
      VectorOptions tooMany = VectorOptions.map().withReceiveContextBits(bits);
      if (setup.hasOpaqueMapHandles()) {
        Expect.invalid(() -> domain.openAddressVector(tooMany));
      } else {
        environment.vector(domain, tooMany);
      }
    }
  }

  @Proves(partly = {"AV-034", "AV-143"})
  @Test
  void bitsThatWereNotReservedAreRefused(ConformanceEnvironment environment) {
    AddressVector none = environment.vector();
    AddressVector four =
        environment.vector(Setup.DEFAULT, VectorOptions.table().withReceiveContextBits(4));
    none.insert(a(1));
    four.insert(a(1));

    Expect.unset(none, Handles.atReceiveContext(0, 2, 8));
    Expect.unset(four, Handles.atReceiveContext(0, 2, 8));
    assertThat(four.lookup(Handles.atReceiveContext(0, 2, 4))).isEqualTo(a(1));
    Expect.invalid(() -> none.remove(Handles.atReceiveContext(0, 1, 1)));
    assertThat(none.size()).isEqualTo(1);
  }

  @Proves("AV-141")
  @ParameterizedTest
  @CsvSource({
    "5, 3, 8, 0300000000000005",
    "5, 1, 1, 8000000000000005",
    "5, 0, 0, 0000000000000005",
    "5, 0, 8, 0000000000000005",
    "0, 255, 8, ff00000000000000",
    "2147483645, 65535, 16, ffff00007ffffffd",
    "7, 2147483647, 31, fffffffe00000007"
  })
  void theIndexGoesIntoTheTopBits(long handle, int index, int bits, String expected) {
    assertThat(Handles.atReceiveContext(handle, index, bits))
        .isEqualTo(Long.parseUnsignedLong(expected, 16));
  }

  @Proves("AV-142")
  @Variants
  void handlesAndIndicesMayBeAddressed(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector =
        variant.open(environment, VectorOptions.defaults().withReceiveContextBits(8));
    long[] fi = variant.insert(vector, variant.list(1, 3)).fi();

    for (int i = 0; i < 3; i++) {
      long handle = variant.hasIndexHandles() ? i : fi[i];
      for (int index : new int[] {0, 1, 255}) {
        assertThat(vector.lookup(Handles.atReceiveContext(handle, index, 8)))
            .isEqualTo(variant.a(i + 1));
      }
    }
  }

  @Proves("AV-144")
  @Test
  void noHandleKeepsTheIndex() {
    assertThat(Handles.atReceiveContext(Handles.NOT_AVAILABLE, 3, 8))
        .isEqualTo(0x03FFFFFFFFFFFFFFL);
    assertThat(Handles.atReceiveContext(Handles.NOT_AVAILABLE, 0, 0)).isEqualTo(-1L);
    for (int bits = 1; bits <= Handles.MAX_RECEIVE_CONTEXT_BITS; bits++) {
      int last = (int) ((1L << bits) - 1);
      assertThat(Handles.atReceiveContext(Handles.NOT_AVAILABLE, last, bits))
          .as("the last of 2^%d indices, all of whose bits are ones", bits)
          .isEqualTo(Handles.NOT_AVAILABLE);
      assertThat(Handles.atReceiveContext(Handles.NOT_AVAILABLE, last - 1, bits))
          .as("the one before")
          .isEqualTo(~(1L << (Long.SIZE - bits)));
    }
  }

  @Proves("AV-145")
  @ParameterizedTest
  @CsvSource({
    "256, 8",
    "1, 0",
    "-1, 8",
    "2, 1",
    "0, -1",
    "0, 32",
    "0, 64",
    "-1, 0",
    "-2147483648, 31",
    "2147483647, 30"
  })
  void whatDoesNotFitIsNoHandle(int index, int bits) {
    assertThat(Handles.atReceiveContext(5, index, bits)).isEqualTo(Handles.NOT_AVAILABLE);
  }

  @Proves("AV-146")
  @Test
  void groupIsSet() {
    assertThat(Handles.inGroup(5, 7)).isEqualTo(0x0000000700000005L);
    assertThat(Handles.inGroup(Handles.inGroup(5, 7), 8)).isEqualTo(0x0000000800000005L);
    assertThat(Handles.inGroup(Handles.inGroup(5, 7), 0)).isEqualTo(5);
    assertThat(Handles.inGroup(Handles.NOT_AVAILABLE, 7)).isEqualTo(Handles.NOT_AVAILABLE);
    assertThat(Handles.inGroup(5, -1)).isEqualTo(0xFFFFFFFF00000005L);
    assertThat((int) Handles.inGroup(1234, 99)).isEqualTo(1234);
  }

  @Proves("AV-147")
  @Test
  void groupsThatWereNotNegotiatedAreRefused(ConformanceEnvironment environment) {
    AddressVector vector = environment.vector();
    vector.insert(list(1, 6));

    assertThat(Handles.inGroup(5, 0)).isEqualTo(5);
    assertThat(vector.lookup(Handles.inGroup(5, 0))).isEqualTo(a(6));
    for (int group : new int[] {1, 7, 65_536, Integer.MAX_VALUE, -1}) {
      Expect.unset(vector, Handles.inGroup(5, group));
    }
  }
}
