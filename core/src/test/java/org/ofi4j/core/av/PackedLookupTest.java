// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static org.assertj.core.api.Assertions.assertThat;
import static org.ofi4j.core.av.VectorFixture.NA;
import static org.ofi4j.core.av.VectorFixture.a;
import static org.ofi4j.core.av.VectorFixture.fails;
import static org.ofi4j.core.av.VectorFixture.open;
import static org.ofi4j.core.av.VectorFixture.packed;
import static org.ofi4j.core.av.VectorFixture.source;
import static org.ofi4j.core.av.VectorFixture.uri;
import static org.ofi4j.core.av.VectorFixture.v6;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/** Lookups into memory and from memory, which take a short way with IPv4 in large enough memory. */
@Tag("AV-139")
@Tag("AV-140")
class PackedLookupTest {
  private static final byte UNTOUCHED = 0x77;

  record Peer(AddressFormat format, FabricAddress address, FabricAddress socketAddress) {}

  static Stream<Peer> peers() {
    TextAddress text = new TextAddress("fi_sockaddr_in://10.1.1.1:5000");
    FabricAddress link = new SocketAddress6(0xfe80L << 48, 1, 5000, 9, 7);
    return Stream.of(
        new Peer(AddressFormat.SOCKADDR_IN6, link, link),
        new Peer(AddressFormat.SOCKADDR_IN, a(1), a(1)),
        new Peer(AddressFormat.SOCKADDR_IP, a(1), a(1)),
        new Peer(AddressFormat.SOCKADDR, a(1), a(1)),
        new Peer(AddressFormat.SOCKADDR, v6(1), v6(1)),
        new Peer(AddressFormat.SOCKADDR_IN6, v6(1), v6(1)),
        new Peer(AddressFormat.STR, text, a(1)));
  }

  @ParameterizedTest
  @MethodSource("peers")
  void memoryOfAnyLengthTakesAsMuchAsFits(Peer peer) {
    CoreAddressVector vector = open(TestInfo.defaults().format(peer.format), VectorOptions.table());
    assertThat(vector.insert(peer.address)).isZero();
    byte[] packed = peer.address.toBytes();
    byte[] socket = peer.socketAddress.toBytes();
    try (Arena arena = Arena.ofConfined()) {
      for (IntFunction<MemorySegment> memory :
          Arrays.<IntFunction<MemorySegment>>asList(
              arena::allocate, size -> MemorySegment.ofArray(new byte[size]))) {
        for (int length = 0; length <= 40; length++) {
          MemorySegment whole = memory.apply(48);
          whole.fill(UNTOUCHED);
          assertThat(vector.lookup(0, whole.asSlice(3, length))).isEqualTo(packed.length);
          check(whole, packed, length);
          whole.fill(UNTOUCHED);
          assertThat(vector.peers().socketAddress(0, whole.asSlice(3, length)))
              .isEqualTo(socket.length);
          check(whole, socket, length);
        }
      }
    }
  }

  private static void check(MemorySegment whole, byte[] address, int length) {
    byte[] expected = new byte[48];
    Arrays.fill(expected, UNTOUCHED);
    System.arraycopy(address, 0, expected, 3, Math.min(length, address.length));
    assertThat(whole.toArray(ValueLayout.JAVA_BYTE)).containsExactly(expected);
  }

  @ParameterizedTest
  @MethodSource("peers")
  void packedAddressesAreFound(Peer peer) {
    CoreAddressVector vector = open(TestInfo.defaults().format(peer.format), VectorOptions.table());
    FabricAddress before = peer.format == AddressFormat.STR ? uriText(9) : other(peer.address);
    assertThat(vector.insert(before)).isZero();
    assertThat(vector.insert(peer.address)).isEqualTo(1);
    assertThat(vector.find(packed(peer.address))).isEqualTo(1);
    assertThat(vector.find(packed(before))).isZero();
    assertThat(source(vector, packed(peer.socketAddress))).isEqualTo(1);
    MessageSource source = new MessageSource();
    assertThat(vector.peers().findSource(packed(peer.socketAddress), source)).isTrue();
    assertThat(source.reported()).isEqualTo(1);
    vector.remove(1);
    assertThat(vector.find(packed(peer.address))).isEqualTo(NA);
    assertThat(vector.peers().findSource(packed(peer.socketAddress), source)).isFalse();
    assertThat(source.isKnown()).isFalse();
  }

  private static FabricAddress other(FabricAddress address) {
    return address.format() == AddressFormat.SOCKADDR_IN6 ? v6(9) : a(9);
  }

  private static FabricAddress uriText(int i) {
    return new TextAddress(a(i).toString());
  }

  @ParameterizedTest
  @EnumSource(names = {"SOCKADDR_IN6", "STR", "PSMX"})
  void ipv4BytesAreNoAddressOfOtherFormats(AddressFormat format) {
    CoreAddressVector vector = open(TestInfo.defaults().format(format), VectorOptions.table());
    if (format == AddressFormat.STR) {
      vector.insert(uriText(1));
    } else if (format == AddressFormat.SOCKADDR_IN6) {
      vector.insert(uri("fi_sockaddr_in6://[::ffff:10.1.1.1]:5000"));
    }
    assertThat(vector.find(packed(a(1)))).isEqualTo(NA);
  }

  @Test
  void memoryThatCannotBeReadIsRefused() {
    CoreAddressVector vector = open(TestInfo.defaults(), VectorOptions.table());
    vector.insert(a(1));
    MemorySegment freed;
    try (Arena arena = Arena.ofConfined()) {
      freed = arena.allocate(16).copyFrom(packed(a(1)));
    }
    fails(Errno.EINVAL, "address is memory that was freed", () -> vector.find(freed));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment mine = arena.allocate(16).copyFrom(packed(a(1)));
      CompletableFuture.runAsync(
              () -> {
                fails(Errno.EINVAL, "belongs to another thread", () -> vector.find(mine));
                fails(Errno.EINVAL, "belongs to another thread", () -> vector.lookup(0, mine));
              })
          .join();
    }
    vector.close();
    fails(Errno.EINVAL, "is closed", () -> vector.find(packed(a(1))));
    fails(Errno.EINVAL, "is closed", () -> vector.lookup(0, packed(a(1))));
  }
}
