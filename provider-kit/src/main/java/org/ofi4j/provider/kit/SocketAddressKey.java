// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import java.lang.foreign.MemorySegment;
import org.ofi4j.AddressFormat;
import org.ofi4j.core.address.AddressCodec;
import org.ofi4j.core.address.AddressKey;

/**
 * A socket address as numbers, between its packed form in a vector and the addresses of the JDK:
 * reading and writing it allocates nothing. Used again for other addresses. For one thread at a
 * time.
 */
public final class SocketAddressKey {
  private static final AddressCodec CODEC = AddressCodec.of(AddressFormat.SOCKADDR);

  private final AddressKey key = new AddressKey();

  /** An address that was not set. */
  public SocketAddressKey() {}

  /**
   * Becomes the address of a {@code struct sockaddr_in} or {@code sockaddr_in6}.
   *
   * @param packed 16 or 28 bytes, as {@link Peers#socketAddress} writes them
   * @return false if it is no address of a peer, such as that of any host
   */
  public boolean read(MemorySegment packed) {
    return CODEC.read(packed, 0, key) == 0;
  }

  /**
   * Writes the address as a {@code struct sockaddr_in} or {@code sockaddr_in6}.
   *
   * @param target takes 16 or 28 bytes
   * @return the number of bytes
   */
  public int write(MemorySegment target) {
    return AddressCodec.socketAddress(key, target);
  }

  /**
   * Becomes an IPv4 address.
   *
   * @param addressAndPort {@code address << 16 | port}
   */
  public void setIpv4(long addressAndPort) {
    key.setIpv4(addressAndPort);
  }

  /**
   * Becomes an IPv6 address.
   *
   * @param high the upper 8 bytes
   * @param low the lower 8 bytes
   * @param port the port, 0 to 65535
   * @param scope the number of an interface; 0 for none
   */
  public void setIpv6(long high, long low, int port, int scope) {
    key.setIpv6(high, low, port, 0, scope);
  }

  /**
   * Returns whether this is an IPv4 address.
   *
   * @return false if it is an IPv6 address
   */
  public boolean isIpv4() {
    return key.isIpv4();
  }

  /**
   * Returns the IPv4 address.
   *
   * @return {@code address << 16 | port}
   */
  public long ipv4() {
    return key.ipv4();
  }

  /**
   * Returns the upper 8 bytes of the IPv6 address.
   *
   * @return the bytes as a number in network order
   */
  public long high() {
    return key.word(0);
  }

  /**
   * Returns the lower 8 bytes of the IPv6 address.
   *
   * @return the bytes as a number in network order
   */
  public long low() {
    return key.word(1);
  }

  /**
   * Returns the scope and the port of the IPv6 address.
   *
   * @return {@code scope << 32 | port}
   */
  public long scopeAndPort() {
    return key.word(2);
  }

  @Override
  public String toString() {
    return key.toString();
  }
}
