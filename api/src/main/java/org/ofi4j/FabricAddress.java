package org.ofi4j;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The address of an endpoint: a value with a packed form and a text form. Immutable.
 *
 * <p>{@link #parse} and {@link Object#toString} read and write the text that {@code fi_av_straddr}
 * writes, such as {@code fi_sockaddr_in://10.1.1.7:5000}; see fi_getinfo(3) for the grammar.
 */
public sealed interface FabricAddress {
  /**
   * The format of the packed form.
   *
   * @return a concrete format, never {@link AddressFormat#SOCKADDR}
   */
  AddressFormat format();

  /**
   * The packed form, as the C structure lies in memory.
   *
   * @return a new array
   */
  byte[] toBytes();

  /**
   * Parses the text form.
   *
   * @param text the address as text
   * @return the address
   * @throws FabricException with {@link Errno#EINVAL} that says what is wrong with the text; {@link
   *     Errno#ENOSYS} for formats that have no text
   */
  static FabricAddress parse(String text) {
    throw new UnsupportedOperationException(text);
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
    return of(format, MemorySegment.ofArray(packed));
  }

  /**
   * Unpacks an address from memory.
   *
   * @param format the format; {@link AddressFormat#SOCKADDR} and {@link AddressFormat#SOCKADDR_IP}
   *     go by the family
   * @param packed the packed form; what follows it is ignored
   * @return the address
   * @throws FabricException with {@link Errno#EINVAL} if family or length are wrong
   */
  static FabricAddress of(AddressFormat format, MemorySegment packed) {
    throw new UnsupportedOperationException(format + " " + packed);
  }

  /**
   * Takes over an address of the JDK's.
   *
   * @param address a resolved address
   * @return the same as a fabric address
   * @throws FabricException with {@link Errno#EINVAL} if it is unresolved
   */
  static FabricAddress of(InetSocketAddress address) {
    throw new UnsupportedOperationException(address.toString());
  }

  /**
   * {@code struct sockaddr_in}.
   *
   * @param address the IPv4 address as one number, its first octet highest
   * @param port 0 to 65535
   */
  record SocketAddress4(int address, int port) implements FabricAddress {
    @Override
    public AddressFormat format() {
      return AddressFormat.SOCKADDR_IN;
    }

    @Override
    public byte[] toBytes() {
      throw new UnsupportedOperationException();
    }
  }

  /**
   * {@code struct sockaddr_in6}.
   *
   * @param high the first eight bytes of the IPv6 address as one number
   * @param low the last eight bytes
   * @param port 0 to 65535
   * @param flowInfo {@code sin6_flowinfo}
   * @param scopeId {@code sin6_scope_id}: number of the interface for link-local addresses
   */
  record SocketAddress6(long high, long low, int port, int flowInfo, int scopeId)
      implements FabricAddress {
    @Override
    public AddressFormat format() {
      return AddressFormat.SOCKADDR_IN6;
    }

    @Override
    public byte[] toBytes() {
      throw new UnsupportedOperationException();
    }
  }

  /**
   * An address of a format that only its provider understands, {@code struct sockaddr_ib} among
   * them.
   *
   * @param format the format
   * @param bytes the packed form
   */
  record ProviderAddress(AddressFormat format, byte[] bytes) implements FabricAddress {
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
  }

  /**
   * {@code FI_ADDR_STR}: an address that is kept in the spelling it was given in.
   *
   * @param text the text
   */
  record TextAddress(String text) implements FabricAddress {
    @Override
    public AddressFormat format() {
      return AddressFormat.STR;
    }

    @Override
    public byte[] toBytes() {
      throw new UnsupportedOperationException();
    }

    @Override
    public String toString() {
      return text;
    }
  }
}
