// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;

/**
 * A numeric address of a host, with the zone of RFC 4007 after {@code %} if it has one.
 *
 * @param address the address; without its zone if this host has no such interface
 * @param missing the zone if it names no interface of this host, else null
 */
record NumericHost(InetAddress address, @Nullable String missing) {
  /** {@return the address, or null if the text is no numeric address} */
  static @Nullable NumericHost parse(String text) {
    int percent = text.indexOf('%');
    InetAddress address = literal(percent < 0 ? text : text.substring(0, percent));
    if (address == null || percent < 0) {
      return address == null ? null : new NumericHost(address, null);
    }
    String zone = text.substring(percent + 1);
    if (!(address instanceof Inet6Address) || zone.isEmpty()) {
      return null;
    }
    // InetAddress.ofLiteral takes the name of an interface only if the interface has an address of
    // the same scope. The loopback interface of Linux has none for fe80::1%lo.
    int scope = scope(zone);
    if (scope < 0) {
      return new NumericHost(address, zone);
    }
    try {
      return new NumericHost(Inet6Address.getByAddress(null, address.getAddress(), scope), null);
    } catch (UnknownHostException impossible) {
      throw new IllegalStateException("an IPv6 address has 16 bytes", impossible);
    }
  }

  private static @Nullable InetAddress literal(String text) {
    try {
      return InetAddress.ofLiteral(text);
    } catch (IllegalArgumentException name) {
      return null;
    }
  }

  /** Returns the number of an interface that is given by number or name, or -1. */
  private static int scope(String zone) {
    if (zone.matches("[0-9]{1,9}")) {
      return Integer.parseInt(zone);
    }
    try {
      NetworkInterface device = NetworkInterface.getByName(zone);
      return device == null ? -1 : device.getIndex();
    } catch (SocketException unknown) {
      return -1;
    }
  }

  /**
   * {@return the address with its zone}
   *
   * @throws UnknownHostException if the zone names no interface of this host
   */
  InetAddress required() throws UnknownHostException {
    if (missing != null) {
      throw new UnknownHostException(
          "\"" + missing + "\", the zone of its address, is no network interface of this host");
    }
    return address;
  }
}
