// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressFormat;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;

@Tag("AV-076")
class PackedAddressesTest {
  private static final AddressCodec CODEC = AddressCodec.of(AddressFormat.SOCKADDR);
  private static final int SLICE = 64;

  /** Addresses of both families by turns; each holds its position. */
  private static PackedAddresses copy(int count) {
    ByteBuffer all = ByteBuffer.allocate(count / 2 * 44 + 16).order(ByteOrder.nativeOrder());
    for (int i = 0; i < count; i++) {
      boolean ipv4 = i % 2 == 0;
      int at = all.position();
      all.putShort(at, (short) (ipv4 ? 2 : 10)).putShort(at + 2, (short) 0x1234);
      all.putInt(at + (ipv4 ? 4 : 20), Integer.reverseBytes(i + 1));
      all.position(at + (ipv4 ? 16 : 28));
    }
    return PackedAddresses.copyOf(CODEC, MemorySegment.ofArray(all.array()), count);
  }

  private static void check(PackedAddresses addresses, int position, AddressKey key) {
    assertThat(addresses.read(position, key)).isZero();
    long number = position % 2 == 0 ? key.ipv4() >>> 16 : key.word(1) & 0xFFFF_FFFFL;
    if (number != position + 1) {
      assertThat(number).as("address at %d", position).isEqualTo(position + 1L);
    }
  }

  @Test
  @DisplayName("Elements of differing length are found in any order")
  void anyOrder() {
    long seed = Long.getLong("ofi4j.seed", System.nanoTime());
    SplittableRandom random = new SplittableRandom(seed);
    int count = 5_000;
    PackedAddresses addresses = copy(count);
    AddressKey key = new AddressKey();
    for (int i = 0; i < 2000; i++) {
      int position = random.nextInt(20) == 0 ? i % 6 * 1024 % count : random.nextInt(count);
      assertThat(addresses.read(position, key)).as("-Dofi4j.seed=%d", seed).isZero();
      check(addresses, position, key);
    }
  }

  @Test
  @DisplayName("Failures that are put in words slice by slice do not cost the square of the length")
  void wordsWhileReading() {
    int count = 2_000_000;
    PackedAddresses addresses = copy(count);
    AddressKey key = new AddressKey();
    for (int from = 0; from + SLICE <= count; from += SLICE) {
      for (int i = from; i < from + SLICE; i++) {
        check(addresses, i, key);
      }
      assertThat(addresses.text(from)).startsWith("fi_sockaddr_in://");
    }
  }
}
