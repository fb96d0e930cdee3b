// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.conformance.harness;

import java.io.ByteArrayOutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;

/**
 * Addresses in the notation of the rules, and their packed form, worked out here once more so that
 * the code under test is not its own judge.
 *
 * <pre>
 *   sockaddr_in   family 2 (host order) | port (big endian) | IPv4 address | 8 zero bytes
 *   sockaddr_in6  family 10 (host order) | port (big endian) | flow info | IPv6 address | scope id
 * </pre>
 */
public final class Addresses {
  /** The port of {@code A(i)}. */
  public static final int PORT = 5000;

  private static final int FAMILY_IPV4 = 2;
  private static final int FAMILY_IPV6 = 10;

  private Addresses() {}

  /** Whether there are addresses of a format here. */
  static boolean areIn(AddressFormat format) {
    return switch (format) {
      case SOCKADDR_IN, SOCKADDR_IN6, SOCKADDR, SOCKADDR_IP, STR -> true;
      default -> false;
    };
  }

  /**
   * {@code A(i)}: 10.1.1.i port 5000, where numbers above 255 go on in the third octet, or the same
   * as text; {@link #ipv6} of SOCKADDR_IN6, and for every third of SOCKADDR and SOCKADDR_IP.
   */
  public static FabricAddress a(AddressFormat format, int i) {
    boolean six =
        switch (format) {
          case SOCKADDR_IN6 -> true;
          case SOCKADDR, SOCKADDR_IP -> i % 3 == 0;
          default -> false;
        };
    return six ? ipv6(i) : ipv4(format, 0x0a01_0100 + i, PORT);
  }

  /** {@code A(from)} to {@code A(to)}, both included. */
  public static List<FabricAddress> list(AddressFormat format, int from, int to) {
    return IntStream.rangeClosed(from, to).mapToObj(i -> a(format, i)).toList();
  }

  /**
   * IPv4 addresses that follow from each other in no way, so that a vector has to keep each by
   * itself.
   *
   * @param from the number of the first; different numbers have different addresses
   */
  public static List<FabricAddress> scattered(AddressFormat format, int from, int count) {
    return IntStream.range(from, from + count)
        .map(i -> i * 0x9E37_79B1) // odd, so that no two are the same
        .mapToObj(number -> ipv4(format, 0x0a00_0000 | (number >>> 8), 1000 + (number & 0xFF)))
        .toList();
  }

  /** {@code BAD}: the any-address and port 0, which cannot be inserted (errno 99). */
  public static FabricAddress bad(AddressFormat format) {
    return format == AddressFormat.SOCKADDR_IN6
        ? new SocketAddress6(0, 0, 0, 0, 0)
        : ipv4(format, 0, 0);
  }

  /** What is no address of a format, though as long as those in memory: errno 22. */
  static FabricAddress foreign(AddressFormat format) {
    return switch (format) {
      case SOCKADDR_IN -> ipv6(9);
      case SOCKADDR_IN6 -> new SocketAddress4(0x0a01_0109, PORT);
      case STR -> new TextAddress("10.1.1.9:5000");
      default -> throw new IllegalArgumentException("unknown length: " + format);
    };
  }

  /** An IPv4 address as vectors of a format hold it. */
  public static FabricAddress ipv4(AddressFormat format, int address, int port) {
    return switch (format) {
      case SOCKADDR_IN, SOCKADDR, SOCKADDR_IP -> new SocketAddress4(address, port);
      case STR -> new TextAddress("fi_sockaddr_in://" + dotted(address) + ":" + port);
      default -> throw new IllegalArgumentException("no IPv4 addresses of format " + format);
    };
  }

  /** An IPv4 address as text. */
  public static String dotted(int address) {
    return IntStream.of(24, 16, 8, 0)
        .mapToObj(shift -> String.valueOf(address >>> shift & 255))
        .collect(Collectors.joining("."));
  }

  /** 2001:db8::1:i port 5000. */
  public static FabricAddress ipv6(int i) {
    return new SocketAddress6(0x2001_0db8_0000_0000L, 0x1_0000L + i, PORT, 0, 0);
  }

  /** How many bytes a packed address of this kind takes by itself. */
  public static byte[] pack(FabricAddress address) {
    return switch (address) {
      case SocketAddress4 ip ->
          ByteBuffer.allocate(16)
              .order(ByteOrder.nativeOrder())
              .putShort((short) FAMILY_IPV4)
              .order(ByteOrder.BIG_ENDIAN)
              .putShort((short) ip.port())
              .putInt(ip.address())
              .array();
      case SocketAddress6 ip ->
          ByteBuffer.allocate(28)
              .order(ByteOrder.nativeOrder())
              .putShort((short) FAMILY_IPV6)
              .order(ByteOrder.BIG_ENDIAN)
              .putShort((short) ip.port())
              .putInt(ip.flowInfo())
              .putLong(ip.high())
              .putLong(ip.low())
              .order(ByteOrder.nativeOrder())
              .putInt(ip.scopeId())
              .array();
      case TextAddress text -> (text.text() + "\0").getBytes(StandardCharsets.UTF_8);
      case ProviderAddress other -> other.bytes().clone();
    };
  }

  /**
   * Addresses one behind the other, as a vector of this format takes them. What does not fit the
   * fixed length of the format is cut off or filled up with zeros.
   */
  public static MemorySegment pack(AddressFormat format, List<? extends FabricAddress> list) {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    for (FabricAddress address : list) {
      byte[] bytes = pack(address);
      packed.writeBytes(
          switch (format) {
            case SOCKADDR_IN -> Arrays.copyOf(bytes, 16);
            case SOCKADDR_IN6 -> Arrays.copyOf(bytes, 28);
            default -> bytes;
          });
    }
    MemorySegment segment = Arena.ofAuto().allocate(Math.max(1, packed.size()), 8);
    MemorySegment.copy(MemorySegment.ofArray(packed.toByteArray()), 0, segment, 0, packed.size());
    return segment.asSlice(0, packed.size());
  }
}
