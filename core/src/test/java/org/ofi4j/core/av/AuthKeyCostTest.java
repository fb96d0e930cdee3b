// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.InsertFlag;
import org.ofi4j.VectorOptions;
import org.ofi4j.core.testing.TestInfo;

/** What entries under authorization keys cost, as docs/keys.md says it. */
class AuthKeyCostTest {
  private static final int MANY = 1_000_000;
  private static final int FEW = 100_000;

  /** Addresses of which none is next to another, each once. */
  private static MemorySegment scattered(boolean ipv6, int count) {
    int size = ipv6 ? 28 : 16;
    MemorySegment all = Arena.ofAuto().allocate((long) size * count);
    for (int i = 0; i < count; i++) {
      long at = (long) size * i;
      // Odd multipliers make another number of each.
      long number = (i + 1) * 0x9E37_79B9_7F4A_7C15L;
      all.set(JAVA_SHORT_UNALIGNED, at + 2, (short) 0x8813);
      if (ipv6) {
        all.set(JAVA_SHORT_UNALIGNED, at, (short) 10);
        all.set(JAVA_BYTE, at + 8, (byte) 0x20);
        all.set(JAVA_LONG_UNALIGNED, at + 16, number);
      } else {
        all.set(JAVA_SHORT_UNALIGNED, at, (short) 2);
        all.set(JAVA_INT_UNALIGNED, at + 4, (i + 1) * 0x9E37_79B1);
      }
    }
    return all;
  }

  private static CoreAddressVector open(boolean ipv6, int count) {
    return VectorFixture.open(
        TestInfo.defaults()
            .format(ipv6 ? AddressFormat.SOCKADDR_IN6 : AddressFormat.SOCKADDR_IN)
            .keysInVector(1),
        VectorOptions.table().withCount(count));
  }

  private static long insert(
      AddressVector vector, MemorySegment addresses, MemorySegment handles, boolean keyed) {
    long key = vector.insertAuthKey(new byte[AddressVector.AUTH_KEY_SIZE]);
    int count = (int) (handles.byteSize() / Long.BYTES);
    Arrays.fill((long[]) handles.heapBase().orElseThrow(), key);
    long begun = System.nanoTime();
    int inserted =
        vector.insert(
            addresses, count, handles, null, keyed ? InsertFlag.AUTH_KEY.mask() : 0, null);
    long taken = System.nanoTime() - begun;
    assertThat(inserted).isEqualTo(count);
    return taken;
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  @DisplayName("Memory for each entry, with its way back from address and key")
  void memory(boolean ipv6) {
    MemorySegment handles = MemorySegment.ofArray(new long[FEW]);
    MemorySegment addresses = scattered(ipv6, FEW);
    try (CoreAddressVector plain = open(ipv6, FEW);
        CoreAddressVector keyed = open(ipv6, FEW)) {
      insert(plain, addresses, handles, false);
      insert(keyed, addresses, handles, true);
      assertThat(plain.statistics().memory().heldPerPeer(FEW)).isLessThan(ipv6 ? 41 : 17);
      assertThat(keyed.statistics().memory().heldPerPeer(FEW))
          .isBetween(ipv6 ? 76.0 : 60.0, ipv6 ? 82.0 : 66.0);
    }
  }

  /** Prints the figures of the page; of fewer entries with {@code -Dofi4j.entries}. */
  @Test
  @Tag("long")
  void figures() {
    int many = Integer.getInteger("ofi4j.entries", MANY);
    for (boolean ipv6 : new boolean[] {false, true}) {
      for (boolean keyed : new boolean[] {false, true}) {
        MemorySegment handles = MemorySegment.ofArray(new long[many]);
        MemorySegment addresses = scattered(ipv6, many);
        long[] taken = new long[9];
        double held = 0;
        double live = 0;
        for (int i = 0; i < taken.length; i++) {
          try (CoreAddressVector vector = open(ipv6, many)) {
            taken[i] = insert(vector, addresses, handles, keyed);
            held = vector.statistics().memory().heldPerPeer(many);
            live = vector.statistics().memory().livePerPeer(many);
          }
        }
        Arrays.sort(taken);
        System.out.printf(
            "IPv%d %s: median %d, least %d ns for each insertion; %.1f bytes held, %.1f live%n",
            ipv6 ? 6 : 4,
            keyed ? "under a key" : "without key",
            taken[taken.length / 2] / many,
            taken[0] / many,
            held,
            live);
      }
    }
  }
}
