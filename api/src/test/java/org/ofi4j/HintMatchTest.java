// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.spi.FabricProvider;

/** Offers that do not keep a hint are dropped, whichever provider makes them. */
class HintMatchTest {
  private static final FabricAddress LOCAL = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:4711");

  private static final FabricInfo OFFER =
      FabricInfo.builder(ApiVersion.LATEST, Profile.of(ApiVersion.LATEST))
          .capabilities(Flag.maskOf(Capability.MSG, Capability.TAGGED))
          .addressFormat(AddressFormat.SOCKADDR_IN)
          .source(LOCAL)
          .fabric(
              FabricInfo.FabricAttributes.builder()
                  .provider("careless")
                  .name("net")
                  .providerVersion("1")
                  .build())
          .domain(
              FabricInfo.DomainAttributes.builder()
                  .name("lo")
                  .vectorType(VectorType.MAP)
                  .threading(Threading.DOMAIN)
                  .progress(Progress.MANUAL)
                  .maxGroupId(3)
                  .memoryRegionModes(MemoryRegionMode.VIRTUAL_ADDRESS.mask())
                  .memoryRegionKeySize(8)
                  .build())
          .endpoint(
              FabricInfo.EndpointAttributes.builder()
                  .type(EndpointType.RDM)
                  .protocol("P")
                  .maxMessageSize(1_000)
                  .build())
          .transmit(
              FabricInfo.Transmit.builder()
                  .injectSize(64)
                  .size(16)
                  .iovLimit(4)
                  .rmaIovLimit(1)
                  .build())
          .receive(FabricInfo.Receive.builder().size(16).iovLimit(4).build())
          .build();

  /** Offers the same thing whatever the hints say. */
  private record Careless(List<String> names, List<FabricInfo> offers) implements FabricProvider {
    Careless(FabricInfo... offers) {
      this(List.of("careless", "lib:another"), List.of(offers));
    }

    @Override
    public InfoAnswer info(Hints hints) {
      return new InfoAnswer(offers, List.of());
    }

    @Override
    public Fabric open(FabricInfo info) {
      throw new AssertionError("nothing is opened here");
    }
  }

  private static InfoAnswer ask(Hints hints, FabricInfo... offers) {
    return Fabrics.info(hints, List.of(new Careless(offers)));
  }

  private static Arguments hint(String named, UnaryOperator<Hints> change) {
    return Arguments.of(named, change);
  }

  private static UnaryOperator<Hints> limits(UnaryOperator<Limits> change) {
    return hints -> hints.withLimits(change.apply(Limits.none()));
  }

  static List<Arguments> unmet() {
    FabricAddress other = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:4712");
    return List.of(
        hint("API version 1.20: the offer has", hints -> Hints.of(ApiVersion.V1_20)),
        hint("profile", hints -> hints.withProfile(Profile.RELEASE_1_0)),
        hint("provider other: the offer has careless", hints -> hints.withProvider("other")),
        hint("provider careless;top", hints -> hints.withProvider("careless;top")),
        hint("fabric other: the offer has net", hints -> hints.withFabric("other")),
        hint("domain eth0: the offer has lo", hints -> hints.withDomain("eth0")),
        hint("endpoint type DGRAM", hints -> hints.withEndpointType(EndpointType.DGRAM)),
        hint("address format STR", hints -> hints.withAddressFormat(AddressFormat.STR)),
        hint(
            "capabilities SOURCE: the offer has only MSG, TAGGED",
            hints -> hints.withCapabilities(Capability.MSG, Capability.SOURCE)),
        hint("source", hints -> hints.withSource(other)),
        hint("vector type TABLE", hints -> hints.withVectorType(VectorType.TABLE)),
        hint("threading SAFE", hints -> hints.withThreading(Threading.SAFE)),
        hint("progress AUTO", hints -> hints.withProgress(Progress.AUTO)),
        hint("auth_key_size", hints -> hints.withAuthKeys(AuthKeyHints.inVector())),
        hint(
            "mr_mode PROVIDER_KEY: the offer has VIRTUAL_ADDRESS",
            hints -> hints.withMemoryRegionModes(MemoryRegionMode.PROVIDER_KEY)),
        hint("max_group_id 4: the offer has 3", hints -> hints.withMaxGroupId(4)),
        hint("tx_ctx_cnt 2", hints -> hints.withTransmitContexts(2).withReceiveContexts(1)),
        hint("rx_ctx_cnt 2", hints -> hints.withTransmitContexts(1).withReceiveContexts(2)),
        hint(
            "rx_ctx_cnt -1",
            hints ->
                hints
                    .withTransmitContexts(1)
                    .withReceiveContexts(FabricInfo.EndpointAttributes.SHARED_CONTEXT)),
        hint("max_msg_size 1001", limits(limits -> limits.withMaxMessageSize(1_001))),
        hint("inject_size 65", limits(limits -> limits.withInjectSize(65))),
        hint("tx_attr.size 17", limits(limits -> limits.withTransmitSize(17))),
        hint("rx_attr.size 17", limits(limits -> limits.withReceiveSize(17))));
  }

