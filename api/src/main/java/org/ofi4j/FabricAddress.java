// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * The address of an endpoint: a value with a packed form and a text form. Immutable.
 *
 * <p>{@link #parse} and {@link Object#toString} read and write the text that {@code fi_av_straddr}
 * writes, such as {@code fi_sockaddr_in://10.1.1.7:5000}; see fi_getinfo(3) for the grammar.
 */
public sealed interface FabricAddress extends AddressHint {
  /**
   * {@return the format of the packed form, a concrete one, never {@link AddressFormat#SOCKADDR}}
   */
  AddressFormat format();

  /** {@return the packed form, as the C structure lies in memory, in a new array} */
  byte[] toBytes();

  /**
   * Parses the text form. An IPv4 or IPv6 address with a port may go without its format: {@code
   * 10.1.1.7:5000}, {@code [2001:db8::7]:5000}. Names are not resolved.
   *
   * @param text the address as text
   * @return the address; a {@link TextAddress} for names in shared memory, such as {@code
   *     fi_shm://1234:0:0} and {@code fi_ns://name}, which only their fabric understands
   * @throws FabricException with {@link Errno#EINVAL} that says what is wrong with the text; {@link
   *     Errno#ENOSYS} for {@code fi_addr_mlx} and {@code fi_addr_ucx}, whose text cannot be read
   *     back
   */
  static FabricAddress parse(String text) {
    return AddressTextParser.parse(Arguments.required(text, "text"));
  }

  /**
   * Unpacks an address.
   *
   * @param format the format; {@link AddressFormat#SOCKADDR} and {@link AddressFormat#SOCKADDR_IP}
   *     go by the family
   * @param packed the packed form; what follows it is ignored
   * @return the address
   * @throws FabricException with {@link Errno#EINVAL} if family or length are wrong
   */
  static FabricAddress of(AddressFormat format, byte[] packed) {
    return of(format, MemorySegment.ofArray(Arguments.required(packed, "packed")));
  }

  /**
   * Unpacks an address from memory.
   *
   * @param format the format; {@link AddressFormat#SOCKADDR} and {@link AddressFormat#SOCKADDR_IP}
   *     go by the family
   * @param packed the packed form; what follows it is ignored
   * @return the address
   * @throws FabricException with {@link Errno#EINVAL} if family or length are wrong
   * @throws IllegalStateException if the memory was freed
   * @throws WrongThreadException if the memory is of a confined arena of another thread
   */
  static FabricAddress of(AddressFormat format, MemorySegment packed) {
    return PackedAddress.unpack(
        Arguments.required(format, "format"), Arguments.required(packed, "packed"));
  }

  /**
   * Takes over an address of the JDK's.
   *
   * @param address a resolved address
   * @return the same as a fabric address
   * @throws FabricException with {@link Errno#EINVAL} if it is unresolved
   */
  static FabricAddress of(InetSocketAddress address) {
    return JavaAddress.from(Arguments.required(address, "address"));
  }

  /**
   * {@code struct sockaddr_in}.
   *
   * @param address the IPv4 address as one number, its first octet highest
   * @param port 0 to 65535
   */
  record SocketAddress4(int address, int port) implements FabricAddress {
    /** Checks the port. */
    public SocketAddress4 {
      JavaAddress.requirePort(port);
    }

    @Override
    public AddressFormat format() {
      return AddressFormat.SOCKADDR_IN;
    }

    @Override
    public byte[] toBytes() {
      return PackedAddress.pack(this);
    }

    /**
     * The same as an address of the JDK's.
     *
     * @return a resolved address
     */
    public InetSocketAddress toSocketAddress() {
      return JavaAddress.of(this);
    }

    /** The text that {@link FabricAddress#parse} reads. */
    @Override
    public String toString() {
      return AddressTextPrinter.print(this);
    }
  }

  /**
   * {@code struct sockaddr_in6}.
   *
   * @param high the first eight bytes of the IPv6 address as one number
   * @param low the last eight bytes
   * @param port 0 to 65535
   * @param flowInfo {@code sin6_flowinfo}, as the number that its bytes make in network order
   * @param scopeId {@code sin6_scope_id}: number of the interface for link-local addresses
   */
  record SocketAddress6(long high, long low, int port, int flowInfo, int scopeId)
      implements FabricAddress {
    /** Checks the port. */
    public SocketAddress6 {
      JavaAddress.requirePort(port);
    }

    @Override
    public AddressFormat format() {
      return AddressFormat.SOCKADDR_IN6;
    }

    @Override
    public byte[] toBytes() {
      return PackedAddress.pack(this);
    }

    /**
     * The same as an address of the JDK's, which has no place for the flow label.
     *
     * @return a resolved address
     */
    public InetSocketAddress toSocketAddress() {
      return JavaAddress.of(this);
    }

    /** The text that {@link FabricAddress#parse} reads; flow label and scope are not in it. */
    @Override
    public String toString() {
      return AddressTextPrinter.print(this);
    }
  }

  /**
   * An address of a format that only its provider understands, {@code struct sockaddr_ib} among
   * them.
   *
   * @param format the format
   * @param bytes the packed form, of the length that the format has
   */
  record ProviderAddress(AddressFormat format, byte[] bytes) implements FabricAddress {
    /** Checks the length and takes a copy. */
    public ProviderAddress {
      Arguments.required(format, "format");
      bytes = Arguments.required(bytes, "bytes").clone();
      PackedAddress.requireLayout(format, bytes);
    }

    /** {@return the packed form in a new array} */
    @Override
    public byte[] bytes() {
      return bytes.clone();
    }

    @Override
    public byte[] toBytes() {
      return bytes.clone();
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof ProviderAddress address
          && format == address.format
          && Arrays.equals(bytes, address.bytes);
    }

    @Override
    public int hashCode() {
      return format.hashCode() * 31 + Arrays.hashCode(bytes);
    }

    /** The text that the format has; of a format without text its name and the bytes. */
    @Override
    public String toString() {
      String text = AddressTextPrinter.print(format, bytes);
      return text == null ? format + "[" + HexFormat.of().formatHex(bytes) + "]" : text;
    }
  }

  /**
   * {@code FI_ADDR_STR}: an address that is kept in the spelling it was given in, right or wrong.
   *
   * @param text the text
   */
  record TextAddress(String text) implements FabricAddress {
    /** Checks that the text has a packed form. */
    public TextAddress {
      Arguments.required(text, "text");
      if (text.indexOf('\0') >= 0 || !StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
        throw new FabricException(
            Errno.EINVAL,
            "text of an address contains a zero character or half a surrogate pair, and so has no"
                + " packed form");
      }
    }

    @Override
    public AddressFormat format() {
      return AddressFormat.STR;
    }

    @Override
    public byte[] toBytes() {
      return PackedAddress.pack(this);
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
