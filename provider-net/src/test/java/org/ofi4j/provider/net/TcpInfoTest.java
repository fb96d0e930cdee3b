// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricInfo.EndpointAttributes;
import org.ofi4j.Fabrics;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.Limits;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Progress;
import org.ofi4j.Threading;

/** What tcp offers for hints, and in which words it refuses. */
class TcpInfoTest {
  private static final NetProvider PROVIDER = new NetProvider();

  private static final Set<Capability> OFFERED =
      EnumSet.of(
          Capability.MSG,
          Capability.TAGGED,
          Capability.RMA,
          Capability.SEND,
          Capability.RECEIVE,
          Capability.READ,
          Capability.WRITE,
          Capability.REMOTE_READ,
          Capability.REMOTE_WRITE,
          Capability.SOURCE,
          Capability.SOURCE_ERR,
          Capability.MULTI_RECEIVE,
          Capability.DIRECTED_RECEIVE,
          Capability.TAGGED_DIRECTED_RECEIVE,
          Capability.EXACT_DIRECTED_RECEIVE,
          Capability.NAMED_RECEIVE_CONTEXT,
          Capability.AV_USER_ID,
          Capability.SHARED_AV,
          Capability.LOCAL_COMM,
          Capability.REMOTE_COMM);

  private static Hints tcp() {
    return Hints.latest().withProvider("tcp");
  }

  private static Hints connected() {
    return tcp().withEndpointType(EndpointType.MSG);
  }

  private static FabricInfo first(Hints hints) {
    return PROVIDER.info(hints).best();
  }

