// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressResolver;
import org.ofi4j.FabricAddress;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.InfoFlag;

/** Nodes with several addresses, resolvers that misbehave, and hints that contradict each other. */
class InfoNodesTest {
  private static final FabricAddress LOOPBACK = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:0");

  private static Hints hints() {
    return Hints.latest().withProvider("udp");
  }

  private static AddressResolver answer(String... addresses) {
    return node -> Stream.of(addresses).map(InetAddress::ofLiteral).toList();
  }

  static List<Arguments> bothFamilies() {
    Hints both = hints().withAddress("peer", "5000").withResolver(answer("::1", "127.0.0.1"));
    return List.of(
        arguments("source", both.withSource(LOOPBACK)),
        arguments("fabric", both.withFabric("127.0.0.0/8")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bothFamilies")
  @DisplayName("Of a node's addresses the first one is taken that the other hints leave possible")
  void firstThatFits(String name, Hints asked) {
    assumeTrue(Rig.nodes().contains("::1"), "without IPv6 the first address never fits");
    InfoAnswer answer = Fabrics.info(asked);
    assertThat(answer.refusals()).isEmpty();
    assertThat(answer.best().destination())
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:5000"));
  }

  @Test
  @DisplayName("Of the own node's addresses the first one is taken that this host has")
  void ownNode() {
    Hints own = hints().withAddress("me", "5000").withFlags(InfoFlag.SOURCE);
    assertThat(Fabrics.info(own.withResolver(answer("192.0.2.77", "127.0.0.1"))).best().source())
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:5000"));
    refuses(own.withResolver(answer("192.0.2.77")), "\"me\"", "192.0.2.77", "127.0.0.1");
  }

  @Test
  @DisplayName("What a resolver answers is checked")
  void resolvers() {
    Hints peer = hints().withAddress("peer", "5000");
    refuses(peer.withResolver(answer()), "resolver", "\"peer\"");
    refuses(
        peer.withResolver(node -> {
          throw new IllegalStateException("broken");
        }),
        "resolver failed",
        "\"peer\"",
        "broken");
    refuses(peer.withResolver(InfoNodesTest::nothing), "resolver answered null");
    refuses(
        peer.withResolver(node -> new ArrayList<>(Arrays.asList(LOCAL, none()))),
        "resolver answered",
        "null");
  }

  private static final InetAddress LOCAL = InetAddress.ofLiteral("127.0.0.1");

  @SuppressWarnings("NullAway") // what a careless application does
  private static List<InetAddress> nothing(String node) {
    return null;
  }

  @SuppressWarnings("NullAway") // what a careless application does
  private static InetAddress none() {
    return null;
  }

  @ParameterizedTest
  @ValueSource(strings = {"127.1", "0x7f000001", "2130706433", "0177.0.0.1", "127.0.1"})
  @DisplayName("Numeric nodes are what inet_aton takes them for, and never resolved")
  void numericNodes(String node) {
    Hints numeric =
        hints()
            .withAddress(node, "5000")
            .withFlags(InfoFlag.NUMERIC_HOST)
            .withResolver(name -> {
              throw new AssertionError(name + " was to be resolved");
            });
    assertThat(Fabrics.info(numeric).best().destination())
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:5000"));
  }

  @Test
  @DisplayName("An empty node is refused")
  void emptyNode() {
    refuses(hints().withAddress("", "5000"), "node is empty");
  }

  @Test
  @DisplayName("The own port is named once, by the service or by the source")
  void twoPorts() {
    Hints service = hints().withAddress(null, "5000").withFlags(InfoFlag.SOURCE);
    refuses(service.withSource(LOOPBACK), "service \"5000\"", "127.0.0.1:0", "both");
  }

  private static void refuses(Hints asked, String... words) {
    InfoAnswer answer = Fabrics.info(asked);
    assertThat(answer.offers()).isEmpty();
    assertThat(answer.refusals())
        .singleElement()
        .satisfies(refusal -> assertThat(refusal.toString()).contains(words));
  }
}
