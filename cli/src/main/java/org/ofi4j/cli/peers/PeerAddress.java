// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.Handles;
import org.ofi4j.InsertionFailure;

/**
 * Works out which address each peer of a line has, so that a failure can name it as single lines
 * do. Lines of names, or with a service by name, keep the words of the vector.
 *
 * @param base the first address, or null if it is a name
 * @param port the first port, or -1 if it is a name
 * @param ports how many ports each address has
 */
record PeerAddress(@Nullable InetAddress base, int port, int ports) {
  /** The addresses of a line. */
  static PeerAddress of(String node, String service, int services) {
    NumericHost numeric = NumericHost.parse(node);
    InetAddress base = numeric == null || numeric.missing() != null ? null : numeric.address();
    int port = service.matches("[0-9]{1,5}") ? Integer.parseInt(service) : -1;
    return new PeerAddress(base, port, services);
  }

  /** What to call the peer that failed. */
  String name(InsertionFailure failure) {
    InetAddress node = node(failure.position() / ports);
    if (node == null || port < 0) {
      return failure.address();
    }
    String text = node.getHostAddress();
    return (node instanceof Inet6Address ? "[" + text + "]" : text)
        + ":"
        + (port + failure.position() % ports);
  }

  /** Why it failed; of an address that is there already, where. */
  String reason(InsertionFailure failure, AddressVector vector) {
    InetAddress node = node(failure.position() / ports);
    if (failure.errno() == Errno.EALREADY && node != null && port >= 0) {
      int itsPort = port + failure.position() % ports;
      long handle = vector.find(FabricAddress.of(new InetSocketAddress(node, itsPort)));
      if (handle != Handles.NOT_AVAILABLE) {
        return AddressBatch.alreadyAs(handle);
      }
    }
    return failure.reason();
  }

  /** The address so many behind the first, or null if there is none. */
  private @Nullable InetAddress node(int offset) {
    if (base == null || offset == 0) {
      return base;
    }
    byte[] bytes = base.getAddress();
    long carry = offset;
    for (int i = bytes.length - 1; i >= 0 && carry > 0; i--) {
      carry += bytes[i] & 0xFF;
      bytes[i] = (byte) carry;
      carry >>= 8;
    }
    if (carry > 0) {
      return null;
    }
    try {
      return base instanceof Inet4Address
          ? InetAddress.getByAddress(bytes)
          : Inet6Address.getByAddress(null, bytes, ((Inet6Address) base).getScopeId());
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException("an address of " + bytes.length + " bytes", impossible);
    }
  }
}
