// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.core.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress.SocketAddress6;
import org.ofi4j.FabricException;
import org.ofi4j.core.testing.TestDomain;

@Tag("AV-118")
class NodeRangeTest {
  private static NodeRange numeric(String node) {
    NodeRange range = NodeRange.numeric(node);
    assertThat(range).as(node + " is numeric").isNotNull();
    return range;
  }

  private static List<String> at(NodeRange range, int... nodes) {
    return IntStream.of(nodes).mapToObj(i -> String.valueOf(range.at(i, 5000))).toList();
  }

  @ParameterizedTest
  @Tag("AV-109")
  @Tag("AV-110")
  @CsvSource({
    "127.1, 127.0.0.1",
    "0x7f000001, 127.0.0.1",
    "0X7F000001, 127.0.0.1",
    "2130706433, 127.0.0.1",
    "017700000001, 127.0.0.1",
    "0177.0.0.1, 127.0.0.1",
    "0x7f.1, 127.0.0.1",
    "10.1.257, 10.1.1.1",
    "10.65537, 10.1.0.1",
    "010.1.1.1, 8.1.1.1",
    "4294967295, 255.255.255.255",
  })
  @DisplayName("Nodes are what inet_aton takes them for")
  void ipv4InAnyForm(String node, String address) {
    assertThat(at(numeric(node), 0)).containsExactly("fi_sockaddr_in://" + address + ":5000");
  }

  @ParameterizedTest
  @ValueSource(strings = {"node7", "4294967296", "0x", "0x7g", "08", "1x", "0x1ffffffff", "-1"})
  void namesAreNotNumbers(String node) {
    assertThat(NodeRange.numeric(node)).isNull();
  }

  @Test
  void ipv4CarriesThroughAllOctets() {
    assertThat(at(numeric("10.1.1.254"), 0, 1, 2))
        .containsExactly(
            "fi_sockaddr_in://10.1.1.254:5000",
            "fi_sockaddr_in://10.1.1.255:5000",
            "fi_sockaddr_in://10.1.2.0:5000");
    assertThat(at(numeric("10.255.255.255"), 1)).containsExactly("fi_sockaddr_in://11.0.0.0:5000");
    assertThat(at(numeric("127.255.255.255"), 1))
        .containsExactly("fi_sockaddr_in://128.0.0.0:5000");
    assertThat(at(numeric("0.0.0.1"), Integer.MAX_VALUE))
        .containsExactly("fi_sockaddr_in://128.0.0.0:5000");
  }

  @Test
  @Tag("AV-123")
  void ipv4EndsAtItsLastAddress() {
    NodeRange range = numeric("255.255.255.255");
    assertThat(at(range, 0)).containsExactly("fi_sockaddr_in://255.255.255.255:5000");
    assertThat(range.at(1, 5000)).isNull();
    assertThat(range.at(Integer.MAX_VALUE, 5000)).isNull();
    assertThat(range.failure(1).errno()).isEqualTo(Errno.EADDRNOTAVAIL);
    assertThat(range.failure(1).reason()).contains("last IPv4 address");
    assertThat(range.text(1)).isEqualTo("255.255.255.255 + 1");
  }

  @Test
  void ipv6CarriesThroughAllBytes() {
    // The defect of libfabric's ip_av_ip6sym_getaddr: fd, fe, 1ff, 100, 101.
    assertThat(at(numeric("2001:db8::fd"), 0, 1, 2, 3, 4))
        .containsExactly(
            "fi_sockaddr_in6://[2001:db8::fd]:5000",
            "fi_sockaddr_in6://[2001:db8::fe]:5000",
            "fi_sockaddr_in6://[2001:db8::ff]:5000",
            "fi_sockaddr_in6://[2001:db8::100]:5000",
            "fi_sockaddr_in6://[2001:db8::101]:5000");
    assertThat(at(numeric("2001:db8::ffff:ffff:ffff:ffff"), 1))
        .containsExactly("fi_sockaddr_in6://[2001:db8:0:1::]:5000");
    assertThat(at(numeric("2001:db8::7fff:ffff:ffff:ffff"), 1))
        .containsExactly("fi_sockaddr_in6://[2001:db8:0:0:8000::]:5000");
  }

