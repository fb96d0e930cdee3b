// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.benchmarks.vector;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongUnaryOperator;
import org.ofi4j.benchmarks.figure.AddressPattern;
import org.ofi4j.benchmarks.figure.Family;
import org.ofi4j.benchmarks.figure.Mixing;

/**
 * Packed addresses, prepared before anything is timed. Both sides get the same bytes: ofi4j the
 * segment, libfabric's process a file.
 *
 * @param family which addresses
 * @param packed the addresses, one behind the other
 * @param count how many
 */
public record AddressList(Family family, MemorySegment packed, int count) {
  private static final ValueLayout.OfShort PORT =
      ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt NODE =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong HALF =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final long NETWORK = 0x2001_0DB8_0000_0000L;

  /** Room for that many, not yet filled. */
  public static AddressList allocate(Arena arena, Family family, int count) {
    return new AddressList(family, arena.allocate((long) count * family.length(), 64), count);
  }

  /** A list with the addresses of a pattern. */
  static AddressList of(Arena arena, AddressPattern pattern, Family family, int count) {
    return part(arena, pattern, family, 0, count);
  }

  /** A list with {@code count} addresses from position {@code first} of a pattern. */
  static AddressList part(
      Arena arena, AddressPattern pattern, Family family, long first, int count) {
    AddressList list = allocate(arena, family, count);
    list.fill(Filler.of(pattern, family), first);
    return list;
  }

  /** Takes the addresses from position {@code first} of a pattern. */
  public void fill(Filler filler, long first) {
    for (int i = 0; i < count; i++) {
      filler.write(first + i, packed, (long) i * family.length());
    }
  }

  /** The same addresses in another order. */
  AddressList inOrder(Arena arena, int[] order) {
    AddressList list = allocate(arena, family, order.length);
    int length = family.length();
    for (int i = 0; i < order.length; i++) {
      MemorySegment.copy(packed, (long) order[i] * length, list.packed, (long) i * length, length);
    }
    return list;
  }

  /** One address. */
  MemorySegment at(int position) {
    return packed.asSlice((long) position * family.length(), family.length());
  }

  /** The sum that looking up all of them must give: of the first two longs of each. */
  public long sum() {
    long sum = 0;
    for (int i = 0; i < count; i++) {
      long offset = (long) i * family.length();
      sum += packed.get(ValueLayout.JAVA_LONG_UNALIGNED, offset);
      sum += packed.get(ValueLayout.JAVA_LONG_UNALIGNED, offset + 8);
    }
    return sum;
  }

  /** Writes the bytes to a file. */
  void writeTo(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file,
            StandardOpenOption.CREATE,
            StandardOpenOption.WRITE,
            StandardOpenOption.TRUNCATE_EXISTING)) {
      var bytes = packed.asByteBuffer();
      while (bytes.hasRemaining()) {
        channel.write(bytes);
      }
    }
  }

  /** Writes the address at a position of a pattern. */
  public interface Filler {
    void write(long position, MemorySegment packed, long offset);

    static Filler of(AddressPattern pattern, Family family) {
      if (family == Family.IPV4) {
        return ipv4(pattern::key);
      }
      return switch (pattern) {
        case SCATTERED ->
            (position, packed, offset) ->
                writeIpv6(
                    NETWORK | Integer.toUnsignedLong(Mixing.mix((int) position + 1)),
                    Mixing.mix(position + 1),
                    packed,
                    offset);
        case CONSECUTIVE ->
            (position, packed, offset) -> writeIpv6(NETWORK, 1 + position, packed, offset);
      };
    }

    /** IPv4 addresses with those keys at their positions. */
    static Filler ipv4(LongUnaryOperator keys) {
      return (position, packed, offset) -> writeIpv4(keys.applyAsLong(position), packed, offset);
    }

    /** struct sockaddr_in: family in the order of the host, port and node in network's. */
    private static void writeIpv4(long key, MemorySegment packed, long offset) {
      packed.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, (short) 2);
      packed.set(PORT, offset + 2, (short) key);
      packed.set(NODE, offset + 4, (int) (key >>> 16));
      packed.set(ValueLayout.JAVA_LONG_UNALIGNED, offset + 8, 0L);
    }

    /** struct sockaddr_in6: the same, then flow, 16 bytes of the node, scope. */
    private static void writeIpv6(long high, long low, MemorySegment packed, long offset) {
      packed.set(ValueLayout.JAVA_SHORT_UNALIGNED, offset, (short) 10);
      packed.set(PORT, offset + 2, (short) 5000);
      packed.set(NODE, offset + 4, 0);
      packed.set(HALF, offset + 8, high);
      packed.set(HALF, offset + 16, low);
      packed.set(NODE, offset + 24, 0);
    }
  }
}
