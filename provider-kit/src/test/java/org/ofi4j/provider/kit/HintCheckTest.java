// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.ApiVersion;
import org.ofi4j.AuthKeyHints;
import org.ofi4j.Capability;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricInfo.DomainAttributes;
import org.ofi4j.FabricInfo.EndpointAttributes;
import org.ofi4j.FabricInfo.FabricAttributes;
import org.ofi4j.Flag;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.Limits;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.Profile;
import org.ofi4j.Progress;
import org.ofi4j.Refusal;
import org.ofi4j.Threading;
import org.ofi4j.VectorType;

/** The answers for hints of a provider that describes one interface. */
@Tag("AV-188")
class HintCheckTest {
  private static final FabricAddress OWN = FabricAddress.parse("fi_addr_str://own");
  private static final Hints LATEST = Hints.latest();

  /** Describes an interface with a few capabilities, and nothing that is optional. */
  private static FabricInfo small(Hints hints) {
    return HintCheck.describe(hints)
        .capabilities(
            Flag.maskOf(
                Capability.MSG,
                Capability.SEND,
                Capability.RECEIVE,
                Capability.MULTI_RECEIVE,
                Capability.SOURCE,
                Capability.SOURCE_ERR,
                Capability.SHARED_AV,
                Capability.LOCAL_COMM))
        .addressFormat(AddressFormat.STR)
        .fabric(FabricAttributes.builder().provider("loop").name("memory").build())
        .domain(DomainAttributes.builder().name("heap").threading(Threading.DOMAIN).build())
        .endpoint(EndpointAttributes.builder().type(EndpointType.RDM).maxMessageSize(4_096).build())
        .transmit(FabricInfo.Transmit.builder().injectSize(64).size(256).build())
        .receive(FabricInfo.Receive.builder().size(256).build())
        .build();
  }

  /** Describes an interface with all that is optional. */
  private static FabricInfo large(Hints hints) {
    long caps = 0;
    for (Capability each : Capability.values()) {
      caps |= each.mask();
    }
    FabricInfo small = small(hints);
    return small.toBuilder()
        .capabilities(caps)
        .domain(
            small.domain().toBuilder()
                .threading(Threading.SAFE)
                .progress(Progress.AUTO)
                .maxGroupId(100)
                .authKeySize(DomainAttributes.KEYS_IN_VECTOR)
                .maxEndpointAuthKeys(8)
                .maxEndpointTransmitContexts(4)
                .maxEndpointReceiveContexts(4)
                .memoryRegionModes(Flag.maskOf(MemoryRegionMode.SCALABLE))
                .build())
        .endpoint(
            small.endpoint().toBuilder().receiveContexts(EndpointAttributes.SHARED_CONTEXT).build())
        .build();
  }

  private static FabricInfo granted(Hints hints) {
    return new HintCheck(hints, large(hints)).mostPosted(1_000).answer().best();
  }

  private static void assertRefused(Hints hints, FabricInfo most, String reason) {
    InfoAnswer answer = new HintCheck(hints, most).answer();
    assertThat(answer.offers()).isEmpty();
    assertThat(answer.refusals()).containsExactly(new Refusal("loop", Errno.ENODATA, reason));
  }