  @Test
  @Tag("AV-123")
  void ipv6EndsAtItsLastAddress() {
    NodeRange range = numeric("ffff:ffff:ffff:ffff:ffff:ffff:ffff:fffe");
    assertThat(range.at(1, 1)).isEqualTo(new SocketAddress6(-1, -1, 1, 0, 0));
    assertThat(range.at(2, 1)).isNull();
    assertThat(range.failure(2).errno()).isEqualTo(Errno.EADDRNOTAVAIL);
    assertThat(range.failure(2).reason()).contains("last IPv6 address");
    assertThat(range.text(2)).contains("[ffff:", "] + 2");
  }

  @Test
  void ipv6KeepsMappedAddressesAndScopes() {
    assertThat(at(numeric("::ffff:10.31.6.1"), 1))
        .containsExactly("fi_sockaddr_in6://[::ffff:10.31.6.2]:5000");
    assertThat(numeric("fe80::1%7").at(0, 1))
        .isEqualTo(new SocketAddress6(0xfe80L << 48, 1, 1, 0, 7));
    assertThat(numeric("fe80::1%lo").at(0, 1))
        .isInstanceOfSatisfying(SocketAddress6.class, a -> assertThat(a.scopeId()).isPositive());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "256.1.1.1",
        "1.2.3.4.5",
        "1..2.3",
        ".",
        "10.256.1.1",
        "10.16777216",
        "::1::",
        ":",
        "host:1",
        "fe80::1%",
        "fe80::1%nosuchdevice",
        "fe80::1%99999999999",
        "::1/abc",
        "[::1]",
        "::1]:5?a=[",
        "12345::",
        "fi_sockaddr_in://10.1.1.1:5"
      })
  void looksNumericAndIsNot(String node) {
    NodeRange range = numeric(node);
    assertThat(range.at(0, 80)).isNull();
    assertThat(range.failure(0).errno()).isEqualTo(Errno.EINVAL);
    assertThat(range.failure(0).reason()).isNotBlank();
    assertThat(range.text(0)).isEqualTo(node);
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "host10", "10.1.1.x", "node-1.cluster", "x123", "a", "deadbeef"})
  void everythingElseIsAName(String node) {
    assertThat(NodeRange.numeric(node)).isNull();
  }

  private static HostRange hosts(String first, int count) {
    return new HostRange(
        first,
        count,
        new NameResolution(
            host -> List.of(InetAddress.ofLiteral("10.9.0." + host.length())),
            AddressFormat.SOCKADDR_IN,
            TestDomain.PATIENCE));
  }

  @ParameterizedTest
  @Tag("AV-119")
  @CsvSource({
    "host10, 1, host11",
    "host09, 1, host10",
    "node001, 9, node010",
    "node001, 999, node1000",
    "node099, 1, node100",
    "host99, 1, host100",
    "007, 1, 008",
    "9, 1, 10",
    "a00000000000000000000000000000000009, 1, a00000000000000000000000000000000010",
    "a99999999999999999999, 1, a100000000000000000000",
    "rack1.node7, 2, rack1.node9",
  })
  void suffixCountsAndKeepsItsWidth(String first, int node, String name) {
    assertThat(hosts(first, node + 1).text(node)).isEqualTo(name);
    assertThat(hosts(first, node + 1).text(0)).isEqualTo(first);
  }

  @Test
  @Tag("AV-119")
  void severalHostsNeedDigits() throws InterruptedException {
    for (String name : List.of("host", "host1a", "node-")) {
      assertThatThrownBy(() -> hosts(name, 2))
          .isInstanceOfSatisfying(
              FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
          .hasMessageContaining(name);
    }
    HostRange single = hosts("host", 1);
    single.prepare();
    assertThat(at(single, 0)).containsExactly("fi_sockaddr_in://10.9.0.4:5000");
  }
}
