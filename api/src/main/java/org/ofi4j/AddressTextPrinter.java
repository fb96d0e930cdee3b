// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricAddress.SocketAddress6;

/** Addresses as the text that {@code fi_av_straddr} writes; {@link AddressTextParser} reads it. */
final class AddressTextPrinter {
  private static final ValueLayout.OfLong U64 = ValueLayout.JAVA_LONG_UNALIGNED;
  private static final ValueLayout.OfInt U32 = ValueLayout.JAVA_INT_UNALIGNED;
  private static final ValueLayout.OfShort U16 = ValueLayout.JAVA_SHORT_UNALIGNED;
  private static final ValueLayout.OfShort U16_BE = U16.withOrder(ByteOrder.BIG_ENDIAN);
  private static final ValueLayout.OfLong U64_BE = U64.withOrder(ByteOrder.BIG_ENDIAN);

  private AddressTextPrinter() {}

  static String print(SocketAddress4 address) {
    return "fi_sockaddr_in://" + Ipv4Text.print(address.address()) + ":" + address.port();
  }

  /** Flow label and scope have no place in the text. */
  static String print(SocketAddress6 address) {
    return "fi_sockaddr_in6://["
        + Ipv6Text.print(address.high(), address.low())
        + "]:"
        + address.port();
  }

  /**
   * The text of a provider's address.
   *
   * @return the text, or null for formats that have none
   */
  static @Nullable String print(AddressFormat format, byte[] bytes) {
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
      default -> null;
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
