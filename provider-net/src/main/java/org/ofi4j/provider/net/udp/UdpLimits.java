// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.udp;

/** What UDP and the endpoints over it can hold. */
public final class UdpLimits {
  /** The length field of IPv4 counts both headers: 65,535 - 20 - 8. */
  static final int MAX_MESSAGE_IPV4 = 65_507;

  /** The length field of IPv6 leaves its own header out: 65,535 - 8. */
  public static final int MAX_MESSAGE_IPV6 = 65_527;

  /** What one Ethernet frame carries over IPv4, and what libfabric's udp provider names. */
  public static final int INJECT_SIZE = 1_472;

  /** Sends and receives that can be posted at a time unless hints say otherwise. */
  public static final int QUEUE_SIZE = 1_024;

  /** The most sends or receives that hints may ask for. */
  public static final int MAX_QUEUE_SIZE = 1 << 16;

  /** Enough for a burst; the kernel gives what its own limit allows. */
  static final int RECEIVE_BUFFER = 1 << 20;

  private UdpLimits() {}

  public static int maxMessage(boolean ipv6) {
    return ipv6 ? MAX_MESSAGE_IPV6 : MAX_MESSAGE_IPV4;
  }
}