  static Stream<Arguments> beyondSmall() {
    String noKeys = "provider loop has no keys: set the authorization keys to none";
    return Stream.of(
        arguments(LATEST.withProvider("udp"), "provider \"udp\": this one is loop"),
        arguments(LATEST.withFabric("moon"), "fabric \"moon\": this one is memory"),
        arguments(LATEST.withDomain("moon"), "domain \"moon\": this one is heap"),
        arguments(
            LATEST.withEndpointType(EndpointType.MSG),
            "endpoint type MSG: provider loop has RDM only"),
        arguments(
            LATEST.withAddressFormat(AddressFormat.SOCKADDR),
            "address format SOCKADDR: provider loop has STR only"),
        arguments(
            LATEST.withCapabilities(Capability.MSG, Capability.TAGGED, Capability.READ),
            "capabilities TAGGED, READ: provider loop has [MSG, RECEIVE, SEND, MULTI_RECEIVE,"
                + " SOURCE_ERR, LOCAL_COMM, SHARED_AV, SOURCE]"),
        arguments(
            LATEST.withCapabilities(Capability.SOURCE_ERR),
            "capability SOURCE_ERR without SOURCE: ask for both"),
        arguments(
            LATEST.withThreading(Threading.SAFE), "threading SAFE: provider loop has DOMAIN only"),
        arguments(
            LATEST.withProgress(Progress.AUTO), "progress AUTO: provider loop has MANUAL only"),
        arguments(
            LATEST.withMaxGroupId(1),
            "max_group_id 1: provider loop has no peer groups: leave it 0"),
        arguments(
            LATEST.withMemoryRegionModes(MemoryRegionMode.BASIC),
            "mr_mode BASIC: peers name places in memory by offset, not by virtual address"),
        arguments(
            LATEST.withAuthKeys(AuthKeyHints.inVector()),
            "auth_key_size FI_AV_AUTH_KEY: " + noKeys),
        arguments(
            LATEST.withAuthKeys(AuthKeyHints.none().withMaxEndpointKeys(1)),
            "max_ep_auth_key 1: " + noKeys),
        arguments(
            LATEST.withAuthKeys(AuthKeyHints.none().withEndpointKey(new byte[3])),
            "auth_key of 3 bytes for the endpoint: " + noKeys),
        arguments(
            LATEST.withTransmitContexts(2),
            "tx_ctx_cnt 2: provider loop has one context of each kind"),
        arguments(
            LATEST.withReceiveContexts(EndpointAttributes.SHARED_CONTEXT),
            "rx_ctx_cnt SHARED_CONTEXT: provider loop has no shared receive contexts"),
        arguments(
            LATEST.withLimits(Limits.none().withMaxMessageSize(4_097)),
            "max_msg_size 4097: the longest message has 4096 bytes"),
        arguments(
            LATEST.withLimits(Limits.none().withInjectSize(65)),
            "inject_size 65: up to 64 bytes are injected"),
        arguments(
            LATEST.withLimits(Limits.none().withTransmitSize(257)),
            "tx_attr.size 257: up to 256 can be posted at a time"),
        arguments(
            LATEST.withLimits(Limits.none().withReceiveSize(-1)),
            "rx_attr.size -1: up to 256 can be posted at a time"),
        arguments(
            LATEST.withSource(FabricAddress.parse("192.0.2.1:1")),
            "source fi_sockaddr_in://192.0.2.1:1: provider loop has addresses of format STR"),
        arguments(
            LATEST.withDestination("node:1"),
            "destination node:1: provider loop has addresses of format STR"));
  }

  @ParameterizedTest
  @MethodSource("beyondSmall")
  void hintThatTheDescriptionDoesNotMeetIsRefusedWithWhatThereIs(Hints hints, String reason) {
    assertRefused(hints, small(hints), reason);
  }

  static Stream<Arguments> beyondLarge() {
    String since = "came with API version %s, but %s was asked for: ask for %1$s or newer";
    return Stream.of(
        arguments(
            LATEST.withProfile(Profile.RELEASE_1_0),
            "profile RELEASE_1_0: only version 1.0 leaves a choice; version 2.7 has RELEASE_2_0"),
        arguments(
            Hints.of(ApiVersion.V1_0).withAddressFormat(AddressFormat.STR),
            "address format STR: "
                + since.formatted("1.5", "1.0")
                + ", or for SOCKADDR_IN or SOCKADDR_IN6"),
        arguments(
            Hints.of(ApiVersion.V1_15).withCapabilities(Capability.AV_USER_ID),
            "capability AV_USER_ID: " + since.formatted("1.16", "1.15")),
        arguments(
            Hints.of(ApiVersion.V1_20).withMaxGroupId(1),
            "max_group_id: " + since.formatted("2.0", "1.20")),
        arguments(
            Hints.of(ApiVersion.V1_16).withAuthKeys(AuthKeyHints.inVector()),
            "auth_key_size FI_AV_AUTH_KEY: " + since.formatted("1.20", "1.16")),
        arguments(
            LATEST.withCapabilities(Capability.MSG, Capability.READ),
            "capabilities READ without RMA: ask for both"),
        arguments(LATEST.withMaxGroupId(101), "max_group_id 101: the largest group is 100"),
        arguments(
            LATEST.withAuthKeys(AuthKeyHints.inVector(9)),
            "max_ep_auth_key 9: an endpoint has up to 8 keys"),
        arguments(
            LATEST.withAuthKeys(AuthKeyHints.none().withDomainKey(new byte[2])),
            "auth_key of 2 bytes for the domain: provider loop has keys in their address vector"
                + " only (FI_AV_AUTH_KEY)"),
        arguments(
            LATEST.withReceiveContexts(5),
            "rx_ctx_cnt 5: provider loop has up to 4 receive contexts"));
  }

