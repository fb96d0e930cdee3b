// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.util.Arrays;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricInfo.DomainAttributes;
import org.ofi4j.FabricInfo.EndpointAttributes;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Progress;
import org.ofi4j.Threading;
import org.ofi4j.provider.kit.HintCheck;
import org.ofi4j.provider.net.udp.UdpLimits;
import org.ofi4j.provider.net.wire.TcpLimits;

/** The protocols of the providers of this module, with the most that their endpoints can do. */
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
          Capability.REMOTE_COMM)),

  /** Reliable messages over TCP, as libfabric's provider of the same name has them. */
  TCP(
      "tcp",
      "XNET",
      EndpointType.RDM,
      "endpoints over TCP have",
      Messages.CAPABILITIES
          | Flag.maskOf(
              Capability.DIRECTED_RECEIVE,
              Capability.TAGGED_DIRECTED_RECEIVE,
              Capability.EXACT_DIRECTED_RECEIVE,
              Capability.SOURCE,
              Capability.SOURCE_ERR,
              Capability.NAMED_RECEIVE_CONTEXT,
              Capability.AV_USER_ID,
              Capability.SHARED_AV)),

  /** The same between two endpoints that applications connect, as libfabric's provider has it. */
  CONNECTED_TCP(
      "tcp", "SOCK_TCP", EndpointType.MSG, "endpoints of type MSG have", Messages.CAPABILITIES);

  /** Messages over TCP, whether to one peer or to many. */
  private static final class Messages {
    static final long CAPABILITIES =
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
            Capability.LOCAL_COMM,
            Capability.REMOTE_COMM);
  }

  private static final String VERSION = "0.1";

  private final String provider;
  private final String wire;
  private final EndpointType type;
  private final String have;
  private final long capabilities;

  Protocol(String provider, String wire, EndpointType type, String have, long capabilities) {
    this.provider = provider;
    this.wire = wire;
    this.type = type;
    this.have = have;
    this.capabilities = capabilities;
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

  /** Returns all types of endpoints of the provider, in words. */
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

  /** Returns the most that endpoints can have, whatever the network. */
  FabricInfo most(Hints hints) {
    boolean udp = this == UDP;
    boolean rdm = this == TCP;
    int contexts = rdm ? TcpLimits.CONTEXTS : 1;
    int queueSize = udp ? UdpLimits.QUEUE_SIZE : TcpLimits.QUEUE_SIZE;
    int iovLimit = udp ? 1 : TcpLimits.IOV_LIMIT;
    return HintCheck.describe(hints)
        .capabilities(capabilities)
        .fabric(
            FabricInfo.FabricAttributes.builder()
                .provider(provider)
                .providerVersion(VERSION)
                .build())
        .domain(
            DomainAttributes.builder()
                .threading(Threading.SAFE)
                .progress(Progress.AUTO)
                .maxGroupId(rdm ? Integer.MAX_VALUE : 0)
                .authKeySize(rdm ? DomainAttributes.KEYS_IN_VECTOR : 0)
                .maxEndpointAuthKeys(rdm ? TcpLimits.MAX_AUTH_KEYS : 0)
                .maxEndpointTransmitContexts(contexts)
                .maxEndpointReceiveContexts(contexts)
                .memoryRegionModes(MemoryRegionMode.SCALABLE.mask())
                .memoryRegionKeySize(udp ? 0 : Long.BYTES)
                .build())
        .endpoint(
            EndpointAttributes.builder()
                .type(type)
                .protocol(wire)
                .maxMessageSize(maxMessage(true))
                .receiveContexts(udp ? 1 : EndpointAttributes.SHARED_CONTEXT)
                .build())
        .transmit(
            FabricInfo.Transmit.builder()
                .injectSize(udp ? UdpLimits.INJECT_SIZE : TcpLimits.INJECT_SIZE)
                .size(queueSize)
                .iovLimit(iovLimit)
                .rmaIovLimit(udp ? 0 : TcpLimits.RMA_IOV_LIMIT)
                .build())
        .receive(FabricInfo.Receive.builder().size(queueSize).iovLimit(iovLimit).build())
        .build();
  }

  /** Returns the largest number of sends or receives that can be posted at a time. */
  int mostPosted() {
    return this == UDP ? UdpLimits.MAX_QUEUE_SIZE : TcpLimits.MAX_QUEUE_SIZE;
  }

  /** Returns the length of the longest message over a family of addresses. */
  long maxMessage(boolean ipv6) {
    return this == UDP ? UdpLimits.maxMessage(ipv6) : TcpLimits.MAX_MESSAGE;
  }
}
