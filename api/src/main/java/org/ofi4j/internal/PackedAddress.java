// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;

/**
 * Address values to and from the C structures.
 *
 * <pre>
 *   sockaddr_in   0 u16 family 2  | 2 u16 port BE | 4 address, 4 bytes | 8 zeros, to 16
 *   sockaddr_in6  0 u16 family 10 | 2 u16 port BE | 4 u32 flow BE | 8 address, 16 bytes
 *                 | 24 u32 scope, to 28
 *   sockaddr_ib   0 u16 family 27 | 2 u16 pkey BE | 4 u32 flow BE | 8 gid, 16 bytes
 *                 | 24 u64 service id BE | 32 u64 its mask BE | 40 u64 scope BE, to 48
 *   psmx2         two u64, to 16
 *   psmx3         four u64, to 32
 *   opx           u64
 *   ib_ud         0 gid, 16 bytes | 16 u32 queue pair | 20 u16 lid | 22 u16 pkey | 26 u8 level, to 32
 *   efa           0 gid, 16 bytes | 16 u16 queue pair | 20 u32 queue key | 24 pointer, to 32;
 *                 to 24 where the pointer means nothing
 *   cxi           0 u32 nic and pid | 4 u16 vni, to 8
 *   str           text in UTF-8, zero byte
 * </pre>
 *
 * What is not marked BE is in native order.
 */
public final class PackedAddress {
  public static final int FAMILY_IPV4 = 2;
  public static final int FAMILY_IPV6 = 10;
  public static final int FAMILY_IB = 27;

  public static final int SIZE_IPV4 = 16;
  public static final int SIZE_IPV6 = 28;
  public static final int SIZE_IB = 48;
  public static final int SIZE_IB_UD = 32;
  public static final int SIZE_EFA = 32;
  public static final int SIZE_EFA_TEXT = 24;

