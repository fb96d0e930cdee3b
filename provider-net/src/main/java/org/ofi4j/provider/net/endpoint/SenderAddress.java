// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressFormat;
import org.ofi4j.FabricAddress;
import org.ofi4j.provider.kit.MessageSource;
import org.ofi4j.provider.kit.Peers;
import org.ofi4j.provider.kit.SocketAddressKey;

/**
 * The address of who sent something, packed as a vector may have it: there can be two forms, of
 * which the vector has one at most.
 */
public final class SenderAddress {
  private static final int PACKED = 28;

  private final MemorySegment packed = MemorySegment.ofArray(new byte[PACKED]);
  // The other form, if there is one.
  private @Nullable MemorySegment otherwise;
  private int length;

  /**
   * Becomes an address.
   *
   * @param ipv6 which family the endpoint's socket is of
   * @param format how the vector's addresses are written
   * @param interfaceIndex the scope that link-local addresses may leave out
   */
  public void set(
      InetSocketAddress sender,
      boolean ipv6,
      AddressFormat format,
      int interfaceIndex,
      SocketAddressKey key) {
    SocketAddresses.read(sender, ipv6 && format == AddressFormat.SOCKADDR_IN6, key);
    length = key.write(packed);
    boolean hasOther = false;
    if (key.isIpv4()) {
      if (ipv6) {
        // A vector of both families may hold an IPv4 peer in the dress of IPv6.
        SocketAddresses.read(sender, true, key);
        hasOther = true;
      }
    } else if ((int) (key.scopeAndPort() >>> 32) == interfaceIndex) {
      // Text has no room for a scope, and an address from elsewhere was given without.
      key.setIpv6(key.high(), key.low(), (int) key.scopeAndPort() & 0xFFFF, 0);
      hasOther = true;
    }
    MemorySegment other = null;
    if (hasOther) {
      other = otherwise == null ? MemorySegment.ofArray(new byte[PACKED]) : otherwise;
      key.write(other);
    }
    otherwise = other;
  }

  /**
   * Finds what a vector has of the address under an authorization key, or under none.
   *
   * @param authKey its number, or {@link Peers#NO_AUTH_KEY}
   * @return whether the vector has it
   */
  public boolean find(Peers peers, int authKey, MessageSource into) {
    return peers.findSource(packed, authKey, into)
        || (otherwise != null && peers.findSource(otherwise, authKey, into));
  }

  /** The address as a vector of a format takes it. */
  public byte[] toBytes(AddressFormat format) {
    return format == AddressFormat.STR
        ? (this + "\0").getBytes(StandardCharsets.UTF_8)
        : packed.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
  }

  @Override
  public String toString() {
    return FabricAddress.of(AddressFormat.SOCKADDR, packed.asSlice(0, length)).toString();
  }
}
