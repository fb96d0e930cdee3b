// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressResolver;
import org.ofi4j.ApiVersion;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Limits;
import org.ofi4j.NodeService;
import org.ofi4j.Profile;
import org.ofi4j.Progress;
import org.ofi4j.Threading;
import org.ofi4j.VectorType;
import org.ofi4j.spi.FabricProvider;

/** What udp offers for hints, and in which words it refuses. */
class InfoTest {
  private static final NetProvider PROVIDER = new NetProvider();

  private static FabricInfo first(Hints hints) {
    return PROVIDER.info(hints).best();
  }

  private static Hints udp() {
    return Hints.latest().withProvider("udp");
  }

  static Stream<Arguments> refusals() {
    Hints any = udp();
    Hints v14 = Hints.of(new ApiVersion(1, 4)).withProvider("udp");
    return Stream.of(
        arguments(
            "version",
            Hints.of(new ApiVersion(2, 8)).withProvider("udp"),
            38,
            List.of("2.8", "2.7")),
        arguments(
            "major version",
            Hints.of(new ApiVersion(3, 0)).withProvider("udp"),
            38,
            List.of("3.0", "2.7")),
        arguments(
            "profile", any.withProfile(Profile.RELEASE_1_0), 61, List.of("RELEASE_2_0", "2.7")),
        arguments("provider", any.withProvider("verbs"), 61, List.of("verbs", "udp")),
        arguments("fabric", any.withFabric("moon"), 61, List.of("fabric", "moon", "this host has")),
        arguments(
            "domain", any.withDomain("moon0"), 61, List.of("domain", "moon0", "this host has")),
        arguments("RDM", any.withEndpointType(EndpointType.RDM), 61, List.of("RDM", "DGRAM")),
        arguments("MSG", any.withEndpointType(EndpointType.MSG), 61, List.of("MSG", "DGRAM")),
        arguments(
            "format", any.withAddressFormat(AddressFormat.EFA), 61, List.of("EFA", "SOCKADDR_IN")),
        arguments(
            "IB", any.withAddressFormat(AddressFormat.SOCKADDR_IB), 61, List.of("SOCKADDR_IB")),
        arguments(
            "STR", v14.withAddressFormat(AddressFormat.STR), 61, List.of("STR", "1.5", "1.4")),
        arguments(
            "IP",
            Hints.of(ApiVersion.V2_2)
                .withProvider("udp")
                .withAddressFormat(AddressFormat.SOCKADDR_IP),
            61,
            List.of("SOCKADDR_IP", "2.3", "2.2")),
        arguments(
            "SOURCE_ERR alone",
            any.withCapabilities(Capability.SOURCE_ERR),
            61,
            List.of("SOURCE_ERR", "SOURCE")),
        arguments(
            "SOURCE_ERR old",
            v14.withCapabilities(Capability.SOURCE, Capability.SOURCE_ERR),
            61,
            List.of("SOURCE_ERR", "1.5", "1.4")),
        arguments(
            "AV_USER_ID old",
            Hints.of(ApiVersion.V1_15).withProvider("udp").withCapabilities(Capability.AV_USER_ID),
            61,
            List.of("AV_USER_ID", "1.16", "1.15")),
        arguments(
            "SHARED_AV old",
            v14.withCapabilities(Capability.SHARED_AV),
            61,
            List.of("SHARED_AV", "1.5")),
        arguments(
            "groups", any.withMaxGroupId(255), 61, List.of("max_group_id 255", "no peer group")),
        arguments(
            "key of the domain's own",
            any.withAuthKeys(AuthKeyHints.none().withDomainKey(new byte[8])),
            61,
            List.of("auth_key of 8 bytes for the domain", "no key")),
        arguments(
            "keys in vector",
            any.withAuthKeys(AuthKeyHints.inVector()),
            61,
            List.of("auth_key_size FI_AV_AUTH_KEY", "no key")),
        arguments(
            "keys",
            any.withAuthKeys(AuthKeyHints.none().withMaxEndpointKeys(2)),
            61,
            List.of("max_ep_auth_key 2", "no key")),
        arguments("tx contexts", any.withTransmitContexts(2), 61, List.of("tx_ctx_cnt 2", "one")),
        arguments("rx contexts", any.withReceiveContexts(3), 61, List.of("rx_ctx_cnt 3", "one")),
        arguments("negative", any.withReceiveContexts(-2), 61, List.of("rx_ctx_cnt -2")),
        arguments(
            "message",
            any.withLimits(Limits.none().withMaxMessageSize(70_000)),
            61,
            List.of("70000", "65527")),
        arguments(
            "IPv4 message",
            any.withLimits(Limits.none().withMaxMessageSize(65_508))
                .withAddressFormat(AddressFormat.SOCKADDR_IN),
            61,
            List.of("65508", "65507")),
        arguments(
            "inject",
            any.withLimits(Limits.none().withInjectSize(1_473)),
            61,
            List.of("inject_size 1473", "1472")),
        arguments(
            "tx size",
            any.withLimits(Limits.none().withTransmitSize(65_537)),
            61,
            List.of("tx_attr.size", "65536")),
        arguments(
            "rx size",
            any.withLimits(Limits.none().withReceiveSize(-5)),
            61,
            List.of("rx_attr.size -5", "65536")),
        arguments(
            "foreign source",
            any.withSource(FabricAddress.parse("fi_sockaddr_in://192.0.2.250:1")),
            61,
            List.of("192.0.2.250", "127.0.0.1")),
        arguments(
            "foreign own node",
            any.withSource("192.0.2.250:1"),
            61,
            List.of("192.0.2.250", "127.0.0.1")),
        arguments(
            "name with NUMERIC_HOST",
            any.withDestination("localhost:1").withResolver(AddressResolver.numericOnly()),
            61,
            List.of("localhost", "FI_NUMERICHOST")),
        arguments("port", any.withDestination("127.0.0.1:70000"), 61, List.of("70000")),
        arguments(
            "service name",
            any.withDestination("127.0.0.1:no-such"),
            61,
            List.of("no-such", "service")),
        arguments(
            "address and service",
            any.withDestination(new NodeService("fi_sockaddr_in://127.0.0.1:5", "6")),
            61,
            List.of("whole address", "\"6\"")),
        arguments(
            "malformed address",
            any.withDestination("fi_sockaddr_in://127.0.0.1:99999"),
            61,
            List.of("fi_sockaddr_in://127.0.0.1:99999")),
        arguments(
            "address of another fabric",
            any.withSource(FabricAddress.parse("fi_shm://1234:0:0")),
            61,
            List.of("fi_shm://1234:0:0", "not a socket address")),
        arguments(
            "unknown name",
            any.withDestination("gone.example:5")
                .withResolver(host -> {
                  throw new UnknownHostException("nobody knows " + host);
                }),
            61,
            List.of("gone.example", "nobody knows")),
        arguments(
            "other family",
            any.withDestination("127.0.0.1:5").withAddressFormat(AddressFormat.SOCKADDR_IN6),
            61,
            List.of("127.0.0.1", "IPv6")),
        arguments(
            "reach",
            any.withDomain("lo")
                .withMoreCapabilities(Capability.REMOTE_COMM)
                .withFabric("127.0.0.0/8"),
            61,
            List.of("this host has")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("refusals")
  @Tag("AV-188")
  @Tag("AV-199")
  @DisplayName("A hint that cannot be met is refused in words that name it and what there is")
  void refusal(String what, Hints hints, int errno, List<String> words) {
    Refusals.assertRefused("udp", what, hints, errno, words);
  }

  @ParameterizedTest
  @EnumSource(
      value = Capability.class,
      names = {
        "MSG",
        "SEND",
        "RECEIVE",
        "SOURCE",
        "SOURCE_ERR",
        "AV_USER_ID",
        "SHARED_AV",
        "LOCAL_COMM",
        "REMOTE_COMM"
      },
      mode = EnumSource.Mode.EXCLUDE)
  @Tag("AV-188")
  @DisplayName("Capabilities that datagrams lack are refused by name")
  void lacking(Capability capability) {
    Refusals.assertLacking(udp(), capability, "datagrams have");
  }

  @Test
  @DisplayName("Every hint that cannot be met has a refusal of its own")
  void severalRefusals() {
    Hints hints =
        udp()
            .withEndpointType(EndpointType.RDM)
            .withMaxGroupId(1)
            .withLimits(Limits.none().withInjectSize(9_999));

    assertThat(PROVIDER.info(hints).refusals()).hasSize(3);
  }

  @Test
  @DisplayName("An offer is opened by the provider that made it, though it is not installed")
  void offersOfGivenProviders() {
    List<FabricInfo> opened = new ArrayList<>();
    FabricProvider own =
        new FabricProvider() {
          @Override
          public List<String> names() {
            return List.of("udp");
          }

          @Override
          public InfoAnswer info(Hints hints) {
            return PROVIDER.info(hints);
          }

          @Override
          public Fabric open(FabricInfo info) {
            opened.add(info);
            return PROVIDER.open(info);
          }
        };
    FabricInfo offer = Fabrics.info(udp(), List.of(own)).best();
    Fabrics.open(offer).close();
    Fabrics.open(offer.withSource(null)).close();
    assertThat(opened).containsExactly(offer, offer.withSource(null));

    FabricInfo direct = PROVIDER.info(udp()).best();
    assertThatThrownBy(() -> Fabrics.open(direct))
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContaining("Fabrics.info");
    assertThat(Fabrics.info(udp()).best()).isEqualTo(Fabrics.info(udp()).best());
  }

  @Test
  @DisplayName("The best offer for hints is opened at once, or why there is none is told")
  void openByHints() {
    try (Fabric fabric = Fabrics.open(udp())) {
      assertThat(fabric.info()).isEqualTo(Fabrics.info(udp()).best());
    }
    assertThatThrownBy(() -> Fabrics.open(udp().withFabric("moon")))
        .isInstanceOf(FabricException.class)
        .hasMessageContainingAll("fabric", "moon");
  }

  @Test
  @DisplayName("Without hints: all interfaces, loopback last, IPv4 before IPv6")
  void order() {
    List<FabricInfo> offers = PROVIDER.info(udp()).offers();

    assertThat(offers).isNotEmpty();
    boolean loopbackSeen = false;
    for (FabricInfo offer : offers) {
      boolean loopback = !offer.has(Capability.REMOTE_COMM);
      assertThat(loopbackSeen && !loopback).as("after loopback: " + offer).isFalse();
      loopbackSeen |= loopback;
    }
    assertThat(loopbackSeen).isTrue();
    assertThat(offers.getFirst().addressFormat()).isEqualTo(AddressFormat.SOCKADDR_IN);
  }

  @Test
  @DisplayName("An offer says all there is to say")
  void offer() {
    FabricInfo info = first(udp().withSource("127.0.0.1:5000"));

    assertThat(info.fabric().provider()).isEqualTo("udp");
    assertThat(info.fabric().name()).isEqualTo("127.0.0.0/8");
    assertThat(info.source()).isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:5000"));
    assertThat(info.destination()).isNull();
    assertThat(info.apiVersion()).isEqualTo(ApiVersion.LATEST);
    assertThat(info.profile()).isEqualTo(Profile.RELEASE_2_0);
    assertThat(info.endpoint().type()).isEqualTo(EndpointType.DGRAM);
    assertThat(info.endpoint().maxMessageSize()).isEqualTo(65_507);
    assertThat(info.transmit().injectSize()).isEqualTo(1_472);
    assertThat(info.transmit().size()).isEqualTo(1_024);
    assertThat(info.receive().size()).isEqualTo(1_024);
    assertThat(info.domain().threading()).isEqualTo(Threading.SAFE);
    assertThat(info.domain().progress()).isEqualTo(Progress.MANUAL);
    assertThat(info.domain().maxErrorData()).isEqualTo(16);
    assertThat(info.domain().maxGroupId()).isZero();
  }

  @Test
  @DisplayName("Hints are echoed where they choose")
  void echoes() {
    FabricInfo info =
        first(
            udp()
                .withVectorType(VectorType.MAP)
                .withProgress(Progress.AUTO)
                .withLimits(Limits.none().withTransmitSize(5_000).withReceiveSize(6_000))
                .withThreading(Threading.DOMAIN));

    assertThat(info.domain().vectorType()).isEqualTo(VectorType.MAP);
    assertThat(info.domain().progress()).isEqualTo(Progress.AUTO);
    assertThat(info.domain().threading()).isEqualTo(Threading.SAFE);
    assertThat(info.transmit().size()).isEqualTo(5_000);
    assertThat(info.receive().size()).isEqualTo(6_000);
  }

  @Test
  @Tag("AV-187")
  @DisplayName("Primary capabilities are granted when asked for, reach without being asked for")
  void capabilities() {
    FabricInfo unasked = first(udp());
    assertThat(unasked.has(Capability.SOURCE)).isTrue();
    assertThat(unasked.has(Capability.SOURCE_ERR)).isFalse();
    assertThat(unasked.has(Capability.AV_USER_ID)).isFalse();
    assertThat(unasked.has(Capability.SHARED_AV)).isTrue();
    assertThat(unasked.domain().capabilities() & Capability.SHARED_AV.mask()).isNotZero();
    assertThat(unasked.has(Capability.SEND)).isTrue();
    assertThat(unasked.has(Capability.LOCAL_COMM)).isTrue();

    FabricInfo plain = first(udp().withCapabilities(Capability.MSG));
    assertThat(plain.has(Capability.SOURCE)).isFalse();
    assertThat(plain.has(Capability.SHARED_AV)).isFalse();
    assertThat(plain.has(Capability.RECEIVE)).isTrue();

    FabricInfo sender = first(udp().withCapabilities(Capability.MSG, Capability.SEND));
    assertThat(sender.has(Capability.RECEIVE)).isFalse();

    FabricInfo ids =
        first(
            Hints.of(ApiVersion.V1_16)
                .withProvider("udp")
                .withCapabilities(Capability.MSG, Capability.AV_USER_ID));
    assertThat(ids.has(Capability.AV_USER_ID)).isTrue();
    assertThat(ids.domain().capabilities() & Capability.AV_USER_ID.mask()).isNotZero();

    FabricInfo errors =
        first(
            Hints.of(ApiVersion.V1_5)
                .withProvider("udp")
                .withCapabilities(Capability.MSG, Capability.SOURCE, Capability.SOURCE_ERR));
    assertThat(errors.has(Capability.SOURCE_ERR)).isTrue();
  }

  @ParameterizedTest
  @EnumSource(
      value = AddressFormat.class,
      names = {"SOCKADDR", "SOCKADDR_IP", "STR"})
  @DisplayName("A general format asked for is the one offered, for both families")
  void generalFormats(AddressFormat format) {
    List<FabricInfo> offers = PROVIDER.info(udp().withAddressFormat(format)).offers();

    assertThat(offers).isNotEmpty().allMatch(offer -> offer.addressFormat() == format);
    assertThat(offers.getFirst().source()).isNotNull();
    AddressFormat ofSource = offers.getFirst().source().format();
    assertThat(ofSource)
        .isEqualTo(format == AddressFormat.STR ? AddressFormat.STR : AddressFormat.SOCKADDR_IN);
  }

  @Test
  @DisplayName("Asking for IPv6 gives IPv6 alone")
  void ipv6() {
    assertThat(PROVIDER.info(udp().withAddressFormat(AddressFormat.SOCKADDR_IN6)).offers())
        .allMatch(offer -> offer.addressFormat() == AddressFormat.SOCKADDR_IN6)
        .allMatch(offer -> offer.endpoint().maxMessageSize() == 65_527);
  }

  @Test
  @DisplayName("A peer on this host is reached through loopback")
  void destination() {
    FabricInfo info = first(udp().withDestination("127.0.0.1:7471"));

    assertThat(info.destination())
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:7471"));
    assertThat(info.fabric().name()).isEqualTo("127.0.0.0/8");
    assertThat(info.has(Capability.REMOTE_COMM)).isFalse();
  }

  @Test
  @DisplayName("A service without node is on this host; with SOURCE it is one's own port")
  void serviceAlone() {
    assertThat(first(udp().withDestination(":7471")).destination())
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:7471"));
    assertThat(first(udp().withDestination("127.0.0.1:syslog")).destination())
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:514"));
    assertThat(PROVIDER.info(udp().withSource(":7471")).offers())
        .isNotEmpty()
        .allSatisfy(offer -> assertThat(String.valueOf(offer.source())).contains(":7471"));
  }

  @Test
  @DisplayName("A node may be a whole address, or a name that a resolver of the application knows")
  void nodes() {
    assertThat(first(udp().withDestination("fi_sockaddr_in://127.0.0.1:4711")).destination())
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:4711"));
    Hints hints =
        udp()
            .withDestination("peer:4711")
            .withResolver(host -> List.of(InetAddress.ofLiteral("127.0.0.1")));
    assertThat(first(hints).destination())
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:4711"));
  }

  @Test
  @DisplayName("Version 1.0 may follow the final release; its default is the candidate")
  void profiles() {
    Hints old = Hints.of(ApiVersion.V1_0).withProvider("udp");
    assertThat(first(old).profile()).isEqualTo(Profile.CANDIDATE_1_0);
    assertThat(first(old.withProfile(Profile.RELEASE_1_0)).profile())
        .isEqualTo(Profile.RELEASE_1_0);
    assertThat(first(Hints.of(ApiVersion.V1_20).withProvider("udp")).profile())
        .isEqualTo(Profile.RELEASE_1_20);
  }

  @Test
  @DisplayName("ServiceLoader finds the provider, and each offer opens")
  void opens() {
    assertThat(Fabrics.providers()).anyMatch(NetProvider.class::isInstance);
    for (FabricInfo offer : Fabrics.info(Hints.latest().withProvider("udp")).offers()) {
      try (Fabric fabric = Fabrics.open(offer)) {
        fabric.openDomain().close();
      }
    }
  }
}
