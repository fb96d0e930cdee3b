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
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoAnswer;
import org.ofi4j.NodeService;

/** Nodes with several addresses, resolvers that misbehave, and both ends named. */
class InfoNodesTest {
  private static final FabricAddress LOOPBACK = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:0");

  private static Hints hints() {
    return Hints.latest().withProvider("udp");
  }

  private static AddressResolver answer(String... addresses) {
    return node -> Stream.of(addresses).map(InetAddress::ofLiteral).toList();
  }

  static List<Arguments> bothFamilies() {
    Hints both = hints().withDestination("peer:5000").withResolver(answer("::1", "127.0.0.1"));
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
    Hints own = hints().withSource("me:5000");
    assertThat(Fabrics.info(own.withResolver(answer("192.0.2.77", "127.0.0.1"))).best().source())
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:5000"));
    refuses(own.withResolver(answer("192.0.2.77")), "\"me\"", "192.0.2.77", "127.0.0.1");
  }

  @Test
  @DisplayName("What a resolver answers is checked")
  void resolvers() {
    Hints peer = hints().withDestination("peer:5000");
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
            .withDestination(new NodeService(node, "5000"))
            .withResolver(name -> {
              throw new AssertionError(name + " was to be resolved");
            });
    assertThat(Fabrics.info(numeric).best().destination())
        .isEqualTo(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:5000"));
  }

  @Test
  @DisplayName("An empty node is refused")
  void emptyNode() {
    refuses(hints().withDestination(new NodeService("", "5000")), "node is empty");
  }

  @Test
  @DisplayName("Own node and peer's node go together, of the same family")
  void bothEnds() {
    assumeTrue(Rig.nodes().contains("::1"), "without IPv6 there is one family");
    Hints named =
        hints()
            .withSource("127.0.0.1:4000")
            .withDestination("peer:5000")
            .withResolver(answer("::1", "127.0.0.1"));
    FabricInfo info = Fabrics.info(named).best();
    assertThat(info.source()).isEqualTo(FabricAddress.parse("127.0.0.1:4000"));
    assertThat(info.destination()).isEqualTo(FabricAddress.parse("127.0.0.1:5000"));

    Hints own =
        hints()
            .withSource("me:4000")
            .withDestination(FabricAddress.parse("127.0.0.1:5000"))
            .withResolver(answer("::1", "127.0.0.1"));
    assertThat(Fabrics.info(own).best().source()).isEqualTo(FabricAddress.parse("127.0.0.1:4000"));
    refuses(
        named.withSource("[::1]:4000").withDestination("127.0.0.1:5000"),
        "node \"127.0.0.1\"",
        "IPv6 ::1");
  }

  @Test
  @DisplayName("A whole address as text is the same as the address")
  void wholeAddresses() {
    FabricAddress whole = FabricAddress.parse("fi_sockaddr_in://127.0.0.1:4711");
    assertThat(Fabrics.info(hints().withSource(whole.toString())).best())
        .isEqualTo(Fabrics.info(hints().withSource(whole)).best());
    assertThat(Fabrics.info(hints().withDestination(whole.toString())).best())
        .isEqualTo(Fabrics.info(hints().withDestination(whole)).best());
  }

  @Test
  @DisplayName("An own port goes with the peer's node")
  void ownPort() {
    FabricInfo info =
        Fabrics.info(hints().withSource(":4000").withDestination("127.0.0.1:5000")).best();
    assertThat(info.source()).isEqualTo(FabricAddress.parse("127.0.0.1:4000"));
    assertThat(info.destination()).isEqualTo(FabricAddress.parse("127.0.0.1:5000"));
  }

  private static void refuses(Hints asked, String... words) {
    InfoAnswer answer = Fabrics.info(asked);
    assertThat(answer.offers()).isEmpty();
    assertThat(answer.refusals())
        .singleElement()
        .satisfies(refusal -> assertThat(refusal.toString()).contains(words));
  }
}
