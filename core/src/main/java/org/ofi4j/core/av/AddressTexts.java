// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.av;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.ofi4j.core.object.Misuse.invalid;

import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressText;
import org.ofi4j.FabricAddress;
import org.ofi4j.core.source.SegmentChecks;

/** {@code fi_av_straddr} for the addresses of one format (AV-148 to AV-154). */
record AddressTexts(AddressFormat format) {
  private static final int IPV4 = 2;
  private static final int IPV6 = 10;
  private static final int INFINIBAND = 27;

  /** An address as text; null for null, and for a family that has none. */
  @Nullable String text(@Nullable MemorySegment address) {
    if (address == null) {
      return null;
    }
    SegmentChecks.readable(address, "address");
    return switch (format) {
      case MLX -> pointer("fi_addr_mlx://0x", address);
      case UCX -> pointer("fi_addr_ucx://0x", address);
      default -> hasText(address) ? FabricAddress.of(format, address).toText() : null;
    };
  }

  /** These formats print where the address lies, which is nowhere for memory of the Java heap. */
  private static @Nullable String pointer(String prefix, MemorySegment address) {
    return address.isNative() ? prefix + Long.toHexString(address.address()) : null;
  }

  /**
   * Whether the address has a text: socket addresses by their family, which is what every one of
   * them begins with, the others by their format.
   */
  private boolean hasText(MemorySegment address) {
    int family = address.byteSize() < Short.BYTES ? -1 : address.get(JAVA_SHORT_UNALIGNED, 0);
    return switch (format) {
      case SOCKADDR -> family == IPV4 || family == IPV6 || family == INFINIBAND;
      case SOCKADDR_IP -> family == IPV4 || family == IPV6;
      case SOCKADDR_IN -> family == IPV4;
      case SOCKADDR_IN6 -> family == IPV6;
      case SOCKADDR_IB -> family == INFINIBAND;
      case UNSPECIFIED, PSMX, GNI, BGQ, MLX, UCX -> false;
      case STR, PSMX2, IB_UD, EFA, PSMX3, OPX, CXI -> true;
    };
  }

  /** As much of the text as fits, always with a zero byte at its end; null as {@link #text}. */
  @Nullable AddressText into(@Nullable MemorySegment address, MemorySegment buffer) {
    SegmentChecks.writable(buffer, "buffer");
    String text = text(address);
    if (text == null) {
      return null;
    }
    byte[] bytes = text.getBytes(UTF_8);
    if (buffer.byteSize() > 0) {
      int fitting = (int) Math.min(bytes.length, buffer.byteSize() - 1);
      MemorySegment.copy(bytes, 0, buffer, JAVA_BYTE, 0, fitting);
      buffer.set(JAVA_BYTE, fitting, (byte) 0);
    }
    return new AddressText(buffer, bytes.length + 1);
  }

  /** The form of the 1.0 candidate, with the length by value (AV-152). */
  @Nullable MemorySegment into(@Nullable MemorySegment address, MemorySegment buffer, long length) {
    SegmentChecks.writable(buffer, "buffer");
    if (length < 0 || length > buffer.byteSize()) {
      throw invalid(
          "length " + length + " is not within the " + buffer.byteSize() + " bytes of buffer");
    }
    return into(address, buffer.asSlice(0, length)) == null ? null : buffer;
  }
}
