package org.ofi4j.core.address;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;
import org.ofi4j.FabricException;

/**
 * Packed addresses and values of one {@link AddressFormat} to and from {@link AddressKey}s.
 * Immutable; any thread may use it.
 *
 * <p>Bad addresses are answers, not exceptions: reading gives 0 or the errno that the address earns
 * in an insertion, and no byte beyond the given memory is looked at.
 *
 * <pre>
 *   sockaddr_in   0 u16 family | 2 u16 port BE | 4 address BE | 8 zeros to 16
 *   sockaddr_in6  0 u16 family | 2 u16 port BE | 4 u32 flow BE | 8 address | 24 u32 scope, to 28
 *   sockaddr_ib   0 u16 family | 2 u16 pkey BE | 4 u32 flow BE | 8 gid | 24 u64 sid BE
 *                 | 32 u64 sid mask BE | 40 u64 scope BE, to 48
 * </pre>
 *
 * Family and the scope of IPv6 are in native order. Packed bytes are handled as big-endian words of
 * eight, so that the first byte is the highest.
 */
public final class AddressCodec {
  /** {@code AF_INET}. */
  static final int FAMILY_IPV4 = 2;

  /** {@code AF_INET6}. */
  static final int FAMILY_IPV6 = 10;

  /** {@code AF_IB}. */
  static final int FAMILY_IB = 27;

  static final int SIZE_IPV4 = 16;
  static final int SIZE_IPV6 = 28;
  static final int SIZE_IB = 48;

  static final ValueLayout.OfLong WORD =
      ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfInt HALF =
      ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfShort FAMILY = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final boolean LITTLE = ByteOrder.nativeOrder() == ByteOrder.LITTLE_ENDIAN;

  private final AddressFormat format;

  private AddressCodec(AddressFormat format) {
    this.format = format;
  }

  /**
   * The codec of a format.
   *
   * @param format the format of a vector
   * @return its codec
   */
  public static AddressCodec of(AddressFormat format) {
    return new AddressCodec(format);
  }

  /**
   * The format.
   *
   * @return the format of the vector
   */
  public AddressFormat format() {
    return format;
  }

  /**
   * Length of the packed address at an offset, which is where the next one begins.
   *
   * @param packed packed addresses
   * @param offset where one begins
   * @return its length, which may exceed the memory; -1 if it cannot be known
   */
  public int sizeAt(MemorySegment packed, long offset) {
    return switch (format) {
      case SOCKADDR_IN -> SIZE_IPV4;
      case SOCKADDR_IN6 -> SIZE_IPV6;
      case SOCKADDR, SOCKADDR_IP -> sizeOfFamily(familyAt(packed, offset));
      default -> -1;
    };
  }

  private int sizeOfFamily(int family) {
    return switch (family) {
      case FAMILY_IPV4 -> SIZE_IPV4;
      case FAMILY_IPV6 -> SIZE_IPV6;
      default -> -1;
    };
  }

  private static int familyAt(MemorySegment packed, long offset) {
    return packed.byteSize() - offset < 2 ? -1 : Short.toUnsignedInt(packed.get(FAMILY, offset));
  }

  /**
   * Reads one packed address.
   *
   * @param packed packed addresses
   * @param offset where it begins
   * @param into becomes the address
   * @return 0, or why the address cannot be inserted: {@code FI_EADDRNOTAVAIL} for any-address and
   *     port zero, {@code FI_EINVAL} for a wrong family or length
   */
  public int read(MemorySegment packed, long offset, AddressKey into) {
    long room = packed.byteSize() - offset;
    int family = familyAt(packed, offset);
    if (family == FAMILY_IPV4 && format != AddressFormat.SOCKADDR_IN6 && room >= SIZE_IPV4) {
      long word = packed.get(WORD, offset);
      long address = word & 0xFFFF_FFFFL;
      long port = word >>> 32 & 0xFFFF;
      into.setIpv4(address << 16 | port);
      return address == 0 || port == 0 ? Errno.EADDRNOTAVAIL.number() : 0;
    }
    if (family == FAMILY_IPV6 && format != AddressFormat.SOCKADDR_IN && room >= SIZE_IPV6) {
      long word = packed.get(WORD, offset);
      long high = packed.get(WORD, offset + 8);
      long low = packed.get(WORD, offset + 16);
      int scope = packed.get(HALF, offset + 24);
      int port = (int) (word >>> 32 & 0xFFFF);
      into.setIpv6(high, low, port, (int) word, LITTLE ? Integer.reverseBytes(scope) : scope);
      return port == 0 || (high == 0 && low == 0) ? Errno.EADDRNOTAVAIL.number() : 0;
    }
    into.clear();
    return Errno.EINVAL.number();
  }

