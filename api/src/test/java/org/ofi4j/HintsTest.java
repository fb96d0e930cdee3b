// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each hint is what was said last, and nothing else changes with it. */
class HintsTest {
  private static final byte[] KEY = {1, 2, 3};
  private static final FabricAddress ADDRESS = FabricAddress.parse("10.1.2.3:4");

  /** A hint: two ways to say it, what it is after the second, how it is read, and its text. */
  record Hint(
      String name,
      UnaryOperator<Hints> first,
      UnaryOperator<Hints> with,
      Object value,
      Function<Hints, Object> of,
      String text) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Hint> hints() {
    AddressResolver resolver = AddressResolver.numericOnly();
    Limits limits =
        Limits.none()
            .withMaxMessageSize(13)
            .withInjectSize(14)
            .withTransmitSize(15)
            .withReceiveSize(16);
    return Stream.of(
        new Hint(
            "profile",
            hints -> hints.withProfile(Profile.RELEASE_1_0),
            hints -> hints.withProfile(Profile.CANDIDATE_1_0),
            Profile.CANDIDATE_1_0,
            Hints::profile,
            "CANDIDATE_1_0"),
        new Hint(
            "provider",
            hints -> hints.withProvider("w"),
            hints -> hints.withProvider("x"),
            "x",
            Hints::provider,
            "x"),
        new Hint(
            "fabric",
            hints -> hints.withFabric("e"),
            hints -> hints.withFabric("f"),
            "f",
            Hints::fabric,
            "f"),
        new Hint(
            "domain",
            hints -> hints.withDomain("c"),
            hints -> hints.withDomain("d"),
            "d",
            Hints::domain,
            "d"),
        new Hint(
            "endpointType",
            hints -> hints.withEndpointType(EndpointType.MSG),
            hints -> hints.withEndpointType(EndpointType.RDM),
            EndpointType.RDM,
            Hints::endpointType,
            "RDM"),
        new Hint(
            "addressFormat",
            hints -> hints.withAddressFormat(AddressFormat.STR),
            hints -> hints.withAddressFormat(AddressFormat.SOCKADDR_IN6),
            AddressFormat.SOCKADDR_IN6,
            Hints::addressFormat,
            "SOCKADDR_IN6"),
        new Hint(
            "capabilities",
            hints -> hints.withCapabilities(Capability.RMA, Capability.SEND),
            hints -> hints.withCapabilities(Capability.MSG, Capability.TAGGED),
            Flag.maskOf(Capability.MSG, Capability.TAGGED),
            Hints::capabilities,
            "MSG|TAGGED"),
        new Hint(
            "source",
            hints -> hints.withSource("10.1.2.3:5"),
            hints -> hints.withSource(ADDRESS),
            ADDRESS,
            Hints::source,
            "fi_sockaddr_in://10.1.2.3:4"),
        new Hint(
            "destination",
            hints -> hints.withDestination(ADDRESS),
            hints -> hints.withDestination("[::1]:http"),
            new NodeService("::1", "http"),
            Hints::destination,
            "[::1]:http"),
        new Hint(
            "resolver",
            hints -> hints.withResolver(_ -> List.of()),
            hints -> hints.withResolver(resolver),
            resolver,
            Hints::resolver,
            resolver.toString()),
        new Hint(
            "vectorType",
            hints -> hints.withVectorType(VectorType.TABLE),
            hints -> hints.withVectorType(VectorType.MAP),
            VectorType.MAP,
            Hints::vectorType,
            "MAP"),
        new Hint(
            "threading",
            hints -> hints.withThreading(Threading.DOMAIN),
            hints -> hints.withThreading(Threading.SAFE),
            Threading.SAFE,
            Hints::threading,
            "SAFE"),
        new Hint(
            "progress",
            hints -> hints.withProgress(Progress.MANUAL),
            hints -> hints.withProgress(Progress.AUTO),
            Progress.AUTO,
            Hints::progress,
            "AUTO"),
        new Hint(
            "maxGroupId",
            hints -> hints.withMaxGroupId(7),
            hints -> hints.withMaxGroupId(8),
            8,
            Hints::maxGroupId,
            "8"),
        new Hint(
            "transmitContexts",
            hints -> hints.withTransmitContexts(10),
            hints -> hints.withTransmitContexts(11),
            11,
            Hints::transmitContexts,
            "11"),
        new Hint(
            "receiveContexts",
            hints -> hints.withReceiveContexts(10),
            hints -> hints.withReceiveContexts(12),
            12,
            Hints::receiveContexts,
            "12"),
        new Hint(
            "limits",
            hints -> hints.withLimits(Limits.none().withInjectSize(1)),
            hints -> hints.withLimits(limits),
            limits,
            Hints::limits,
            limits.toString()),
        new Hint(
            "authKeys",
            hints -> hints.withAuthKeys(AuthKeyHints.none().withDomainKey(KEY)),
            hints -> hints.withAuthKeys(AuthKeyHints.inVector(10)),
            AuthKeyHints.inVector(10),
            Hints::authKeys,
            AuthKeyHints.inVector(10).toString()),
        new Hint(
            "memoryRegionModes",
            hints -> hints.withMemoryRegionModes(MemoryRegionMode.LOCAL),
            hints ->
                hints.withMemoryRegionModes(MemoryRegionMode.BASIC, MemoryRegionMode.ALLOCATED),
            Flag.maskOf(MemoryRegionMode.BASIC, MemoryRegionMode.ALLOCATED),
            Hints::memoryRegionModes,
            Flag.names(
                MemoryRegionMode.class,
                Flag.maskOf(MemoryRegionMode.BASIC, MemoryRegionMode.ALLOCATED))));
  }

