// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.Capability;
import org.ofi4j.Domain;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.InsertOptions;
import org.ofi4j.Insertion;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorType;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.AsyncVector;
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

  private static void expectFreeBits(AddressVector vector, int bits, LongStream handles) {
    assertThat(handles).isNotEmpty().allMatch(handle -> handle >>> (Long.SIZE - bits) == 0);
    for (long handle : vector.handles().limit(300).toArray()) {
      FabricAddress address = vector.lookup(handle);
      for (int index : new int[] {1, (int) ((1L << bits) - 1)}) {
        // The bits are those of the receive context alone: the handle works with any of them.
        Expect.address(vector, Handles.atReceiveContext(handle, index, bits), address);
      }
    }
  }

  /**
   * All calls that return handles, of a vector with so many entries that several pages hold them.
   */
  @Proves("AV-032")
  @EachProfile
  void everyCallKeepsTheTopBitsFree(Setup setup, ConformanceEnvironment environment) {
    for (VectorType type : List.of(VectorType.TABLE, VectorType.MAP)) {
      for (int bits : new int[] {1, 8, 16, 28}) {
        VectorOptions options =
            VectorOptions.defaults().withType(type).withReceiveContextBits(bits);
        AddressVector vector = environment.vector(setup, options);
        AsyncVector async = environment.asyncVector(setup, options);
        LongStream.Builder handles = LongStream.builder();
        for (InsertCall call : InsertCall.values()) {
          handles.add(call.insert(vector, 0, null).fi(0));
          Inserted later = call.insert(async.vector(), 0, null);
          async.events().untilCompletion();
          handles.add(later.fi(0));
        }
        handles.add(vector.find(a(1)));
        handles.add(vector.handleAt(0));
        Insertion range = vector.insertSymmetric("10.7.1.1", 20, "5000", 500);
        Expect.room(range);
        LongStream.of(range.handles()).forEach(handles);

        expectFreeBits(vector, bits, handles.build());
        expectFreeBits(vector, bits, vector.handles());
        expectFreeBits(async.vector(), bits, async.vector().handles());
      }
    }
  }

  @Proves("AV-032")
  @ParameterizedTest
  @EnumSource(names = {"TABLE", "MAP"})
  void handlesOfKeysKeepTheTopBitsFree(VectorType type, ConformanceEnvironment environment) {
    for (ApiVersion version : List.of(ApiVersion.V1_20, ApiVersion.V2_1)) {
      for (int bits : new int[] {1, 8, 16, 28}) {
        AddressVector vector =
            environment.vector(
                environment.domain(Setup.of(version).hintsForKeys()),
                VectorOptions.defaults().withType(type).withReceiveContextBits(bits));
        long key = vector.insertAuthKey(AuthKeyTests.key(1));
        InsertOptions under = InsertOptions.none().withAuthKeys(key);
        long entry = vector.insert(List.of(a(1)), under).orThrow().handle(0);

        assertThat(LongStream.of(key, entry, vector.find(a(1), key)))
            .allMatch(handle -> handle >>> (Long.SIZE - bits) == 0);
      }
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