  @ParameterizedTest
  @MethodSource("beyondLarge")
  void hintBeyondTheVersionOrALimitIsRefused(Hints hints, String reason) {
    assertRefused(hints, large(hints), reason);
  }

  @ParameterizedTest
  @EnumSource(value = Capability.class, names = "MSG", mode = EnumSource.Mode.EXCLUDE)
  void capabilityThatIsLackingIsRefusedOnce(Capability capability) {
    Hints hints = LATEST.withCapabilities(capability);
    FabricInfo most = small(hints).withCapabilities(Capability.MSG.mask());
    assertThat(new HintCheck(hints, most).refusals())
        .extracting(Refusal::reason)
        .containsExactly("capabilities " + capability + ": provider loop has [MSG]");
  }

  @Test
  void eachHintThatIsNotMetHasARefusal() {
    Hints hints = LATEST.withEndpointType(EndpointType.MSG).withMaxGroupId(1).withDomain("moon");
    assertThat(new HintCheck(hints, small(hints)).refusals()).hasSize(3);
  }

  @Test
  void newerVersionIsRefusedWithErrnoOfItsOwn() {
    Hints hints = Hints.of(new ApiVersion(3, 0));
    assertThat(new HintCheck(hints, small(hints)).refusals())
        .extracting(Refusal::errno)
        .containsExactly(Errno.ENOSYS);
  }

  @Test
  void demandedModesOfMemoryMustBeAmongThoseOfTheHints() {
    Hints hints = LATEST.withMemoryRegionModes(MemoryRegionMode.LOCAL);
    FabricInfo most = small(hints);
    FabricInfo demanding =
        most.toBuilder()
            .domain(
                most.domain().toBuilder()
                    .memoryRegionModes(Flag.maskOf(MemoryRegionMode.PROVIDER_KEY))
                    .build())
            .build();
    assertRefused(
        hints, demanding, "mr_mode LOCAL: applications must be prepared for PROVIDER_KEY");
    assertThat(new HintCheck(LATEST, demanding).refusals()).isEmpty();
  }

  @Test
  void subjectAndTypesOfRefusalsAreThoseOfTheProvider() {
    Hints hints = LATEST.withMaxGroupId(1).withEndpointType(EndpointType.MSG);
    HintCheck check =
        new HintCheck(hints, small(hints)).subject("loops have").types("RDM and DGRAM");
    assertThat(check.refusals())
        .extracting(Refusal::toString)
        .containsExactly(
            "loop: endpoint type MSG: loops have RDM and DGRAM only",
            "loop: max_group_id 1: loops have no peer groups: leave it 0");
    assertThat(check.refusal("hint", "other")).hasToString("loop: hint: other");
  }

  @Test
  void hintsThatSayNothingAreGrantedTheDescription() {
    FabricInfo most = small(LATEST);
    FabricInfo offer = new HintCheck(LATEST, most).answer().best();

    assertThat(Flag.names(Capability.class, offer.capabilities()))
        .isEqualTo("MSG|RECEIVE|SEND|LOCAL_COMM|SHARED_AV|SOURCE");
    assertThat(Flag.names(Capability.class, offer.domain().capabilities()))
        .isEqualTo("LOCAL_COMM|SHARED_AV");
    assertThat(offer.profile()).isEqualTo(Profile.of(ApiVersion.LATEST));
    assertThat(offer.domain().progress()).isEqualTo(Progress.MANUAL);
    assertThat(offer.source()).isNull();
    assertThat(offer.fabric()).isEqualTo(most.fabric());
    assertThat(offer.endpoint()).isEqualTo(most.endpoint());
    assertThat(offer.transmit()).isEqualTo(most.transmit());
    assertThat(offer.receive()).isEqualTo(most.receive());
  }