  private static final ValueLayout.OfShort FAMILY = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfInt SCOPE = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfShort U16_BE = FAMILY.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt U32_BE = SCOPE.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong U64_BE =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);

  private PackedAddress() {}

  public static byte[] pack(SocketAddress4 address) {
    MemorySegment packed = MemorySegment.ofArray(new byte[SIZE_IPV4]);
    packed.set(FAMILY, 0, (short) FAMILY_IPV4);
    packed.set(U16_BE, 2, (short) address.port());
    packed.set(U32_BE, 4, address.address());
    return packed.toArray(JAVA_BYTE);
  }

  public static byte[] pack(SocketAddress6 address) {
    MemorySegment packed = MemorySegment.ofArray(new byte[SIZE_IPV6]);
    packed.set(FAMILY, 0, (short) FAMILY_IPV6);
    packed.set(U16_BE, 2, (short) address.port());
    packed.set(U32_BE, 4, address.flowInfo());
    packed.set(U64_BE, 8, address.high());
    packed.set(U64_BE, 16, address.low());
    packed.set(SCOPE, 24, address.scopeId());
    return packed.toArray(JAVA_BYTE);
  }

  public static byte[] pack(TextAddress address) {
    byte[] text = address.text().getBytes(StandardCharsets.UTF_8);
    return Arrays.copyOf(text, text.length + 1);
  }

  public static FabricAddress unpack(AddressFormat format, MemorySegment packed) {
    return switch (format) {
      case SOCKADDR_IN -> ipv4(format, packed);
      case SOCKADDR_IN6 -> ipv6(format, packed);
      case SOCKADDR, SOCKADDR_IP -> byFamily(format, packed);
      case STR -> text(packed);
      case SOCKADDR_IB, PSMX2, PSMX3, OPX, IB_UD, CXI -> provider(format, packed, sizeOf(format));
      case EFA -> provider(format, packed, packed.byteSize() < SIZE_EFA ? SIZE_EFA_TEXT : SIZE_EFA);
      case UNSPECIFIED, PSMX, GNI, BGQ, MLX, UCX -> provider(format, packed, packed.byteSize());
    };
  }

  private static FabricAddress byFamily(AddressFormat format, MemorySegment packed) {
    requireLength(format, packed, 2);
    int family = family(packed);
    if (family == FAMILY_IPV4) {
      return ipv4(format, packed);
    }
    if (family == FAMILY_IPV6) {
      return ipv6(format, packed);
    }
    if (family == FAMILY_IB && format == AddressFormat.SOCKADDR) {
      return provider(AddressFormat.SOCKADDR_IB, packed, SIZE_IB);
    }
    throw wrongFamily(format, family);
  }

  private static SocketAddress4 ipv4(AddressFormat format, MemorySegment packed) {
    requireLength(format, packed, SIZE_IPV4);
    requireFamily(format, packed, FAMILY_IPV4);
    return new SocketAddress4(packed.get(U32_BE, 4), Short.toUnsignedInt(packed.get(U16_BE, 2)));
  }

  private static SocketAddress6 ipv6(AddressFormat format, MemorySegment packed) {
    requireLength(format, packed, SIZE_IPV6);
    requireFamily(format, packed, FAMILY_IPV6);
    return new SocketAddress6(
        packed.get(U64_BE, 8),
        packed.get(U64_BE, 16),
        Short.toUnsignedInt(packed.get(U16_BE, 2)),
        packed.get(U32_BE, 4),
        packed.get(SCOPE, 24));
  }

  private static ProviderAddress provider(AddressFormat format, MemorySegment packed, long length) {
    requireLength(format, packed, length);
    return new ProviderAddress(format, packed.asSlice(0, length).toArray(JAVA_BYTE));
  }

  private static TextAddress text(MemorySegment packed) {
    long end = 0;
    while (end < packed.byteSize() && packed.get(JAVA_BYTE, end) != 0) {
      end++;
    }
    if (end == packed.byteSize()) {
      throw new FabricException(
          Errno.EINVAL, "address text of " + end + " bytes does not end in a zero byte");
    }
    try {
      ByteBuffer text = ByteBuffer.wrap(packed.asSlice(0, end).toArray(JAVA_BYTE));
      return new TextAddress(StandardCharsets.UTF_8.newDecoder().decode(text).toString());
    } catch (CharacterCodingException e) {
      throw new FabricException(
          Errno.EINVAL, "address text of " + end + " bytes is not written in UTF-8", e);
    }
  }

  /** Refuses the bytes of a provider address that are not laid out as its format says. */
  public static void requireLayout(AddressFormat format, byte[] bytes) {
    switch (format) {
      case SOCKADDR, SOCKADDR_IN, SOCKADDR_IN6, SOCKADDR_IP ->
          throw new FabricException(
              Errno.EINVAL,
              format + " is no format of a provider's own: use SocketAddress4 or SocketAddress6");
      case STR ->
          throw new FabricException(
              Errno.EINVAL, "STR is no format of a provider's own: use TextAddress");
      case UNSPECIFIED, PSMX, GNI, BGQ, MLX, UCX -> {
        if (bytes.length == 0) {
          throw wrongLength(format, bytes.length, "at least 1");
        }
      }
      case EFA -> {
        if (bytes.length != SIZE_EFA && bytes.length != SIZE_EFA_TEXT) {
          throw wrongLength(format, bytes.length, SIZE_EFA_TEXT + " or " + SIZE_EFA);
        }
      }
      case SOCKADDR_IB, PSMX2, PSMX3, OPX, IB_UD, CXI -> {
        if (bytes.length != sizeOf(format)) {
          throw wrongLength(format, bytes.length, Integer.toString(sizeOf(format)));
        }
        if (format == AddressFormat.SOCKADDR_IB) {
          requireFamily(format, MemorySegment.ofArray(bytes), FAMILY_IB);
        }
      }
    }
  }

  private static int sizeOf(AddressFormat format) {
    return switch (format) {
      case SOCKADDR_IB -> SIZE_IB;
      case PSMX2 -> 16;
      case PSMX3 -> 32;
      case IB_UD -> SIZE_IB_UD;
      default -> 8;
    };
  }

  private static int family(MemorySegment packed) {
    return Short.toUnsignedInt(packed.get(FAMILY, 0));
  }

  private static void requireFamily(AddressFormat format, MemorySegment packed, int expected) {
    if (family(packed) != expected) {
      throw wrongFamily(format, family(packed));
    }
  }

  private static void requireLength(AddressFormat format, MemorySegment packed, long needed) {
    if (packed.byteSize() < needed) {
      throw wrongLength(format, packed.byteSize(), Long.toString(needed));
    }
  }

  private static FabricException wrongLength(AddressFormat format, long found, String needed) {
    return new FabricException(
        Errno.EINVAL, format + " address of " + found + " bytes, but it takes " + needed);
  }

  private static FabricException wrongFamily(AddressFormat format, int found) {
    String wanted =
        switch (format) {
          case SOCKADDR -> "2 (IPv4), 10 (IPv6) or 27 (InfiniBand)";
          case SOCKADDR_IP -> "2 (IPv4) or 10 (IPv6)";
          case SOCKADDR_IN -> "2 (IPv4)";
          case SOCKADDR_IN6 -> "10 (IPv6)";
          default -> "27 (InfiniBand)";
        };
    return new FabricException(
        Errno.EINVAL, format + " address of family " + found + ", but it takes " + wanted);
  }
}
