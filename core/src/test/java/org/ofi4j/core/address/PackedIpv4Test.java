// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;

/** The short way from and to packed IPv4 addresses says what the codec says. */
class PackedIpv4Test {
  private static final AddressCodec CODEC = AddressCodec.of(AddressFormat.SOCKADDR_IN);

  @Test
  void readsAndWritesAsTheCodecDoes() {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    Random random = new Random(seed);
    AddressKey key = new AddressKey();
    for (int i = 0; i < 10_000; i++) {
      SocketAddress4 address =
          new SocketAddress4(random.nextInt() >> random.nextInt(32), random.nextInt(1 << 16));
      byte[] bytes = new byte[40];
      random.nextBytes(bytes);
      MemorySegment packed = MemorySegment.ofArray(bytes);
      MemorySegment.copy(MemorySegment.ofArray(address.toBytes()), 0, packed, 5, PackedIpv4.SIZE);
      boolean usable = CODEC.read(packed, 5, key) == 0;
      long word = PackedIpv4.read(packed, 5);
      assertThat(word).as("%s, -Dofi4j.seed=%d", address, seed).isEqualTo(key.ipv4());
      assertThat(AddressKey.isUsableIpv4(word))
          .as("%s, -Dofi4j.seed=%d", address, seed)
          .isEqualTo(usable);
      PackedIpv4.write(word, packed.asSlice(12));
      assertThat(
              packed
                  .asSlice(12, PackedIpv4.SIZE)
                  .mismatch(MemorySegment.ofArray(address.toBytes())))
          .as("%s, -Dofi4j.seed=%d", address, seed)
          .isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @CsvSource({"0.0.0.0, 0", "0.0.0.0, 5000", "10.0.0.1, 0"})
  void neitherAnyAddressNorPortZeroIsUsable(String node, int port) {
    MemorySegment packed =
        MemorySegment.ofArray(
            FabricAddress.parse("fi_sockaddr_in://" + node + ":" + port).toBytes());
    assertThat(AddressKey.isUsableIpv4(PackedIpv4.read(packed, 0))).isFalse();
  }

  @Test
  void otherFamiliesAreNoAddress() {
    MemorySegment packed = MemorySegment.ofArray(new SocketAddress4(0x0A000001, 5000).toBytes());
    for (int i = 0; i < 2; i++) {
      for (int family = 0; family < 256; family++) {
        MemorySegment other = MemorySegment.ofArray(new byte[PackedIpv4.SIZE]).copyFrom(packed);
        other.set(ValueLayout.JAVA_BYTE, i, (byte) family);
        boolean same = other.mismatch(packed) == -1;
        assertThat(PackedIpv4.read(other, 0) >= 0).isEqualTo(same);
        assertThat(AddressKey.isUsableIpv4(PackedIpv4.read(other, 0))).isEqualTo(same);
      }
    }
  }

  @Test
  void noByteBeyondTheMemoryIsTouched() {
    MemorySegment short15 = MemorySegment.ofArray(new byte[15]);
    assertThatThrownBy(() -> PackedIpv4.write(1L << 16 | 1, short15))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
