// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.internal;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.HexFormat;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress.ProviderAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricAddress.TextAddress;

/**
 * Addresses as the text that {@code fi_av_straddr} writes, and as text that has the whole address:
 * the same with the fields that are missing as keys behind a question mark, where libfabric ignores
 * them. {@link AddressTextParser} reads both.
 */
public final class AddressTextPrinter {
  private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfShort U16_BE = U16.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong U64_BE = U64.withOrder(ByteOrder.BIG_ENDIAN);

  /**
   * The prefix of a {@code FI_ADDR_STR} address, which is not in the text that libfabric writes.
   */
  public static final String TEXT = "fi_addr_str";

  private AddressTextPrinter() {}

  /** The text of an address with its scope and flow label, if it has any. */
  public static String printWhole(SocketAddress6 address) {
    StringBuilder text = new StringBuilder(print(address));
    if (address.scopeId() != 0) {
      text.append("?scope=").append(Integer.toUnsignedString(address.scopeId()));
    }
    if (address.flowInfo() != 0) {
      text.append(address.scopeId() == 0 ? '?' : '&')
          .append("flow=")
          .append(Integer.toUnsignedString(address.flowInfo()));
    }
    return text.toString();
  }

  /** The text of a provider's address, with the packed form if the text alone is not all of it. */
  public static String printWhole(ProviderAddress address) {
    String text = address.toText();
    boolean readable =
        switch (address.format()) {
          case SOCKADDR_IB, PSMX2, PSMX3, OPX, EFA, IB_UD ->
              AddressTextParser.parse(text).equals(address);
          default -> false;
        };
    return readable ? text : text + "?bytes=" + HexFormat.of().formatHex(address.toBytes());
  }

  /** The text of a text address: itself, unless it would be read as an address of another kind. */
  public static String printWhole(TextAddress address) {
    String text = address.text();
    boolean isName =
        text.regionMatches(true, 0, "fi_shm://", 0, 9)
            || text.regionMatches(true, 0, "fi_ns://", 0, 8);
    return isName ? text : TEXT + "://" + text;
  }

  /** The format of providers' addresses whose text begins with a prefix, or null. */
  public static @Nullable AddressFormat providerFormat(String prefix) {
    for (AddressFormat format : AddressFormat.values()) {
      if (prefix.equals(prefix(format))) {
        return format;
      }
    }
    return null;
  }

  /** The prefix of the text of providers' addresses of a format, or null for other formats. */
  public static @Nullable String prefix(AddressFormat format) {
    return switch (format) {
      case SOCKADDR, SOCKADDR_IN, SOCKADDR_IN6, SOCKADDR_IP, STR -> null;
      case UNSPECIFIED -> "fi_format_unspec";
      case SOCKADDR_IB -> "fi_sockaddr_ib";
      case PSMX, GNI, BGQ, MLX, PSMX2, IB_UD, EFA, PSMX3, OPX, CXI, UCX ->
          "fi_addr_" + format.name().toLowerCase(Locale.ROOT);
    };
  }

  public static String print(SocketAddress4 address) {
    return "fi_sockaddr_in://" + Ipv4Text.print(address.address()) + ":" + address.port();
  }

  /** Flow label and scope have no place in the text. */
  public static String print(SocketAddress6 address) {
    return "fi_sockaddr_in6://["
        + Ipv6Text.print(address.high(), address.low())
        + "]:"
        + address.port();
  }

  /**
   * The text of a provider's address; of a format that has no text its prefix, such as {@code
   * fi_addr_gni://}.
   */
  public static String print(AddressFormat format, byte[] bytes) {
    MemorySegment packed = MemorySegment.ofArray(bytes);
    return switch (format) {
      case SOCKADDR_IB -> infiniBand(packed);
      case PSMX2 -> "fi_addr_psmx2://" + hexadecimalWords(packed, 2);
      case PSMX3 -> "fi_addr_psmx3://" + hexadecimalWords(packed, 4);
      case OPX -> "fi_addr_opx://" + HexFormat.of().toHexDigits(packed.get(U64, 0));
      case EFA ->
          "fi_addr_efa://["
              + Ipv6Text.print(packed, 0)
              + "]:"
              + Short.toUnsignedInt(packed.get(U16, 16))
              + ":"
              + Integer.toUnsignedString(packed.get(U32, 20));
      case IB_UD ->
          "fi_addr_ib_ud://"
              + Ipv6Text.print(packed, 0)
              + ":"
              + Integer.toHexString(packed.get(U32, 16))
              + "/"
              + hexadecimal(packed.get(U16, 20))
              + "/"
              + hexadecimal(packed.get(U16, 22))
              + "/"
              + Integer.toHexString(Byte.toUnsignedInt(packed.get(ValueLayout.JAVA_BYTE, 26)));
      case CXI -> "fi_addr_cxi://0x" + HexFormat.of().toHexDigits(packed.get(U32, 0));
      default -> prefix(format) + "://";
    };
  }

  /** Only the low 8 bits of the scope are shown, and the port not at all. */
  private static String infiniBand(MemorySegment packed) {
    long service = packed.get(U64_BE, 24);
    return "fi_sockaddr_ib://["
        + Ipv6Text.print(packed, 8)
        + "]:0x"
        + hexadecimal(packed.get(U16_BE, 2))
        + ":0x"
        + Long.toHexString(service >>> 16 & 0xFFF)
        + ":0x"
        + Long.toHexString(packed.get(U64_BE, 40) & 0xFF);
  }

  private static String hexadecimal(short value) {
    return Integer.toHexString(Short.toUnsignedInt(value));
  }

  private static String hexadecimalWords(MemorySegment packed, int count) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      text.append(i == 0 ? "" : ":").append(Long.toHexString(packed.get(U64, 8L * i)));
    }
    return text.toString();
  }
}
