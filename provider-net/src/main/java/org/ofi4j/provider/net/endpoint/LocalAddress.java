// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.endpoint;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.InterfaceAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.ofi4j.FabricAddress;

/**
 * One address of one interface of this host.
 *
 * @param interfaceName the interface, which is the domain
 * @param interfaceIndex its number, which is the scope of link-local addresses
 * @param loopback whether it reaches this host alone
 * @param network the network in the form {@code 192.0.2.0/24}, which is the fabric
 */
public record LocalAddress(
    String interfaceName,
    int interfaceIndex,
    boolean loopback,
    InetAddress address,
    String network) {

  /** Other hosts before this one, IPv4 before IPv6, whole networks before single links. */
  private static final Comparator<LocalAddress> BEST_FIRST =
      Comparator.comparing(LocalAddress::loopback)
          .thenComparing(LocalAddress::isIpv6)
          .thenComparing(local -> local.address.isLinkLocalAddress())
          .thenComparingInt(LocalAddress::interfaceIndex);

  public boolean isIpv6() {
    return address instanceof Inet6Address;
  }

  /** All addresses of the interfaces that are up, best first. */
  public static List<LocalAddress> all() throws SocketException {
    List<LocalAddress> found = new ArrayList<>();
    for (NetworkInterface each : NetworkInterface.networkInterfaces().toList()) {
      try {
        if (each.isUp()) {
          boolean loopback = each.isLoopback();
          for (InterfaceAddress address : each.getInterfaceAddresses()) {
            found.add(of(each, loopback, address));
          }
        }
      } catch (SocketException gone) {
        // Interfaces of containers come and go, also between being listed and being asked.
      }
    }
    found.sort(BEST_FIRST);
    return List.copyOf(found);
  }

  private static LocalAddress of(NetworkInterface each, boolean loopback, InterfaceAddress found) {
    InetAddress address = withoutNeedlessScope(found.getAddress());
    return new LocalAddress(
        each.getName(),
        each.getIndex(),
        loopback,
        address,
        network(address, found.getNetworkPrefixLength()));
  }

  /** The JDK gives every IPv6 address of an interface its scope; only link-local ones need it. */
  private static InetAddress withoutNeedlessScope(InetAddress address) {
    return address instanceof Inet6Address && !address.isLinkLocalAddress()
        ? ofBytes(address.getAddress())
        : address;
  }

  private static String network(InetAddress address, int prefixLength) {
    byte[] bytes = address.getAddress();
    for (int bit = prefixLength; bit < bytes.length * Byte.SIZE; bit++) {
      bytes[bit / Byte.SIZE] &= (byte) ~(0x80 >>> bit % Byte.SIZE);
    }
    return text(ofBytes(bytes)) + "/" + prefixLength;
  }

  /** The address in the text form of the fabric's addresses, without brackets and port. */
  public static String text(InetAddress address) {
    String whole = FabricAddress.of(new InetSocketAddress(address, 0)).toText();
    String host = whole.substring(whole.indexOf("://") + 3, whole.lastIndexOf(':'));
    return host.startsWith("[") ? host.substring(1, host.length() - 1) : host;
  }

  private static InetAddress ofBytes(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException wrongLength) {
      throw new IllegalArgumentException(wrongLength);
    }
  }
}