  /**
   * Reads an address value.
   *
   * @param value the address
   * @param into becomes the address
   * @return as {@link #read(MemorySegment, long, AddressKey)}
   */
  public int read(FabricAddress value, AddressKey into) {
    return switch (value) {
      case SocketAddress4 ip when format != AddressFormat.SOCKADDR_IN6 -> {
        into.setIpv4((ip.address() & 0xFFFF_FFFFL) << 16 | ip.port());
        yield ip.address() == 0 || ip.port() == 0 ? Errno.EADDRNOTAVAIL.number() : 0;
      }
      case SocketAddress6 ip when format != AddressFormat.SOCKADDR_IN -> {
        into.setIpv6(ip.high(), ip.low(), ip.port(), ip.flowInfo(), ip.scopeId());
        yield ip.port() == 0 || (ip.high() == 0 && ip.low() == 0)
            ? Errno.EADDRNOTAVAIL.number()
            : 0;
      }
      case SocketAddress4 ip -> wrong(into);
      case SocketAddress6 ip -> wrong(into);
      case ProviderAddress provider -> wrong(into);
      case TextAddress text -> wrong(into);
    };
  }

  private static int wrong(AddressKey into) {
    into.clear();
    return Errno.EINVAL.number();
  }

  /**
   * Why {@link #read(MemorySegment, long, AddressKey)} refuses a packed address.
   *
   * @param packed packed addresses
   * @param offset where it begins
   * @return the reason in words
   */
  public String reason(MemorySegment packed, long offset) {
    return "family " + familyAt(packed, offset) + " is not one of " + format;
  }

  /**
   * Why {@link #read(FabricAddress, AddressKey)} refuses a value.
   *
   * @param value the address
   * @return the reason in words
   */
  public String reason(FabricAddress value) {
    return value + " is not of format " + format;
  }

  /**
   * The entry that stands for any address, which only the profile of the 1.0 candidate inserts
   * (AV-079).
   *
   * @param into becomes the address
   */
  public void readAny(AddressKey into) {
    if (format == AddressFormat.SOCKADDR_IN6) {
      into.setIpv6(0, 0, 0, 0, 0);
    } else {
      into.setIpv4(0);
    }
  }

  /**
   * Writes the packed address, as far as it fits (AV-139).
   *
   * @param key the address
   * @param target takes the first bytes of it
   * @return its full length (AV-140)
   */
  public int write(AddressKey key, MemorySegment target) {
    return socketAddress(key, target);
  }

  /**
   * Writes the packed socket address, as far as it fits, whatever the format of the vector: of
   * text, the address that it spells.
   *
   * @param key the address
   * @param target takes the first bytes of it
   * @return its full length; 0 if it is no IP address, and then nothing was written
   */
  public static int socketAddress(AddressKey key, MemorySegment target) {
    if (key.format() == AddressFormat.SOCKADDR_IN.number()) {
      long word = key.word(0);
      put(target, 0, head(FAMILY_IPV4, word) | word >>> 16, 8);
      put(target, 8, 0, 8);
      return SIZE_IPV4;
    }
    if (key.format() == AddressFormat.SOCKADDR_IN6.number()) {
      int scope = (int) (key.word(2) >>> 32);
      put(target, 0, head(FAMILY_IPV6, key.word(2)) | (key.word(3) & 0xFFFF_FFFFL), 8);
      put(target, 8, key.word(0), 8);
      put(target, 16, key.word(1), 8);
      put(target, 24, (long) (LITTLE ? Integer.reverseBytes(scope) : scope) << 32, 4);
      return SIZE_IPV6;
    }
    return 0;
  }

  /** Family and port in the high half of the first packed word. */
  private static long head(int family, long port) {
    long image = LITTLE ? (long) family << 56 : (long) family << 48;
    return image | (port & 0xFFFF) << 32;
  }

  /** Writes the first bytes of a word, the highest first, as far as they fit. */
  private static void put(MemorySegment target, int offset, long word, int count) {
    if (count == 8 && target.byteSize() - offset >= 8) {
      target.set(WORD, offset, word);
      return;
    }
    long end = Math.min(target.byteSize(), (long) offset + count);
    long rest = word;
    for (long i = offset; i < end; i++, rest <<= 8) {
      target.set(ValueLayout.JAVA_BYTE, i, (byte) (rest >>> 56));
    }
  }

  /**
   * The address as a value.
   *
   * @param key the address
   * @return the same as a value
   */
  public FabricAddress toValue(AddressKey key) {
    return switch (key.kind()) {
      case IPV4 -> new SocketAddress4((int) (key.ipv4() >>> 16), (int) (key.ipv4() & 0xFFFF));
      case IPV6 ->
          new SocketAddress6(
              key.word(0),
              key.word(1),
              (int) (key.word(2) & 0xFFFF),
              (int) key.word(3),
              (int) (key.word(2) >>> 32));
      default -> throw new FabricException(Errno.EINVAL, "key holds no address of " + format);
    };
  }
}