  @ParameterizedTest
  @MethodSource("hints")
  @DisplayName("A hint changes a copy, replaces what was said, and leaves the others alone")
  void changesACopy(Hint hint) {
    Hints before = Hints.latest();
    Object unsaid = hint.of.apply(before);
    List<Hint> others =
        hints()
            .filter(each -> !each.name.equals(hint.name) && !each.name.equals("resolver"))
            .toList();
    List<String> unchanged = others.stream().map(each -> text(each, before)).toList();

    Hints after = hint.with.apply(hint.first.apply(before));

    assertThat(hint.of.apply(hint.first.apply(before))).isNotEqualTo(unsaid);
    assertThat(hint.of.apply(after)).isEqualTo(hint.value).isNotEqualTo(unsaid);
    assertThat(after).isEqualTo(hint.with.apply(before)).isNotEqualTo(before);
    assertThat(before).isEqualTo(Hints.latest());
    assertThat(others.stream().map(each -> text(each, after)).toList()).isEqualTo(unchanged);
    // Whatever is said next leaves it as it is.
    for (Hint other : others) {
      if (!(hint.name.endsWith("Contexts") && other.name.endsWith("Contexts"))) {
        assertThat(hint.of.apply(other.with.apply(after))).as(other.name).isEqualTo(hint.value);
      }
    }
  }

  private static String text(Hint hint, Hints hints) {
    return String.valueOf(hint.of.apply(hints));
  }

  @ParameterizedTest
  @MethodSource("hints")
  @DisplayName("The text of hints is what was said")
  void textIsWhatWasSaid(Hint hint) {
    assertThat(Hints.latest().toString()).isEqualTo("Hints[version=" + ApiVersion.LATEST + "]");
    assertThat(hint.with.apply(Hints.latest()).toString())
        .isEqualTo("Hints[version=" + ApiVersion.LATEST + ", " + hint.name + "=" + hint.text + "]");
  }

