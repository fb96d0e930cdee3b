// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.ofi4j.internal.AddressTextParser;
import org.ofi4j.internal.AddressTextPrinter;
import org.ofi4j.internal.Arguments;
import org.ofi4j.internal.JavaAddress;
import org.ofi4j.internal.PackedAddress;

/**
 * The address of an endpoint: a value with a packed form and a text form. Immutable.
 *
 * <p>{@link Object#toString} gives a text such as {@code fi_sockaddr_in://10.1.1.7:5000}, after the
 * grammar of fi_getinfo(3), from which {@link #parse} makes an equal address, whatever its format.
 * {@link #toText} gives the text that {@code fi_av_straddr} writes, which is shorter where C leaves
 * something out.
 */
public sealed interface FabricAddress extends AddressHint {
  /**
   * {@return the format of the packed form, a concrete one, never {@link AddressFormat#SOCKADDR}}
   */
  AddressFormat format();

  /** {@return the packed form, as the C structure lies in memory, in a new array} */
  byte[] toBytes();

  /**
   * The text that {@code fi_av_straddr} writes, see fi_av(3). It leaves out the flow label and the
   * scope of IPv6, the service of InfiniBand but for its port space, the pointer of EFA and the
   * network of CXI, and all bytes of formats for which libfabric has no text. The text of a {@link
   * TextAddress} is the address itself.
   *
   * @return the text; {@link Object#toString} gives the whole address
   */
  String toText();

  /**
   * Parses the text form. An IPv4 or IPv6 address with a port may go without its format: {@code
   * 10.1.1.7:5000}, {@code [2001:db8::7]:5000}. Names are not resolved.
   *
   * @param text the address as text, as {@link Object#toString} and {@link #toText} give it
   * @return the address; a {@link TextAddress} for {@code fi_addr_str://text}, and for names in
   *     shared memory, such as {@code fi_shm://1234:0:0} and {@code fi_ns://name}, which only their
   *     fabric understands
   * @throws FabricException with {@link Errno#EINVAL} that says what is wrong with the text; {@link
   *     Errno#ENOSYS} for {@code fi_addr_mlx} and {@code fi_addr_ucx} as libfabric writes them,
   *     with a pointer in place of the address
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

    @Override
    public String toText() {
      return AddressTextPrinter.print(this);
    }

    /** The text that {@link FabricAddress#parse} reads. */
    @Override
    public String toString() {
      return toText();
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

    @Override
    public String toText() {
      return AddressTextPrinter.print(this);
    }

    /**
     * The text that {@link FabricAddress#parse} reads, with scope and flow label unless they are 0:
     * {@code fi_sockaddr_in6://[fe80::1]:5000?scope=2&flow=7}. The scope is the number of an
     * interface of this host, so give other hosts {@link #toText}.
     */
    @Override
    public String toString() {
      return AddressTextPrinter.printWhole(this);
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

    @Override
    public String toText() {
      return AddressTextPrinter.print(format, bytes);
    }

    /**
     * The text that {@link FabricAddress#parse} reads: that of the format, and the packed form in
     * hexadecimal if the text alone is not the whole address, as in {@code
     * fi_addr_gni://?bytes=0102ff}.
     */
    @Override
    public String toString() {
      return AddressTextPrinter.printWhole(this);
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
    public String toText() {
      return text;
    }

    /**
     * The text that {@link FabricAddress#parse} reads: the text alone of names in shared memory,
     * else {@code fi_addr_str://} and the text.
     */
    @Override
    public String toString() {
      return AddressTextPrinter.printWhole(this);
    }
  }
}