  @Test
  void optionsAreGrantedToThoseWhoAskForThemAlone() {
    FabricInfo plain = granted(LATEST);
    assertThat(plain.domain().maxGroupId()).isZero();
    assertThat(plain.domain().authKeySize()).isZero();
    assertThat(plain.domain().maxEndpointAuthKeys()).isZero();
    assertThat(plain.domain().memoryRegionModes()).isZero();
    assertThat(plain.endpoint().receiveContexts()).isEqualTo(1);
    assertThat(plain.domain().threading()).isEqualTo(Threading.SAFE);

    FabricInfo asked =
        granted(
            LATEST
                .withMaxGroupId(7)
                .withAuthKeys(AuthKeyHints.inVector())
                .withTransmitContexts(3)
                .withReceiveContexts(EndpointAttributes.SHARED_CONTEXT)
                .withVectorType(VectorType.MAP)
                .withThreading(Threading.DOMAIN)
                .withProgress(Progress.AUTO)
                .withMemoryRegionModes(MemoryRegionMode.SCALABLE, MemoryRegionMode.LOCAL)
                .withLimits(Limits.none().withTransmitSize(1_000).withReceiveSize(10))
                .withSource(OWN)
                .withDestination("fi_addr_str://peer"));
    assertThat(asked.domain().maxGroupId()).isEqualTo(7);
    assertThat(asked.domain().authKeySize()).isEqualTo(DomainAttributes.KEYS_IN_VECTOR);
    assertThat(asked.domain().maxEndpointAuthKeys()).isEqualTo(8);
    assertThat(asked.domain().vectorType()).isEqualTo(VectorType.MAP);
    assertThat(asked.domain().progress()).isEqualTo(Progress.AUTO);
    assertThat(asked.domain().memoryRegionModes()).isEqualTo(MemoryRegionMode.SCALABLE.mask());
    assertThat(asked.endpoint().transmitContexts()).isEqualTo(3);
    assertThat(asked.endpoint().receiveContexts()).isEqualTo(EndpointAttributes.SHARED_CONTEXT);
    assertThat(asked.transmit().size()).isEqualTo(1_000);
    assertThat(asked.receive().size()).isEqualTo(256);
    assertThat(asked.source()).isEqualTo(OWN);
    assertThat(asked.destination()).isEqualTo(FabricAddress.parse("fi_addr_str://peer"));
  }

  static Stream<Arguments> grantedCapabilities() {
    return Stream.of(
        arguments(List.of(Capability.MSG), "MSG|RECEIVE|SEND|LOCAL_COMM|REMOTE_COMM"),
        arguments(
            List.of(Capability.TAGGED, Capability.SEND), "TAGGED|SEND|LOCAL_COMM|REMOTE_COMM"),
        arguments(
            List.of(Capability.RMA),
            "RMA|READ|WRITE|RECEIVE|SEND|REMOTE_READ|REMOTE_WRITE|LOCAL_COMM|REMOTE_COMM"),
        arguments(
            List.of(Capability.RMA, Capability.READ),
            "RMA|READ|RECEIVE|SEND|LOCAL_COMM|REMOTE_COMM"),
        arguments(
            List.of(Capability.MULTI_RECEIVE, Capability.RECEIVE),
            "MSG|RMA|TAGGED|READ|WRITE|RECEIVE|REMOTE_READ|REMOTE_WRITE|MULTI_RECEIVE"
                + "|LOCAL_COMM|REMOTE_COMM"));
  }

  @ParameterizedTest
  @MethodSource("grantedCapabilities")
  @Tag("AV-187")
  void kindsAndDirectionsAreGrantedUnlessHintsNameThem(List<Capability> asked, String expected) {
    Hints hints = LATEST.withCapabilities(asked.toArray(Capability[]::new));
    assertThat(Flag.names(Capability.class, granted(hints).capabilities())).isEqualTo(expected);
  }

  @Test
  void capabilitiesOfAnotherLibraryAreGrantedUnasked() {
    Hints hints = LATEST.withCapabilities(Capability.MSG);
    FabricInfo most = small(hints);
    FabricInfo offer =
        new HintCheck(hints, most).grantedUnasked(Capability.MULTI_RECEIVE.mask()).granted(most);
    assertThat(Flag.names(Capability.class, offer.capabilities()))
        .isEqualTo("MSG|RECEIVE|SEND|MULTI_RECEIVE");
  }

  @Test
  void namedVectorsNeedNoCapabilityBeforeVersion15() {
    Hints hints = Hints.of(ApiVersion.V1_0);
    assertThat(granted(hints).has(Capability.SHARED_AV)).isFalse();
    assertThat(granted(LATEST).has(Capability.SHARED_AV)).isTrue();
    assertThat(granted(hints.withProfile(Profile.RELEASE_1_0)).profile())
        .isEqualTo(Profile.RELEASE_1_0);
  }
}
