// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
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
 * in an insertion (D-21), and no byte beyond the given memory is looked at. Reading and writing
 * Internet and provider addresses allocates nothing; text is parsed.
 *
 * <pre>
 *   sockaddr_in   0 u16 family 2  | 2 u16 port BE | 4 address | 8 zeros, to 16
 *   sockaddr_in6  0 u16 family 10 | 2 u16 port BE | 4 u32 flow BE | 8 address | 24 u32 scope, to 28
 *   str           text in UTF-8, zero byte
 * </pre>
 *
 * Family and scope are in native order. Other layouts are {@link WideLayout}'s. Packed bytes are
 * handled as big-endian words of eight, so that the first byte is the highest.
 */
public final class AddressCodec {
  private static final int NOT_AVAILABLE = Errno.EADDRNOTAVAIL.number();
  private static final int INVALID = Errno.EINVAL.number();
  private static final long HEAD_IPV6 = PackedWords.head(PackedWords.FAMILY_IPV6, 0);
  private static final long LOW_HALF = 0xFFFF_FFFFL;

  /** The last eight bytes of {@code ::ffff:0.0.0.0}, which IPv4 traffic of IPv6 sockets shows. */
  private static final long MAPPED_ANY = 0xFFFF_0000_0000L;

  private static final String ANY_TEXT = "fi_sockaddr_in://0.0.0.0:0";

  private final AddressFormat format;
  private final boolean fabricTexts;
  private final boolean takesIpv4;
  private final boolean takesIpv6;
  private final @Nullable WideLayout wide;

  private AddressCodec(AddressFormat format, boolean fabricTexts) {
    this.format = format;
    this.fabricTexts = fabricTexts && format == AddressFormat.STR;
    takesIpv4 = format.contains(AddressFormat.SOCKADDR_IN);
    takesIpv6 = format.contains(AddressFormat.SOCKADDR_IN6);
    wide = WideLayout.of(format == AddressFormat.SOCKADDR ? AddressFormat.SOCKADDR_IB : format);
  }

  public static AddressCodec of(AddressFormat format) {
    return new AddressCodec(format, false);
  }

  /**
   * The codec of a fabric that may have texts of its own.
   *
   * @param fabricTexts whether text of any format is an address (D-90); of use with {@link
   *     AddressFormat#STR} only
   */
  public static AddressCodec of(AddressFormat format, boolean fabricTexts) {
    return new AddressCodec(format, fabricTexts);
  }

  /** Whether text of a format that means nothing here is an address. */
  boolean takesFabricTexts() {
    return fabricTexts;
  }

  public AddressFormat format() {
    return format;
  }

  /** Whether vectors take packed IPv4: {@code SOCKADDR_IN} and the formats that contain it. */
  public boolean takesIpv4() {
    return takesIpv4;
  }

  /** Length of each packed address; -1 if addresses of the format differ in length. */
  public int size() {
    return switch (format) {
      case SOCKADDR_IN -> PackedWords.SIZE_IPV4;
      case SOCKADDR_IN6 -> PackedWords.SIZE_IPV6;
      case SOCKADDR, SOCKADDR_IP, STR -> -1;
      default -> wide == null ? -1 : wide.size();
    };
  }

  /**
   * Length of the packed address at an offset, which is where the next one begins.
   *
   * @return its length, which may exceed the memory; -1 if it cannot be known, because the family
   *     is none of the format's, the text does not end, or the format does not say
   */
  public int sizeAt(MemorySegment packed, long offset) {
    return switch (format) {
      case SOCKADDR, SOCKADDR_IP -> sizeOfFamily(PackedWords.familyAt(packed, offset));
      case STR -> {
        int length = textLength(packed, offset);
        yield length < 0 ? -1 : length + 1;
      }
      default -> size();
    };
  }

  private int sizeOfFamily(int family) {
    return switch (family) {
      case PackedWords.FAMILY_IPV4 -> PackedWords.SIZE_IPV4;
      case PackedWords.FAMILY_IPV6 -> PackedWords.SIZE_IPV6;
      case PackedWords.FAMILY_IB -> wide == null ? -1 : wide.size();
      default -> -1;
    };
  }