  @ParameterizedTest
  @MethodSource("unmet")
  void offerThatMissesOneHintIsRefusedWithThisHint(String named, UnaryOperator<Hints> change) {
    InfoAnswer answer = ask(change.apply(Hints.latest()), OFFER);

    assertThat(answer.offers()).isEmpty();
    assertThat(answer.refusals())
        .singleElement()
        .satisfies(refusal -> {
          assertThat(refusal.provider()).isEqualTo("careless");
          assertThat(refusal.errno()).isEqualTo(Errno.ENODATA);
          assertThat(refusal.reason()).startsWith(named);
        });
  }

  @Test
  void offerThatKeepsEachHintIsPassedOn() {
    Hints hints =
        Hints.reliable()
            .withProvider("careless")
            .withFabric("net")
            .withDomain("lo")
            .withAddressFormat(AddressFormat.SOCKADDR)
            .withCapabilities(Capability.MSG)
            .withSource(LOCAL)
            .withVectorType(VectorType.MAP)
            .withThreading(Threading.DOMAIN)
            .withMaxGroupId(3)
            .withTransmitContexts(1)
            .withReceiveContexts(1)
            .withLimits(
                Limits.none()
                    .withMaxMessageSize(1_000)
                    .withInjectSize(64)
                    .withTransmitSize(16)
                    .withReceiveSize(16))
            .withMemoryRegionModes(MemoryRegionMode.VIRTUAL_ADDRESS);

    assertThat(ask(hints, OFFER).offers()).hasSize(1);
    assertThat(ask(Hints.latest(), OFFER).offers()).hasSize(1);
  }

  private static FabricInfo offer(String provider, MemoryRegionMode... modes) {
    return OFFER.toBuilder()
        .fabric(OFFER.fabric().toBuilder().provider(provider).build())
        .domain(OFFER.domain().toBuilder().memoryRegionModes(Flag.maskOf(modes)).build())
        .build();
  }

  @Test
  void unprotectedMemoryIsOfferedOnlyToHintsThatAcceptIt() {
    FabricInfo offer =
        offer("careless", MemoryRegionMode.UNPROTECTED, MemoryRegionMode.PROVIDER_KEY);
    Hints accepting = Hints.latest().withMemoryRegionModes(MemoryRegionMode.UNPROTECTED);

    assertThat(ask(Hints.latest(), offer).offers()).isEmpty();
    assertThat(ask(Hints.latest(), offer).refusals())
        .singleElement()
        .satisfies(refusal -> assertThat(refusal.reason()).contains("UNPROTECTED"));
    assertThat(ask(accepting, offer).offers()).hasSize(1);
  }

  @Test
  void providerServesForWhatIsLayeredAboveIt() {
    FabricInfo layered = offer("lib:careless;top");

    for (String name : List.of("careless", "lib:careless", "lib:careless;top")) {
      assertThat(ask(Hints.latest().withProvider(name), layered).offers()).as(name).hasSize(1);
    }
    assertThat(ask(Hints.latest().withProvider("top;below"), layered).offers()).isEmpty();
  }

  @Test
  void providerOfAnotherLibraryDoesNotServeForOneOfTheSameName() {
    Careless plain = new Careless(List.of("udp", "tcp"), List.of(offer("udp"), offer("tcp")));
    Careless library =
        new Careless(
            List.of("tcp;top", "lib:udp", "lib:tcp"),
            List.of(offer("lib:udp"), offer("udp;top"), offer("tcp;top"), offer("lib:tcp")));

    assertThat(offered("udp", plain, library)).containsExactly("udp");
    assertThat(offered("tcp", plain, library)).containsExactly("tcp");
    assertThat(offered("lib:udp", plain, library)).containsExactly("lib:udp", "udp;top");
    assertThat(offered("lib:tcp", plain, library)).containsExactly("tcp;top", "lib:tcp");
    assertThat(offered("tcp;top", plain, library)).containsExactly("tcp;top");
    assertThat(offered("lib:udp", plain)).isEmpty();
    assertThat(offered("udp", library)).isEmpty();
  }

  private static List<String> offered(String asked, Careless... providers) {
    Hints hints = Hints.latest().withProvider(asked);
    return Fabrics.info(hints, List.of(providers)).offers().stream()
        .map(each -> each.fabric().provider())
        .toList();
  }

  @Test
  void providerWithAnotherOfferThatMeetsTheHintsRefusesNothing() {
    Hints hints = Hints.latest().withCapabilities(Capability.TAGGED);
    FabricInfo lesser = OFFER.withCapabilities(Capability.MSG.mask());

    InfoAnswer answer = ask(hints, lesser, OFFER);

    assertThat(answer.offers()).singleElement().matches(offer -> offer.has(Capability.TAGGED));
    assertThat(answer.refusals()).isEmpty();
  }
}
