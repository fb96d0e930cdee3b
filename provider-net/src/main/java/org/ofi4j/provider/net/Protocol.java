// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricInfo;
import org.ofi4j.Flag;
import org.ofi4j.provider.net.udp.UdpLimits;
import org.ofi4j.provider.net.wire.TcpLimits;

/** What endpoints of a provider of this module speak: what they can do, and what they hold. */
enum Protocol {
  /** Datagrams. */
  UDP(
      "udp",
      "UDP",
      EndpointType.DGRAM,
      "datagrams have",
      Flag.maskOf(
          Capability.MSG,
          Capability.SEND,
          Capability.RECEIVE,
          Capability.SOURCE,
          Capability.SOURCE_ERR,
          Capability.AV_USER_ID,
          Capability.SHARED_AV,
          Capability.LOCAL_COMM,
          Capability.REMOTE_COMM),
      Bounds.DATAGRAMS),

  /** Reliable messages over TCP, as libfabric's provider of the same name has them. */
  TCP(
      "tcp",
      "XNET",
      EndpointType.RDM,
      "endpoints over TCP have",
      Flag.maskOf(
          Capability.MSG,
          Capability.TAGGED,
          Capability.RMA,
          Capability.SEND,
          Capability.RECEIVE,
          Capability.READ,
          Capability.WRITE,
          Capability.REMOTE_READ,
          Capability.REMOTE_WRITE,
          Capability.MULTI_RECEIVE,
          Capability.DIRECTED_RECEIVE,
          Capability.TAGGED_DIRECTED_RECEIVE,
          Capability.EXACT_DIRECTED_RECEIVE,
          Capability.SOURCE,
          Capability.SOURCE_ERR,
          Capability.NAMED_RECEIVE_CONTEXT,
          Capability.AV_USER_ID,
          Capability.SHARED_AV,
          Capability.LOCAL_COMM,
          Capability.REMOTE_COMM),
      Bounds.MESSAGES),

  /** The same between two endpoints that applications connect, as libfabric's provider has it. */
  CONNECTED_TCP(
      "tcp",
      "SOCK_TCP",
      EndpointType.MSG,
      "endpoints of type MSG have",
      Flag.maskOf(
          Capability.MSG,
          Capability.TAGGED,
          Capability.SEND,
          Capability.RECEIVE,
          Capability.MULTI_RECEIVE,
          Capability.RMA,
          Capability.READ,
          Capability.WRITE,
          Capability.REMOTE_READ,
          Capability.REMOTE_WRITE,
          Capability.LOCAL_COMM,
          Capability.REMOTE_COMM),
      Bounds.MESSAGES);

  /** What an operation may have, and how many of them may be posted. */
  enum Bounds {
    DATAGRAMS(UdpLimits.INJECT_SIZE, UdpLimits.QUEUE_SIZE, UdpLimits.MAX_QUEUE_SIZE, 1, 0),
    MESSAGES(
        TcpLimits.INJECT_SIZE,
        TcpLimits.QUEUE_SIZE,
        TcpLimits.MAX_QUEUE_SIZE,
        TcpLimits.IOV_LIMIT,
        TcpLimits.RMA_IOV_LIMIT);

    final int injectSize;

    /** Sends and receives that can be posted at a time unless hints say otherwise. */
    final int queueSize;

    /** The most sends or receives that hints may ask for. */
    final int maxQueueSize;

    /** How many pieces of memory one message may have. */
    final int iovLimit;

    /** How many places in remote memory one operation may reach; 0 without remote access. */
    final int rmaIovLimit;

    Bounds(int injectSize, int queueSize, int maxQueueSize, int iovLimit, int rmaIovLimit) {
      this.injectSize = injectSize;
      this.queueSize = queueSize;
      this.maxQueueSize = maxQueueSize;
      this.iovLimit = iovLimit;
      this.rmaIovLimit = rmaIovLimit;
    }
  }

  private final String provider;
  private final String wire;
  private final EndpointType type;
  private final String have;
  private final long capabilities;
  private final Bounds bounds;

  Protocol(
      String provider,
      String wire,
      EndpointType type,
      String have,
      long capabilities,
      Bounds bounds) {
    this.provider = provider;
    this.wire = wire;
    this.type = type;
    this.have = have;
    this.capabilities = capabilities;
    this.bounds = bounds;
  }

  /** Whether a provider is one of this module. */
  static boolean isKnown(String provider) {
    return Arrays.stream(values()).anyMatch(each -> each.provider.equals(provider));
  }

  /** The protocol of an offer; null if it is none of this module's. */
  static @Nullable Protocol of(FabricInfo info) {
    return Arrays.stream(values())
        .filter(each -> each.provider.equals(info.fabric().provider()))
        .filter(each -> each.type == info.endpoint().type())
        .findFirst()
        .orElse(null);
  }

  /** The name that hints ask for. */
  String provider() {
    return provider;
  }

  /** The wire protocol in words. */
  String wire() {
    return wire;
  }

  EndpointType type() {
    return type;
  }

  /** All types of endpoint of the provider, in words. */
  String types() {
    return Arrays.stream(values())
        .filter(each -> each.provider.equals(provider))
        .map(each -> each.type.name())
        .collect(Collectors.joining(" and "));
  }

  /** Begins a sentence about what there is. */
  String have() {
    return have;
  }

  /** All that may be asked for, as bits; the rest of {@link Capability} is beyond the protocol. */
  long capabilities() {
    return capabilities;
  }

  boolean hasGroups() {
    return this == TCP;
  }

  Bounds bounds() {
    return bounds;
  }

  /** The longest message over a family of addresses. */
  long maxMessage(boolean ipv6) {
    return this == UDP ? UdpLimits.maxMessage(ipv6) : TcpLimits.MAX_MESSAGE;
  }

  /** How many authorization keys an endpoint may have, from its vector; 0 if there are none. */
  int maxAuthKeys() {
    return this == TCP ? TcpLimits.MAX_AUTH_KEYS : 0;
  }

  /** How many transmit contexts, and receive contexts, a scalable endpoint can have. */
  int maxContexts() {
    return this == TCP ? TcpLimits.CONTEXTS : 1;
  }

  boolean sharesReceives() {
    return this != UDP;
  }

  /** The longest message of all, in words. */
  String longest() {
    return this == UDP
        ? "the longest datagram has " + UdpLimits.MAX_MESSAGE_IPV6 + " bytes over IPv6"
        : "the longest message has " + TcpLimits.MAX_MESSAGE + " bytes";
  }
}