  static Stream<Arguments> refusals() {
    return Stream.of(
        arguments(
            "version", Hints.of(new ApiVersion(2, 8)).withProvider("tcp"), 38, List.of("2.8")),
        arguments(
            "fabric", tcp().withFabric("moon"), 61, List.of("fabric", "moon", "this host has")),
        arguments("DGRAM", tcp().withEndpointType(EndpointType.DGRAM), 61, List.of("DGRAM", "RDM")),
        arguments(
            "MSG over UDP",
            Hints.latest().withProvider("udp").withEndpointType(EndpointType.MSG),
            61,
            List.of("MSG", "DGRAM only")),
        arguments(
            "source of a connected peer",
            connected().withCapabilities(Capability.MSG, Capability.SOURCE),
            61,
            List.of("SOURCE", "endpoints of type MSG have", "TAGGED")),
        arguments(
            "format",
            tcp().withAddressFormat(AddressFormat.EFA),
            61,
            List.of("EFA", "SOCKADDR_IN")),
        arguments(
            "SOURCE_ERR alone",
            tcp().withCapabilities(Capability.SOURCE_ERR),
            61,
            List.of("SOURCE_ERR", "SOURCE")),
        arguments(
            "groups between connected peers",
            connected().withMaxGroupId(255),
            61,
            List.of("max_group_id 255", "endpoints of type MSG have no peer groups")),
        arguments(
            "groups before their time",
            Hints.of(ApiVersion.V1_20).withProvider("tcp").withMaxGroupId(255),
            61,
            List.of("max_group_id", "2.0", "1.20")),
        arguments(
            "negative groups",
            tcp().withMaxGroupId(-5),
            61,
            List.of("max_group_id -5", "2147483647")),
        arguments(
            "key of the domain's own",
            tcp().withAuthKeys(AuthKeyHints.none().withDomainKey(new byte[8])),
            61,
            List.of("auth_key of 8 bytes for the domain", "address vector")),
        arguments(
            "too many keys",
            tcp().withAuthKeys(AuthKeyHints.inVector(257)),
            61,
            List.of("max_ep_auth_key 257", "256")),
        arguments(
            "keys without vector",
            tcp().withAuthKeys(AuthKeyHints.none().withMaxEndpointKeys(2)),
            61,
            List.of("max_ep_auth_key 2", "address vector")),
        arguments(
            "keys of an endpoint's own",
            tcp().withAuthKeys(AuthKeyHints.inVector().withEndpointKey(new byte[32])),
            61,
            List.of("auth_key of 32 bytes", "address vector")),
        arguments(
            "tx contexts",
            tcp().withTransmitContexts(257),
            61,
            List.of("tx_ctx_cnt 257", "up to 256")),
        arguments(
            "rx contexts",
            tcp().withReceiveContexts(-2),
            61,
            List.of("rx_ctx_cnt -2", "up to 256")),
        arguments(
            "shared receives with keys",
            tcp()
                .withAuthKeys(AuthKeyHints.inVector())
                .withReceiveContexts(EndpointAttributes.SHARED_CONTEXT),
            61,
            List.of("rx_ctx_cnt SHARED_CONTEXT with authorization keys", "share no receives")),
        arguments(
            "message",
            tcp().withLimits(Limits.none().withMaxMessageSize((1L << 62) + 1)),
            61,
            List.of("4611686018427387905", "4611686018427387904")),
        arguments(
            "READ alone", tcp().withCapabilities(Capability.READ), 61, List.of("READ without RMA")),
        arguments(
            "mr_mode BASIC",
            tcp().withMemoryRegionModes(MemoryRegionMode.BASIC),
            61,
            List.of("mr_mode BASIC", "offset")),
        arguments(
            "inject",
            tcp().withLimits(Limits.none().withInjectSize(1_025)),
            61,
            List.of("inject_size 1025", "1024")),
        arguments(
            "tx size",
            tcp().withLimits(Limits.none().withTransmitSize(65_537)),
            61,
            List.of("tx_attr.size", "65536")),
        arguments(
            "rx size",
            tcp().withLimits(Limits.none().withReceiveSize(-5)),
            61,
            List.of("rx_attr.size -5", "65536")),
        arguments(
            "foreign source",
            tcp().withSource(FabricAddress.parse("fi_sockaddr_in://192.0.2.250:1")),
            61,
            List.of("192.0.2.250", "127.0.0.1")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusals")
  @Tag("AV-188")
  @Tag("AV-199")
  @DisplayName("A hint that cannot be met is refused in words that name it and what there is")
  void refusal(String what, Hints hints, int errno, List<String> words) {
    Refusals.assertRefused(String.valueOf(hints.provider()), what, hints, errno, words);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 255, Integer.MAX_VALUE})
  @Tag("AV-199")
  @DisplayName("The largest peer group is what was asked for")
  void groups(int most) {
    for (FabricInfo info : Fabrics.info(tcp().withMaxGroupId(most)).offers()) {
      assertThat(info.domain().maxGroupId()).isEqualTo(most);
    }
    assertThat(Fabrics.info(tcp().withMaxGroupId(most)).offers()).isNotEmpty();
    // Without a type, those of a type without groups are left out.
    assertThat(
            Fabrics.info(Hints.of(ApiVersion.V2_0).withProvider("tcp").withMaxGroupId(most))
                .offers())
        .isNotEmpty()
        .allMatch(info -> most == 0 || info.endpoint().type() == EndpointType.RDM);
  }

  @Test
  @Tag("AV-199")
  @DisplayName("Information that was given groups by hand opens no domain without groups")
  void forgedGroups() {
    FabricInfo info = Fabrics.info(Hints.latest().withProvider("udp")).best();
    FabricInfo forged =
        info.toBuilder().domain(info.domain().toBuilder().maxGroupId(255).build()).build();
    try (Fabric fabric = Fabrics.open(info)) {
      assertThatThrownBy(() -> fabric.openDomain(forged))
          .isInstanceOf(FabricException.class)
          .hasMessageContainingAll("max_group_id 255", "no peer groups");
    }
  }

  static Stream<Capability> lacking() {
    return EnumSet.complementOf(EnumSet.copyOf(OFFERED)).stream();
  }

  @ParameterizedTest
  @MethodSource("lacking")
  @Tag("AV-188")
  @DisplayName("Capabilities that endpoints over TCP lack are refused by name")
  void lacking(Capability capability) {
    Refusals.assertLacking(tcp(), capability, "endpoints over TCP have");
  }

  @Test
  @Tag("AV-187")
  @DisplayName("All capabilities that there are can be had together")
  void everything() {
    FabricInfo info = first(tcp().withCapabilities(OFFERED.toArray(Capability[]::new)));

    assertThat(OFFERED).allMatch(info::has);
  }

  @Test
  @DisplayName("Remote access is limited by what is named of it, and needs nothing of applications")
  void remoteAccess() {
    long all =
        Flag.maskOf(
            Capability.READ, Capability.WRITE, Capability.REMOTE_READ, Capability.REMOTE_WRITE);
    FabricInfo unlimited = first(tcp().withCapabilities(Capability.RMA));
    assertThat(unlimited.capabilities() & all).isEqualTo(all);
    assertThat(unlimited.has(Capability.MSG)).isFalse();
    assertThat(unlimited.transmit().rmaIovLimit()).isEqualTo(4);
    assertThat(unlimited.domain().memoryRegionKeySize()).isEqualTo(8);
    FabricInfo limited = first(tcp().withCapabilities(Capability.RMA, Capability.REMOTE_READ));
    assertThat(limited.capabilities() & all).isEqualTo(Capability.REMOTE_READ.mask());
    assertThat(first(tcp().withCapabilities(Capability.MSG)).capabilities() & all).isZero();
    assertThat(first(tcp()).capabilities() & all).isEqualTo(all);

    Hints prepared =
        tcp()
            .withMemoryRegionModes(
                MemoryRegionMode.LOCAL,
                MemoryRegionMode.VIRTUAL_ADDRESS,
                MemoryRegionMode.PROVIDER_KEY,
                MemoryRegionMode.ALLOCATED);
    assertThat(first(prepared).domain().memoryRegionModes()).isZero();
    assertThat(
            first(tcp().withMemoryRegionModes(MemoryRegionMode.SCALABLE))
                .domain()
                .memoryRegionModes())
        .isEqualTo(MemoryRegionMode.SCALABLE.mask());
  }

  @Test
  @DisplayName("An offer says all there is to say")
  void offer() {
    FabricInfo info = first(tcp().withSource("127.0.0.1:5000"));

    assertThat(info.fabric().provider()).isEqualTo("tcp");
    assertThat(info.fabric().name()).isEqualTo("127.0.0.0/8");
    assertThat(info.source()).isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:5000"));
    assertThat(info.destination()).isNull();
    assertThat(info.endpoint().type()).isEqualTo(EndpointType.RDM);
    assertThat(info.endpoint().protocol()).isEqualTo("XNET");
    assertThat(info.endpoint().maxMessageSize()).isEqualTo(1L << 62);
    assertThat(info.transmit().injectSize()).isEqualTo(1_024);
    assertThat(info.transmit().size()).isEqualTo(1_024);
    assertThat(info.receive().size()).isEqualTo(1_024);
    assertThat(info.domain().threading()).isEqualTo(Threading.SAFE);
    assertThat(info.domain().progress()).isEqualTo(Progress.MANUAL);
  }

  @Test
  @Tag("AV-187")
  @DisplayName("Kinds of messages are granted unless one is named, the source only if asked for")
  void capabilities() {
    FabricInfo unasked = first(tcp());
    assertThat(unasked.has(Capability.MSG)).isTrue();
    assertThat(unasked.has(Capability.TAGGED)).isTrue();
    assertThat(unasked.has(Capability.SOURCE)).isTrue();
    assertThat(unasked.has(Capability.SOURCE_ERR)).isFalse();

    FabricInfo tagged = first(tcp().withCapabilities(Capability.TAGGED));
    assertThat(tagged.has(Capability.TAGGED)).isTrue();
    assertThat(tagged.has(Capability.MSG)).isFalse();
    assertThat(tagged.has(Capability.SOURCE)).isFalse();
    assertThat(tagged.has(Capability.SEND)).isTrue();
    assertThat(tagged.has(Capability.RECEIVE)).isTrue();

    FabricInfo receiver = first(tcp().withCapabilities(Capability.MSG, Capability.RECEIVE));
    assertThat(receiver.has(Capability.SEND)).isFalse();
  }

  @Test
  @Tag("AV-214")
  @DisplayName("Endpoints with one peer are offered too, behind those with many unless asked for")
  void connectedEndpoints() {
    assertThat(PROVIDER.info(connected()).offers())
        .isNotEmpty()
        .allSatisfy(offer -> {
          assertThat(offer.endpoint().type()).isEqualTo(EndpointType.MSG);
          assertThat(offer.endpoint().protocol()).isEqualTo("SOCK_TCP");
          assertThat(offer.has(Capability.MSG)).isTrue();
          assertThat(offer.has(Capability.TAGGED)).isTrue();
          assertThat(offer.has(Capability.SOURCE)).isFalse();
          assertThat(offer.handle()).isNull();
        });
    List<EndpointType> types =
        PROVIDER.info(tcp()).offers().stream()
            .map(offer -> offer.endpoint().type())
            .distinct()
            .toList();
    assertThat(types).containsExactly(EndpointType.RDM, EndpointType.MSG);
    // Directed receives need a choice of senders.
    assertThat(PROVIDER.info(tcp().withCapabilities(Capability.DIRECTED_RECEIVE)).offers())
        .isNotEmpty()
        .allMatch(offer -> offer.endpoint().type() == EndpointType.RDM);
    assertThat(PROVIDER.names()).containsExactly("udp", "tcp");
  }

  @Test
  @DisplayName("What only one of the two can do chooses the provider")
  void choice() {
    assertThat(PROVIDER.info(Hints.reliable()).offers())
        .isNotEmpty()
        .allMatch(offer -> offer.fabric().provider().equals("tcp"));
    assertThat(PROVIDER.info(Hints.latest().withCapabilities(Capability.TAGGED)).offers())
        .isNotEmpty()
        .allMatch(offer -> offer.fabric().provider().equals("tcp"));
    assertThat(PROVIDER.info(Hints.datagram()).offers())
        .isNotEmpty()
        .allMatch(offer -> offer.fabric().provider().equals("udp"));
    List<String> both =
        PROVIDER.info(Hints.latest()).offers().stream()
            .map(offer -> offer.fabric().provider())
            .distinct()
            .toList();
    assertThat(both).containsExactly("udp", "tcp");
  }

  @Test
  @DisplayName("ServiceLoader finds the provider, and each offer opens")
  void opens() {
    for (FabricInfo offer : Fabrics.info(tcp()).offers()) {
      try (Fabric fabric = Fabrics.open(offer)) {
        fabric.openDomain().close();
      }
    }
  }
}
