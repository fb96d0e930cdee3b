// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.ApiVersion;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.Handles;
import org.ofi4j.InsertFlag;
import org.ofi4j.InsertOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Inserted;
import org.ofi4j.conformance.harness.Peer;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** EXT: what came after the editions of the man page that count. */
@ConformanceTest
class ExtensionTests extends AddressTests {
  private static final int FAMILY_IB = 27;
  private static final long FI_XPU = 1L << 44;

  static List<Setup> olderThanFirewalls() {
    return List.of(
        Setup.of(ApiVersion.V1_0),
        Setup.of(ApiVersion.V1_15),
        Setup.of(ApiVersion.V1_20),
        Setup.of(ApiVersion.V2_0),
        Setup.of(ApiVersion.V2_1));
  }

  @Proves("AV-222")
  @ParameterizedTest
  @MethodSource("olderThanFirewalls")
  void firewallFlagIsUnknownBeforeVersion22(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup);
    long flag = InsertFlag.FIREWALL_ADDRESS.mask();

    for (InsertCall call : InsertCall.values()) {
      Expect.failure(Errno.EBADFLAGS, () -> call.insert(vector, flag, null));
    }
    assertThat(vector.size()).isZero();
  }

  @Proves("AV-222")
  @ParameterizedTest
  @EnumSource(names = {"PACKED", "COLLECTION"})
  void firewallFlagIsTakenFromVersion22On(InsertForm form, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.of(ApiVersion.V2_2));
    InsertOptions options = InsertOptions.of(InsertFlag.FIREWALL_ADDRESS);

    Inserted inserted =
        form.insert(
            vector, List.of(a(1), bad(), a(2)), InsertFlag.FIREWALL_ADDRESS.mask(), null, null);
    assertThat(inserted.fi()).containsExactly(0, Handles.NOT_AVAILABLE, 1);
    assertThat(vector.insertService("10.1.1.3", "5000", options).handle(0)).isEqualTo(2);
    assertThat(vector.insertSymmetric("10.1.1.4", 2, "5000", 1, options).handles())
        .containsExactly(3, 4);
    Expect.entries(vector, list(1, 5));
  }

  @Proves("AV-222")
  @ParameterizedTest
  @EnumSource(names = {"DGRAM", "RDM"})
  void firewalledPeerHasToConnectFirst(EndpointType type, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.of(ApiVersion.V2_2).endpointType(type));
    Peer here = environment.peer(vector);
    Peer there = environment.peer(vector);
    long firewalled =
        vector
            .insert(List.of(there.name()), InsertOptions.of(InsertFlag.FIREWALL_ADDRESS))
            .orThrow()
            .handle(0);

    if (type == EndpointType.DGRAM) { // Datagrams need no connection, so there is nothing to bar.
      here.exchange(firewalled, there);
    } else {
      assertThat(sendFailure(here, firewalled)).isEqualTo(Errno.EFIREWALLADDR);
    }
  }

  /** Why a send fails, be it at once or later. */
  private static Errno sendFailure(Peer sender, long destination) {
    try {
      sender.endpoint().send(Peer.message("nobody"), destination, "context");
    } catch (FabricException refused) {
      return refused.errno();
    }
    return sender.nextFailure().errno();
  }

  @Proves("AV-223")
  @Variants
  void handleOfNobodyIsRefused(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long[] fi = variant.insert(vector, variant.list(1, 4)).fi();
    long last = Arrays.stream(fi).max().orElseThrow();
    long step = variant.hasIndexHandles() ? 1 : 16;

    for (long unset :
        new long[] {
          last + step, last + 32 * step, -1L, -2L, Long.MAX_VALUE, Long.MIN_VALUE, 0x7fff_ffffL
        }) {
      Expect.unset(vector, unset);
      Expect.invalid(() -> vector.lookup(unset, MemorySegment.ofArray(new byte[64])));
      Expect.invalid(() -> vector.remove(unset));
    }
    assertThat(vector.size()).isEqualTo(4);

    vector.remove(fi[1]);
    Expect.unset(vector, fi[1]);
    Expect.invalid(() -> vector.remove(fi[1]));
    Expect.invalid(() -> vector.remove(new long[] {fi[0], fi[1], fi[2]}));
    Expect.unset(vector, fi[0]);
    Expect.unset(vector, fi[2]);
    Expect.address(vector, fi[3], variant.a(4));
    assertThat(vector.size()).isEqualTo(1);
  }

  @Proves("AV-224")
  @ParameterizedTest
  @EnumSource
  void internetAddressesOfBothFamilies(InsertForm form, ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(Setup.of(ApiVersion.V2_3).format(AddressFormat.SOCKADDR_IP));
    byte[] infiniband = new byte[48];
    infiniband[0] = FAMILY_IB;
    infiniband[47] = 1;
    FabricAddress stranger =
        new FabricAddress.ProviderAddress(AddressFormat.SOCKADDR_IB, infiniband);

    Inserted inserted = form.insert(vector, List.of(a(1), Addresses.ipv6(2), a(3), stranger));

    assertThat(inserted.result()).isEqualTo(3);
    assertThat(inserted.fi()).containsExactly(0, 1, 2, Handles.NOT_AVAILABLE);
    assertThat(inserted.st()).containsExactly(0, 0, 0, Errno.EINVAL.number());
    Expect.entries(vector, List.of(a(1), Addresses.ipv6(2), a(3)));
    assertThat(vector.find(Addresses.ipv6(2))).isEqualTo(1);
  }

  @Proves("AV-224")
  @Test
  void internetFormatCameWithVersion23(ConformanceEnvironment environment) {
    Setup setup = Setup.of(ApiVersion.V2_3).format(AddressFormat.SOCKADDR_IP);
    environment.info(setup);
    Setup older = Setup.of(ApiVersion.V2_2).format(AddressFormat.SOCKADDR_IP);

    assertThat(environment.answer(older.hints()).offers()).isEmpty();
    assertThat(environment.answer(older.hints()).refusals()).isNotEmpty();
  }

  @Proves("AV-225")
  @Variants
  void lookupWithoutOptionsIsLookup(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long handle = variant.insert(vector, variant.a(1)).fi(0);
    byte[] packed = Addresses.pack(variant.a(1));

    for (int capacity : new int[] {0, 4, packed.length, packed.length + 5}) {
      byte[] one = new byte[capacity];
      byte[] two = new byte[capacity];
      int needed = vector.lookup(handle, MemorySegment.ofArray(one));
      assertThat(vector.lookup(handle, MemorySegment.ofArray(two), 0, null))
          .isEqualTo(needed)
          .isEqualTo(packed.length);
      assertThat(two).isEqualTo(one);
    }
    MemorySegment buffer = MemorySegment.ofArray(new byte[64]);
    Expect.failure(Errno.ENOSYS, () -> vector.lookup(handle, buffer, FI_XPU, null));
    for (long unknown : new long[] {1, 1L << 3, FI_XPU | 1, -1}) {
      Expect.invalid(() -> vector.lookup(handle, buffer, unknown, null));
    }
    Expect.invalid(() -> vector.lookup(-1L, buffer, 0, null));
  }
}
