// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.Handles;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** RXB: the attribute {@code rx_ctx_bits}, as far as plain endpoints show it. */
@ConformanceTest
class ReceiveContextBitsTests extends AddressTests {
  @Proves(partly = "AV-031")
  @Variants
  void plainEndpointsNeedNone(Variant variant, ConformanceEnvironment environment) {
    AddressVector none = variant.open(environment);
    AddressVector some =
        variant.open(environment, VectorOptions.defaults().withReceiveContextBits(4));

    long[] fi = variant.insert(none, variant.list(1, 3)).fi();

    assertThat(none.options().receiveContextBits()).isZero();
    assertThat(some.options().receiveContextBits()).isEqualTo(4);
    assertThat(variant.insert(some, variant.list(1, 3)).fi()).isEqualTo(fi);
    Expect.entries(some, fi, variant.list(1, 3));
  }

  @Proves("AV-032")
  @Variants
  void topBitsOfEveryHandleAreZero(Variant variant, ConformanceEnvironment environment) {
    Domain domain = environment.domain(variant.setup());
    // Opaque handles take 35 bits of their own, which leaves 29.
    int most = variant.hasIndexHandles() ? Handles.MAX_RECEIVE_CONTEXT_BITS : 29;
    for (int bits = 1; bits <= most; bits++) {
      AddressVector vector =
          environment.vector(
              domain,
              VectorOptions.defaults().withType(variant.type()).withReceiveContextBits(bits));

      long[] fi = variant.insert(vector, variant.list(1, 40)).fi();

      int shift = Long.SIZE - bits;
      assertThat(LongStream.of(fi))
          .as("%d bits kept free", bits)
          .allMatch(handle -> handle >>> shift == 0);
      Expect.address(vector, fi[39], variant.a(40));
      vector.close();
    }
  }

  @Proves(partly = "AV-033")
  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -1, 32, 33, 64, Integer.MAX_VALUE})
  void bitsOutOfRangeAreRefused(int bits, ConformanceEnvironment environment) {
    Domain domain = environment.domain(Setup.DEFAULT);

    Expect.invalid(
        () -> domain.openAddressVector(VectorOptions.table().withReceiveContextBits(bits)));
    environment.vector(domain, VectorOptions.table().withReceiveContextBits(31));
  }

  @Proves(partly = "AV-034")
  @Test
  void receiveIndexNeedsItsCapability(ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(Setup.DEFAULT, VectorOptions.table().withReceiveContextBits(8));
    Assumptions.assumeFalse(
        vector.domain().info().has(Capability.NAMED_RECEIVE_CONTEXT),
        "granted without being asked for");
    vector.insert(List.of(a(1)));
    Peer here = environment.peer(vector);
    Peer there = environment.peer(vector);
    long handle = here.insert(there);

    Expect.invalid(() ->
        here.endpoint()
            .send(Peer.message("nobody"), Handles.atReceiveContext(handle, 2, 8), "context"));
    here.exchange(Handles.atReceiveContext(handle, 0, 8), there);
  }
}
