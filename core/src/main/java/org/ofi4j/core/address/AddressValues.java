// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.address;

import java.lang.foreign.MemorySegment;
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

/** Address values to and from keys; reading answers with an errno like {@link AddressCodec}. */
final class AddressValues {
  private static final int NOT_AVAILABLE = Errno.EADDRNOTAVAIL.number();
  private static final int INVALID = Errno.EINVAL.number();
  private static final long LOW_HALF = 0xFFFF_FFFFL;

  /** The last eight bytes of {@code ::ffff:0.0.0.0}, which IPv4 traffic of IPv6 sockets shows. */
  private static final long MAPPED_ANY = 0xFFFF_0000_0000L;

  private AddressValues() {}

  static int canonical(FabricAddress value, AddressKey into) {
    return switch (value) {
      case SocketAddress4 ip ->
          AddressCodec.ipv4((ip.address() & LOW_HALF) << 16 | ip.port(), into);
      case SocketAddress6 ip ->
          ipv6(ip.high(), ip.low(), ip.port(), ip.flowInfo(), ip.scopeId(), into);
      case ProviderAddress provider -> provider(provider, into);
      case TextAddress text -> throw new IllegalArgumentException(text.text());
    };
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
   * What the text spells decides what it equals, the spelling is kept (D-25, AV-078).
   *
   * @param fabricTexts whether text that spells nothing counts by itself (D-90)
   */
  static int spelled(TextAddress text, boolean fabricTexts, AddressKey into) {
    byte[] spelling = text.text().getBytes(StandardCharsets.UTF_8);
    if (spelling.length > AddressKey.MAX_BYTES || !hasFormat(text)) {
      into.clear();
      return INVALID;
    }
    int errno = INVALID;
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
    into.clear();
    return errno;
  }

  /** Whether the text has a format; one without is for people, and none of FI_ADDR_STR (D-38). */
  static boolean hasFormat(TextAddress text) {
    return text.text().contains("://");
  }

  static int ipv6(long high, long low, int port, int flow, int scope, AddressKey into) {
    into.setIpv6(high, low, port, flow, scope);
    return port == 0 || isAny(high, low) ? NOT_AVAILABLE : 0;
  }

  static boolean isAny(long high, long low) {
    return high == 0 && (low == 0 || low == MAPPED_ANY);
  }

  static FabricAddress of(AddressKey key, AddressFormat format, @Nullable WideLayout wide) {
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
        WideLayout layout = requireLayout(key, format, wide);
        byte[] bytes = new byte[layout.size()];
        layout.write(key, MemorySegment.ofArray(bytes));
        yield new ProviderAddress(layout.format(), bytes);
      }
      case TEXT -> text(key);
      case OPAQUE ->
          format == AddressFormat.STR
              ? text(key)
              : new ProviderAddress(format, Arrays.copyOf(key.bytes(), key.byteCount()));
      case EMPTY, KEYED ->
          throw new FabricException(Errno.EINVAL, "the key holds no address, or one under a key");
    };
  }

  private static TextAddress text(AddressKey key) {
    return new TextAddress(new String(key.bytes(), 0, key.byteCount(), StandardCharsets.UTF_8));
  }

  /** The layout of a wide key, which must be the one of the format. */
  static WideLayout requireLayout(
      AddressKey key, AddressFormat format, @Nullable WideLayout layout) {
    if (layout == null || layout.format().number() != key.format()) {
      throw new FabricException(
          Errno.EINVAL, "the key's address of format " + key.format() + " is none of " + format);
    }
    return layout;
  }
}
