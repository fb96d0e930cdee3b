// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each hint is what was said last, and nothing else changes with it. */
class HintsTest {
  private static final byte[] KEY = {1, 2, 3};

  /** A hint: how it is said, what it is then, and how it is read. */
  record Hint(String name, UnaryOperator<Hints> with, Object value, Function<Hints, Object> of) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Hint> hints() {
    FabricAddress address = FabricAddress.parse("fi_sockaddr_in://10.1.2.3:4");
    AddressResolver resolver = _ -> List.of();
    return Stream.of(
        new Hint("node", hints -> hints.withAddress("a", null), "a", Hints::node),
        new Hint("service", hints -> hints.withAddress(null, "b"), "b", Hints::service),
        new Hint(
            "profile",
            hints -> hints.withProfile(Profile.CANDIDATE_1_0),
            Profile.CANDIDATE_1_0,
            Hints::profile),
        new Hint("provider", hints -> hints.withProvider("x"), "x", Hints::provider),
        new Hint("fabric", hints -> hints.withFabric("f"), "f", Hints::fabric),
        new Hint("domain", hints -> hints.withDomain("d"), "d", Hints::domain),
        new Hint(
            "type",
            hints -> hints.withEndpointType(EndpointType.RDM),
            EndpointType.RDM,
            Hints::endpointType),
        new Hint(
            "format",
            hints -> hints.withAddressFormat(AddressFormat.SOCKADDR_IN6),
            AddressFormat.SOCKADDR_IN6,
            Hints::addressFormat),
        new Hint("caps", hints -> hints.withCapabilities(6), 6L, Hints::capabilities),
        new Hint("flags", hints -> hints.withFlags(7), 7L, Hints::flags),
        new Hint("source", hints -> hints.withSource(address), address, Hints::source),
        new Hint(
            "destination", hints -> hints.withDestination(address), address, Hints::destination),
        new Hint(
            "av type",
            hints -> hints.withVectorType(VectorType.MAP),
            VectorType.MAP,
            Hints::vectorType),
        new Hint(
            "threading",
            hints -> hints.withThreading(Threading.SAFE),
            Threading.SAFE,
            Hints::threading),
        new Hint(
            "progress", hints -> hints.withProgress(Progress.AUTO), Progress.AUTO, Hints::progress),
        new Hint("groups", hints -> hints.withMaxGroupId(8), 8, Hints::maxGroupId),
        new Hint("key size", hints -> hints.withAuthKeySize(9), 9L, Hints::authKeySize),
        new Hint("key", hints -> hints.withAuthKey(KEY), KEY, Hints::authKey),
        new Hint(
            "endpoint's key", hints -> hints.withEndpointAuthKey(KEY), KEY, Hints::endpointAuthKey),
        new Hint(
            "keys", hints -> hints.withMaxEndpointAuthKeys(10), 10, Hints::maxEndpointAuthKeys),
        new Hint(
            "tx_ctx_cnt", hints -> hints.withTransmitContexts(11), 11, Hints::transmitContexts),
        new Hint("rx_ctx_cnt", hints -> hints.withReceiveContexts(12), 12, Hints::receiveContexts),
        new Hint("max_msg_size", hints -> hints.withMaxMessageSize(13), 13L, Hints::maxMessageSize),
        new Hint("inject_size", hints -> hints.withInjectSize(14), 14L, Hints::injectSize),
        new Hint("tx size", hints -> hints.withTransmitSize(15), 15, Hints::transmitSize),
        new Hint("rx size", hints -> hints.withReceiveSize(16), 16, Hints::receiveSize),
        new Hint(
            "mr_mode", hints -> hints.withMemoryRegionModes(17), 17L, Hints::memoryRegionModes),
        new Hint("resolver", hints -> hints.withResolver(resolver), resolver, Hints::resolver));
  }

  @ParameterizedTest
  @MethodSource("hints")
  @DisplayName("A hint changes a copy, and there alone what it is about")
  void changesACopy(Hint hint) {
    Hints before = Hints.latest();
    List<Hint> others =
        hints()
            .filter(each -> !each.name.equals(hint.name) && !each.name.equals("resolver"))
            .toList();
    List<Object> unchanged = others.stream().map(each -> text(each.of.apply(before))).toList();
    Object unsaid = hint.of.apply(before);

    Hints after = hint.with.apply(before);

    assertThat(hint.of.apply(after)).isEqualTo(hint.value).isNotEqualTo(unsaid);
    assertThat(hint.of.apply(before)).isEqualTo(unsaid);
    assertThat(others.stream().map(each -> text(each.of.apply(after))).toList())
        .isEqualTo(unchanged);
    // Whatever is said next leaves it as it is.
    for (Hint other : others) {
      boolean both = hint.name.equals("node") || hint.name.equals("service");
      if (!both || !(other.name.equals("node") || other.name.equals("service"))) {
        assertThat(hint.of.apply(other.with.apply(after))).as(other.name).isEqualTo(hint.value);
      }
    }
  }

  private static Object text(Object value) {
    return String.valueOf(value);
  }

  @Test
  @DisplayName("A key belongs to the hints: whoever gave it, or got it, changes another one")
  void keysAreCopied() {
    byte[] key = KEY.clone();
    Hints hints = Hints.latest().withAuthKey(key).withEndpointAuthKey(key);
    key[0] = 99;
    Hints copies = hints;
    for (byte[] given : new byte[][] {copies.authKey(), copies.endpointAuthKey()}) {
      assertThat(given).isEqualTo(KEY);
      given[0] = 99;
    }
    assertThat(hints.authKey()).isEqualTo(KEY);
    assertThat(hints.endpointAuthKey()).isEqualTo(KEY);
    assertThat(hints.withAuthKey(null).authKey()).isNull();
    assertThat(hints.withEndpointAuthKey(null).endpointAuthKey()).isNull();
  }
}