  /** Bytes of text before its zero byte, or -1 if that is missing or out of reach. */
  static int textLength(MemorySegment packed, long offset) {
    long reach = Math.min(packed.byteSize() - offset, AddressKey.MAX_BYTES + 1L);
    for (int i = 0; i < reach; i++) {
      if (packed.get(JAVA_BYTE, offset + i) == 0) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Reads one packed address.
   *
   * @param into becomes the address; is empty if the answer is {@code FI_EINVAL}
   * @return 0, or why the address cannot be inserted: {@code FI_EADDRNOTAVAIL} for any-address and
   *     port zero, {@code FI_EINVAL} for a wrong family, a wrong length or malformed text, {@code
   *     FI_ENOSYS} for text that cannot be read
   */
  public int read(MemorySegment packed, long offset, AddressKey into) {
    long room = packed.byteSize() - offset;
    if (takesIpv4 && room >= PackedWords.SIZE_IPV4) {
      long ipv4 = PackedIpv4.read(packed, offset);
      if (ipv4 >= 0) {
        return ipv4(ipv4, into);
      }
    }
    if (takesIpv6 && room >= PackedWords.SIZE_IPV6) {
      long word = packed.get(PackedWords.WORD, offset);
      if (word >>> 48 == HEAD_IPV6 >>> 48) {
        return ipv6(
            packed.get(PackedWords.WORD, offset + 8),
            packed.get(PackedWords.WORD, offset + 16),
            (int) (word >>> 32 & 0xFFFF),
            (int) word,
            packed.get(ValueLayout.JAVA_INT_UNALIGNED, offset + 24),
            into);
      }
    }
    if (wide != null && room >= wide.size() && wide.hasFamily(packed, offset)) {
      wide.read(packed, offset, into);
      return wide.isUsable(into) ? 0 : NOT_AVAILABLE;
    }
    if (format == AddressFormat.STR) {
      return textAt(packed, offset, into);
    }
    if (isOpaque() && room > 0 && room <= AddressKey.MAX_BYTES) {
      into.setOpaque(format, packed, offset, (int) room);
      return 0;
    }
    into.clear();
    return INVALID;
  }

  private int textAt(MemorySegment packed, long offset, AddressKey into) {
    int length = textLength(packed, offset);
    if (length >= 0) {
      try {
        return read(FabricAddress.of(AddressFormat.STR, packed.asSlice(offset, length + 1)), into);
      } catch (FabricException e) {
        into.clear();
        return e.errno().number();
      }
    }
    into.clear();
    return INVALID;
  }

  /**
   * Reads an address value.
   *
   * @param into becomes the address; is empty if the answer is {@code FI_EINVAL}
   * @return as {@link #read(MemorySegment, long, AddressKey)}
   */
  public int read(FabricAddress value, AddressKey into) {
    if (takesIpv4 && value instanceof SocketAddress4 ip) {
      return ipv4(AddressKey.ipv4(ip), into);
    }
    if (!format.contains(value.format())) {
      into.clear();
      return INVALID;
    }
    return value instanceof TextAddress text ? spelled(text, into) : canonical(value, into);
  }

  private static int canonical(FabricAddress value, AddressKey into) {
    return switch (value) {
      case SocketAddress4 ip -> ipv4(AddressKey.ipv4(ip), into);
      case SocketAddress6 ip ->
          ipv6(ip.high(), ip.low(), ip.port(), ip.flowInfo(), ip.scopeId(), into);
      case ProviderAddress provider -> provider(provider, into);
      case TextAddress text -> throw new IllegalArgumentException(text.text());
    };
  }

  private static int ipv4(long addressAndPort, AddressKey into) {
    into.setIpv4(addressAndPort);
    return AddressKey.isUsableIpv4(addressAndPort) ? 0 : NOT_AVAILABLE;
  }

  private static int ipv6(long high, long low, int port, int flow, int scope, AddressKey into) {
    into.setIpv6(high, low, port, flow, scope);
    return port == 0 || isAny(high, low) ? NOT_AVAILABLE : 0;
  }

  static boolean isAny(long high, long low) {
    return high == 0 && (low == 0 || low == MAPPED_ANY);
  }

  private static int provider(ProviderAddress value, AddressKey into) {
    byte[] bytes = value.toBytes();
    WideLayout layout = WideLayout.of(value.format());
    if (layout != null) {
      layout.read(layout.padded(bytes), 0, into);
      return layout.isUsable(into) ? 0 : NOT_AVAILABLE;
    }
    if (bytes.length > AddressKey.MAX_BYTES) {
      into.clear();
      return INVALID;
    }
    into.setOpaque(value.format(), MemorySegment.ofArray(bytes), 0, bytes.length);
    return 0;
  }

  /**
   * Reads text: the address that it spells decides what it equals, and the spelling is kept (D-25,
   * AV-078). Text of a fabric that spells no address counts by itself (D-90).
   */
  private int spelled(TextAddress text, AddressKey into) {
    byte[] spelling = text.text().getBytes(StandardCharsets.UTF_8);
    int errno = INVALID;
    if (spelling.length <= AddressKey.MAX_BYTES && hasFormat(text)) {
      try {
        FabricAddress spelled = FabricAddress.parse(text.text());
        if (!(spelled instanceof TextAddress)) {
          errno = canonical(spelled, into);
          into.spell(spelling);
          return errno;
        }
      } catch (FabricException e) {
        errno = e.errno().number();
      }
      if (fabricTexts) {
        into.setOpaque(AddressFormat.STR, MemorySegment.ofArray(spelling), 0, spelling.length);
        return 0;
      }
    }
    into.clear();
    return errno;
  }

  /** Whether the text has a format; one without is for people, and none of FI_ADDR_STR (D-38). */
  static boolean hasFormat(TextAddress text) {
    return text.text().contains("://");
  }

  /**
   * Reads packed text as one of the fabric's own, without looking into it; makes no garbage. What
   * spells another address is none, and no entry is equal to the key then.
   *
   * @return false if that cannot be one
   */
  public boolean readFabricText(MemorySegment packed, AddressKey into) {
    int length = fabricTexts ? textLength(packed, 0) : -1;
    if (length < 0) {
      return false;
    }
    into.setOpaque(format, packed, 0, length);
    return true;
  }

  /**
   * Why {@link #read(MemorySegment, long, AddressKey)} refuses an address; empty if it does not.
   */
  public String reason(MemorySegment packed, long offset) {
    return new Refusals(this).of(packed, offset);
  }

  /** Why {@link #read(FabricAddress, AddressKey)} refuses a value; empty if it does not. */
  public String reason(FabricAddress value) {
    return new Refusals(this).of(value);
  }

  /**
   * The entry that stands for any address, which only the profile of the 1.0 candidate inserts
   * (AV-079).
   *
   * @return as {@link #read(FabricAddress, AddressKey)}; {@code FI_EINVAL} if the format has none
   */
  public int readAny(AddressKey into) {
    if (takesIpv4) {
      into.setIpv4(0);
    } else if (takesIpv6) {
      into.setIpv6(0, 0, 0, 0, 0);
    } else if (format == AddressFormat.STR) {
      into.setIpv4(0);
      into.spell(ANY_TEXT.getBytes(StandardCharsets.UTF_8));
    } else if (wide != null) {
      wide.any(into);
    } else {
      into.clear();
      return INVALID;
    }
    return 0;
  }

  /**
   * Writes the packed address, as far as it fits (AV-139).
   *
   * @param key an address of this format
   * @param target takes the first bytes of it
   * @return its full length (AV-140)
   */
  public int write(AddressKey key, MemorySegment target) {
    return switch (key.kind()) {
      case IPV4, IPV6 -> socketAddress(key, target);
      case WIDE -> layout(key).write(key, target);
      case TEXT, OPAQUE -> {
        PackedWords.put(target, key.bytes(), key.byteCount());
        if (!isText(key)) {
          yield key.byteCount();
        }
        if (target.byteSize() > key.byteCount()) {
          target.set(JAVA_BYTE, key.byteCount(), (byte) 0);
        }
        yield key.byteCount() + 1;
      }
      case EMPTY -> 0;
      // No format has room for a key.
      case KEYED -> throw new IllegalArgumentException("the key was not taken from the address");
    };
  }

  private boolean isText(AddressKey key) {
    return key.kind() == AddressKey.Kind.TEXT || format == AddressFormat.STR;
  }

  /**
   * Writes the packed socket address, as far as it fits, whatever the format of the vector: of
   * text, the address that it spells.
   *
   * @param target takes the first bytes of it
   * @return its full length; 0 if it is no Internet address, and then nothing was written
   */
  public static int socketAddress(AddressKey key, MemorySegment target) {
    if (key.isIpv4()) {
      long word = key.word(0);
      PackedWords.put(target, 0, PackedWords.head(PackedWords.FAMILY_IPV4, word) | word >>> 16, 8);
      PackedWords.put(target, 8, 0, 8);
      return PackedWords.SIZE_IPV4;
    }
    if (key.isIpv6()) {
      long scopeAndPort = key.word(2);
      long flow = key.word(3) & LOW_HALF;
      PackedWords.put(target, 0, PackedWords.head(PackedWords.FAMILY_IPV6, scopeAndPort) | flow, 8);
      PackedWords.put(target, 8, key.word(0), 8);
      PackedWords.put(target, 16, key.word(1), 8);
      PackedWords.put(target, 24, PackedWords.nativeInt((int) (scopeAndPort >>> 32)), 4);
      return PackedWords.SIZE_IPV6;
    }
    return 0;
  }

  /** The address, which is one of this format, as a value. */
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
      case WIDE -> {
        WideLayout layout = layout(key);
        byte[] bytes = new byte[layout.size()];
        layout.write(key, MemorySegment.ofArray(bytes));
        yield new ProviderAddress(layout.format(), bytes);
      }
      case TEXT, OPAQUE ->
          isText(key)
              ? new TextAddress(new String(key.bytes(), 0, key.byteCount(), StandardCharsets.UTF_8))
              : new ProviderAddress(format, Arrays.copyOf(key.bytes(), key.byteCount()));
      case EMPTY, KEYED ->
          throw new FabricException(Errno.EINVAL, "the key holds no address, or one under a key");
    };
  }

  /** Returns the layout of a wide key, which must be the one of the format. */
  private WideLayout layout(AddressKey key) {
    if (wide == null || wide.format().number() != key.format()) {
      throw new FabricException(
          Errno.EINVAL, "the key's address of format " + key.format() + " is none of " + format);
    }
    return wide;
  }

  private boolean isOpaque() {
    return switch (format) {
      case UNSPECIFIED, PSMX, GNI, BGQ, MLX, UCX -> true;
      default -> false;
    };
  }
}
