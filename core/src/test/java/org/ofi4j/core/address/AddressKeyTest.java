// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;

/** Canonical addresses: records, copies and hashes. */
class AddressKeyTest {
  static List<FabricAddress> oneOfEachKind() {
    return List.of(
        new SocketAddress4(0xFFFF_FFFF, 0xFFFF),
        new SocketAddress6(-1, -2, 0xFFFF, -3, -4),
        FabricAddress.parse("fi_sockaddr_ib://[fe80::1]:0x8001:0x13f:0x5:7471"),
        FabricAddress.parse("fi_addr_psmx3://1:2:3:4"),
        new TextAddress("fi_sockaddr_in6://[fe80::1]:5000?käse"),
        new ProviderAddress(AddressFormat.GNI, new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9}));
  }

  private static AddressKey keyOf(FabricAddress address) {
    AddressKey key = new AddressKey();
    assertThat(AddressCodec.of(address.format()).read(address, key)).isZero();
    return key;
  }

  @ParameterizedTest
  @MethodSource("oneOfEachKind")
  @DisplayName("A record gives back the same address")
  void recordsRoundTrip(FabricAddress address) {
    AddressKey key = keyOf(address);
    MemorySegment memory = MemorySegment.ofArray(new byte[8 + key.recordSize() + 8]);
    memory.fill((byte) 0x55);
    key.writeRecord(memory, 8);

    assertThat(memory.get(PackedWords.WORD, 0)).isEqualTo(0x5555_5555_5555_5555L);
    assertThat(memory.get(PackedWords.WORD, memory.byteSize() - 8))
        .isEqualTo(0x5555_5555_5555_5555L);
    assertThat(key.matchesRecord(memory, 8)).isTrue();

    AddressKey back = new AddressKey();
    assertThat(back.readRecord(memory, 8)).isTrue();
    assertThat(back.kind()).isEqualTo(key.kind());
    assertThat(back.sameAddress(key)).isTrue();
    assertThat(back.hash(7)).isEqualTo(key.hash(7));
    assertThat(AddressCodec.of(address.format()).toValue(back)).isEqualTo(address);
  }

  @Test
  @DisplayName("Different addresses have records that do not match")
  void recordsTellApart() {
    List<FabricAddress> addresses = oneOfEachKind();
    for (FabricAddress one : addresses) {
      AddressKey key = keyOf(one);
      MemorySegment memory = MemorySegment.ofArray(new byte[key.recordSize()]);
      key.writeRecord(memory, 0);
      for (FabricAddress other : addresses) {
        assertThat(keyOf(other).matchesRecord(memory, 0))
            .as("%s and %s", one, other)
            .isEqualTo(one.equals(other));
      }
    }
    AddressKey shorter = keyOf(new ProviderAddress(AddressFormat.GNI, new byte[] {1, 2}));
    AddressKey longer = keyOf(new ProviderAddress(AddressFormat.GNI, new byte[] {1, 2, 0}));
    MemorySegment memory = MemorySegment.ofArray(new byte[shorter.recordSize()]);
    shorter.writeRecord(memory, 0);
    assertThat(longer.matchesRecord(memory, 0)).isFalse();
    assertThat(longer.sameAddress(shorter)).isFalse();
  }

  @Test
  @DisplayName("Bytes that are no record are recognised or read within their bounds")
  void survivesGarbage() {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    Random random = new Random(seed);
    AddressKey key = new AddressKey();
    int refused = 0;
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(80)];
      random.nextBytes(bytes);
      if (bytes.length > 4 && random.nextBoolean()) {
        bytes[0] = (byte) random.nextInt(8);
        bytes[2] = (byte) random.nextInt(10);
        bytes[3] = (byte) random.nextInt(10);
        Arrays.fill(bytes, 4, Math.min(8, bytes.length), (byte) 0);
      }
      if (!key.readRecord(MemorySegment.ofArray(bytes), 0)) {
        refused++;
        assertThat(key.kind()).as("-Dofi4j.seed=%d", seed).isEqualTo(AddressKey.Kind.EMPTY);
      } else {
        assertThat(key.recordSize())
            .as("-Dofi4j.seed=%d", seed)
            .isLessThanOrEqualTo(bytes.length + 7);
      }
    }
    assertThat(refused).as("-Dofi4j.seed=%d", seed).isBetween(5_000, 19_999);
    assertThat(key.readRecord(MemorySegment.ofArray(new byte[8]), 8)).isFalse();
    assertThat(key.readRecord(MemorySegment.ofArray(new byte[8]), -1)).isFalse();
  }

  @Test
  @DisplayName("Hashes of consecutive addresses and ports spread like random numbers")
  void hashesSpread() {
    int size = 1 << 16;
    long[] byAddress = new long[size];
    long[] byPort = new long[size];
    long[] ipv6 = new long[size];
    AddressKey key = new AddressKey();
    for (int i = 0; i < size; i++) {
      byAddress[i] = AddressKey.hashIpv4((0x0A00_0000L + i) << 16 | 5000, 0);
      byPort[i] = AddressKey.hashIpv4(0x0A00_0000L << 16 | i, 77);
      key.setIpv6(0x2001_0DB8_0000_0000L, i, 5000, 0, 0);
      ipv6[i] = key.hash(42);
    }
    for (long[] hashes : List.of(byAddress, byPort, ipv6)) {
      for (int shift : new int[] {0, 16, 32, 48}) {
        boolean[] used = new boolean[size];
        int distinct = 0;
        for (long hash : hashes) {
          int bucket = (int) (hash >>> shift) & size - 1;
          distinct += used[bucket] ? 0 : 1;
          used[bucket] = true;
        }
        // Random numbers fill 1 - 1/e of the buckets, 41427 here, give or take 0.1 percent.
        assertThat(distinct).isBetween(41_000, 41_900);
      }
    }
  }
}