  @Test
  @DisplayName("What is said in one of several forms is the same")
  void forms() {
    Hints latest = Hints.of(ApiVersion.LATEST);
    assertThat(Hints.latest()).isEqualTo(latest);
    assertThat(Hints.datagram()).isEqualTo(latest.withEndpointType(EndpointType.DGRAM));
    assertThat(Hints.reliable()).isEqualTo(latest.withEndpointType(EndpointType.RDM));
    assertThat(Hints.connected()).isEqualTo(latest.withEndpointType(EndpointType.MSG));
    assertThat(latest.withCapabilities(Capability.MSG).withCapabilities()).isEqualTo(latest);
    assertThat(latest.withCapabilities(Capability.MSG).withMoreCapabilities(Capability.RMA))
        .isEqualTo(latest.withCapabilities(Capability.MSG, Capability.RMA));
    assertThat(latest.withMemoryRegionModes(MemoryRegionMode.LOCAL).withMemoryRegionModes())
        .isEqualTo(latest);
    assertThat(latest.withSource("a:1").withDestination("b:2"))
        .isEqualTo(
            latest
                .withSource(new NodeService("a", "1"))
                .withDestination(new NodeService("b", "2")));
    assertThat(AuthKeyHints.inVector(0)).isEqualTo(AuthKeyHints.inVector());
  }

  @Test
  @DisplayName("A key belongs to the hints: whoever gave it, or got it, changes another one")
  void keysAreCopied() {
    byte[] key = KEY.clone();
    AuthKeyHints keys = AuthKeyHints.inVector(2).withDomainKey(key).withEndpointKey(key);
    key[0] = 99;
    for (byte[] given : new byte[][] {keys.domainKey(), keys.endpointKey()}) {
      assertThat(given).isEqualTo(KEY);
      given[0] = 99;
    }
    assertThat(keys.domainKey()).isEqualTo(KEY);
    assertThat(keys.endpointKey()).isEqualTo(KEY);
    assertThat(keys.withDomainKey(null).withEndpointKey(null)).isEqualTo(AuthKeyHints.inVector(2));
  }

  @Test
  @DisplayName("Keys are the same if their bytes are; no text shows them")
  void keysAreValues() {
    AuthKeyHints counted = AuthKeyHints.none().withMaxEndpointKeys(3).withDomainKey(KEY);
    AuthKeyHints keys = counted.withEndpointKey(new byte[] {42, 43, 44, 45});
    AuthKeyHints same = counted.withEndpointKey(new byte[] {42, 43, 44, 45});
    assertThat(keys).isEqualTo(same).hasSameHashCodeAs(same);
    assertThat(keys)
        .isNotEqualTo(
            AuthKeyHints.inVector(3).withDomainKey(KEY).withEndpointKey(keys.endpointKey()))
        .isNotEqualTo(keys.withMaxEndpointKeys(4))
        .isNotEqualTo(keys.withDomainKey(new byte[] {1, 2, 4}))
        .isNotEqualTo(keys.withEndpointKey(null));
    assertThat(Hints.latest().withAuthKeys(keys).toString())
        .contains("domainKey=3 bytes", "endpointKey=4 bytes")
        .doesNotContain("42", "[1, 2");
    assertThat(AuthKeyHints.none()).hasToString("AuthKeyHints[]");
  }

  @Test
  @SuppressWarnings("NullAway") // what a careless application does
  @DisplayName("What must be said is not null")
  void nulls() {
    Hints hints = Hints.latest();
    refused(() -> hints.withEndpointType(null), "endpointType");
    refused(() -> hints.withAddressFormat(null), "addressFormat");
    refused(() -> hints.withVectorType(null), "vectorType");
    refused(() -> hints.withThreading(null), "threading");
    refused(() -> hints.withProgress(null), "progress");
    refused(() -> hints.withLimits(null), "limits");
    refused(() -> hints.withAuthKeys(null), "authKeys");
    refused(() -> hints.withSource((String) null), "text");
    refused(() -> hints.withDestination((String) null), "text");
    assertThat(hints.withSource("a:1").withSource((AddressHint) null)).isEqualTo(hints);
  }

  private static void refused(ThrowingCallable call, String name) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContaining(name + " is null");
  }
}
