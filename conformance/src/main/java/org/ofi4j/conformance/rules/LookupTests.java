// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.rules;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.Handles;
import org.ofi4j.VectorOptions;
import org.ofi4j.conformance.harness.AddressTests;
import org.ofi4j.conformance.harness.Addresses;
import org.ofi4j.conformance.harness.ConformanceEnvironment;
import org.ofi4j.conformance.harness.ConformanceTest;
import org.ofi4j.conformance.harness.EachProfile;
import org.ofi4j.conformance.harness.Expect;
import org.ofi4j.conformance.harness.InsertForm;
import org.ofi4j.conformance.harness.Proves;
import org.ofi4j.conformance.harness.Setup;
import org.ofi4j.conformance.harness.Variant;
import org.ofi4j.conformance.harness.Variants;

/** LKP: {@code fi_av_lookup}, and the handles that it refuses. */
@ConformanceTest
class LookupTests extends AddressTests {
  private static byte[] lookup(AddressVector vector, long handle, int capacity) {
    byte[] bytes = new byte[capacity + 8];
    Arrays.fill(bytes, (byte) 0x55);
    vector.lookup(handle, MemorySegment.ofArray(bytes).asSlice(0, capacity));
    return bytes;
  }

  @Proves({"AV-136", "AV-137", "AV-208"})
  @Variants
  void theStoredAddressComesBack(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    List<FabricAddress> list = variant.list(1, 20);
    long[] fi = variant.insert(vector, list).fi();

    Expect.entries(vector, fi, list);
  }

  @Proves({"AV-136", "AV-137"})
  @Variants(formats = {AddressFormat.SOCKADDR_IN6, AddressFormat.SOCKADDR, AddressFormat.STR})
  void everyPartIsKept(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    FabricAddress address =
        variant.format() == AddressFormat.STR
            ? new TextAddress("FI_Sockaddr_in6://[FE80::6:12]:7471?spelling=kept")
            : new SocketAddress6(0xFE80000000000000L, 0x60012L, 7471, 0x01020304, 3);

    long handle = variant.insert(vector, address).fi(0);

    Expect.address(vector, handle, address);
  }

  @Proves({"AV-136", "AV-178"})
  @Variants(
      forms = InsertForm.PACKED,
      formats = {AddressFormat.SOCKADDR_IN, AddressFormat.STR})
  void paddingIsNotKept(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    byte[] address = Addresses.pack(variant.a(1));
    // That of IPv4 addresses is within them, that of text behind its end.
    int end = variant.format() == AddressFormat.STR ? address.length : 8;
    byte[] bytes = Arrays.copyOf(address, end + 8);
    Arrays.fill(bytes, end, bytes.length, (byte) -1);
    MemorySegment packed = MemorySegment.ofArray(bytes);
    long[] fi = new long[1];

    assertThat(vector.insert(packed, 1, MemorySegment.ofArray(fi), null, 0, null)).isEqualTo(1);

    assertThat(lookup(vector, fi[0], address.length)).startsWith(address);
    assertThat(vector.find(variant.a(1))).isEqualTo(fi[0]);
    assertThat(vector.find(packed)).isEqualTo(fi[0]);
  }

  @Proves({"AV-136", "AV-223"})
  @Variants
  void unsetHandlesAreRefused(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    int count = 5;
    long[] fi = variant.insert(vector, variant.list(1, count)).fi();
    vector.remove(fi[0]);
    MemorySegment buffer = MemorySegment.ofArray(new byte[64]);
    long[] bad =
        variant.hasIndexHandles()
            ? new long[] {
              fi[0],
              count,
              count + 32,
              1L << 20,
              Integer.MAX_VALUE,
              1L << 31,
              1L << 32,
              Long.MAX_VALUE,
              Long.MIN_VALUE,
              Handles.NOT_AVAILABLE,
              fi[1] | 1L << 40
            }
            : new long[] {fi[0], Handles.NOT_AVAILABLE, fi[1] ^ 1L << 50, fi[1] + 7};

    for (long handle : bad) {
      Expect.invalid(() -> vector.lookup(handle));
      Expect.invalid(() -> vector.lookup(handle, buffer));
      Expect.invalid(() -> vector.lookup(handle, buffer, 0, null));
      Expect.invalid(() -> vector.remove(handle));
    }

    assertThat(buffer.toArray(ValueLayout.JAVA_BYTE)).containsOnly(0);
    assertThat(vector.size()).isEqualTo(count - 1);
  }

  @Proves({"AV-136", "AV-223"})
  @EachProfile
  void anEmptyVectorHasNothing(Setup setup, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(setup, VectorOptions.table().withCount(100));

    for (long handle : new long[] {0, 1, 99, 100, -1}) {
      Expect.unset(vector, handle);
      Expect.invalid(() -> vector.handleAt(handle));
    }
  }

  @Proves({"AV-138", "AV-139", "AV-140", "AV-011"})
  @Variants
  void shortBuffersAreFilledAsFarAsTheyGo(Variant variant, ConformanceEnvironment environment) {
    AddressVector vector = variant.open(environment);
    long handle = variant.insert(vector, variant.a(1)).fi(0);

    Expect.fillsBuffers(Addresses.pack(variant.a(1)), buffer -> vector.lookup(handle, buffer));
  }

  @Proves("AV-139")
  @ParameterizedTest
  @CsvSource({"SOCKADDR_IN, 02001388", "STR, 66695f73"}) // family and port, or "fi_s"
  void fourBytesAreTheFirstOnes(
      AddressFormat format, String expected, ConformanceEnvironment environment) {
    AddressVector vector = environment.vector(Setup.DEFAULT.format(format));
    vector.insert(Addresses.a(format, 1));

    byte[] got = lookup(vector, 0, 4);

    assertThat(HexFormat.of().formatHex(got)).isEqualTo(expected + "5555555555555555");
  }

  @Proves(partly = {"AV-136", "AV-143"})
  @Test
  void receiveContextsAreLookedPast(ConformanceEnvironment environment) {
    AddressVector vector =
        environment.vector(Setup.DEFAULT, VectorOptions.table().withReceiveContextBits(8));
    vector.insert(List.of(a(1), a(2)));

    assertThat(vector.lookup(Handles.atReceiveContext(1, 200, 8))).isEqualTo(a(2));
    Expect.unset(vector, Handles.atReceiveContext(1, 1, 9));
    vector.remove(Handles.atReceiveContext(1, 3, 8));
    Expect.unset(vector, 1);
    assertThat(vector.lookup(0)).isEqualTo(a(1));
  }
}
