// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PeerLineTest {

  @ParameterizedTest
  @CsvSource({
    "10.1.1.7:5000, fi_sockaddr_in://10.1.1.7:5000",
    "'  10.1.1.7:5000  # a comment', fi_sockaddr_in://10.1.1.7:5000",
    "fi_sockaddr_in://10.1.1.7:5000, fi_sockaddr_in://10.1.1.7:5000",
    "[2001:db8::7]:5000, fi_sockaddr_in6://[2001:db8::7]:5000",
    "fi_sockaddr_in6://[2001:DB8::7]:5000, fi_sockaddr_in6://[2001:db8::7]:5000",
    "fi_sockaddr://10.31.6.12:7471?qos=3, fi_sockaddr_in://10.31.6.12:7471"
  })
  void numericAddresses(String line, String address) {
    assertThat(PeerLine.parse(line, null))
        .isEqualTo(new PeerLine.Single(1, line.strip(), FabricAddress.parse(address)));
  }

  @ParameterizedTest
  @CsvSource({
    "node17:5000, node17, 5000",
    "node17.cluster.example:http, node17.cluster.example, http",
    "10.1.1.7:http, 10.1.1.7, http",
    "[2001:db8::7]:http, 2001:db8::7, http",
    "[fe80::7%eth0]:5000, fe80::7%eth0, 5000",
    "node_3:5000, node_3, 5000",
    "1und1.example:80, 1und1.example, 80",
    "linux64:5000, linux64, 5000"
  })
  void names(String line, String node, String service) {
    assertThat(PeerLine.parse(line, null)).isEqualTo(new PeerLine.Named(1, line, node, service));
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.1.0x64:5000x4, 10.1.1.0, 64, 5000, 4",
    "10.1.1.0x64:5000, 10.1.1.0, 64, 5000, 1",
    "10.1.1.0:5000x4, 10.1.1.0, 1, 5000, 4",
    "[2001:db8::1]x16:5000x2, 2001:db8::1, 16, 5000, 2",
    "rack07-node[001]x64:5000x4, rack07-node001, 64, 5000, 4",
    "node[7]x2:http, node7, 2, http, 1",
    "login:5000x3, login, 1, 5000, 3"
  })
  void ranges(String line, String node, int nodes, String service, int services) {
    assertThat(PeerLine.parse(line, null))
        .isEqualTo(new PeerLine.Range(1, line, node, nodes, service, services));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "   ", "# comment", "\t# 10.1.1.1:5"})
  void nothing(String line) {
    assertThat(PeerLine.parse(line, null)).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "10.1.1.300:5000, 10.1.1.300",
    "10.1.1:5000, 10.1.1",
    "10.1.1.7:, missing",
    "10.1.1.7:70000, 70000",
    "10.1.1.7:-1, -1",
    "10.1.1.1xabc:5000, 'must be 1 to'",
    "10.1.1.1x1x1:5000, 'must be 1 to'",
    "10.1.1.1x+3:5000, 'must be 1 to'",
    "10.1.1.1x３:5000, 'must be 1 to'",
    "10.1.1.1x3 :5000, 'must be 1 to'",
    "[2001:db8::1]x2x:5000, 'must be 1 to'",
    "5000:5000, is a number",
    "0x0a010101:5000, is a number",
    "10.1.1.7:65536, port 65536 does not exist",
    "10.1.1.7:65536x2, port 65536 does not exist",
    "node17:65536, port 65536 does not exist",
    "[2001:db8::7]:65536, port 65536 does not exist",
    "10.1.1.7:080, without leading zeros",
    "010.0.0.1:5, without leading zeros",
    "10.0.0:5, '\"10.0.0\" is no IPv4 address'",
    "10.0.0.1x:5, is missing",
    "1.2.3.4x2:5x2x2, '\"5x2x2\" is no range of ports'",
    "[fe80::1%25lo]:5, write [fe80::1%lo]",
    "10.0.0.0x65536:5000x257, use more lines",
    "10.1.1.7, no port",
    "node17, no port",
    "2001:db8::7:5000, brackets",
    "[2001:db8::7:5000, never closed",
    "[2001:db8::xyz]:5000, xyz",
    "[2001:db8::7]y3:5000, count",
    "10.1.1.0x0:5000, 1 to",
    "10.1.1.0x:5000, 1 to",
    "10.1.1.300x3:5000, 10.1.1.300",
    "10.1.1.0x9999999999:5000, 1 to",
    "10.1.1.0x16777217:5000, 1 to 16777216",
    "10.0.0.256:5, '\"10.0.0.256\" is no IPv4 address: '",
    "10.0.0.0x65536:5000x257, too many",
    "node[001]:5000, needs a count",
    "node[001]x8.cluster:5000, last digits",
    "node[x]x8:5000, no range",
    "node 17:5000, neither",
    "-node:5000, neither",
    "a..b:5000, neither",
    "???:5000, neither",
    "node17:50 00, neither",
    "10.1.1.7;5000, ;"
  })
  void malformed(String line, String word) {
    assertThat(PeerLine.parse(line, null))
        .isInstanceOfSatisfying(
            PeerLine.Malformed.class,
            malformed -> {
              assertThat(malformed.reason())
                  .contains(word)
                  .doesNotStartWith("EINVAL")
                  .doesNotContain("fi_sockaddr");
              assertThat(malformed.errno()).isEqualTo(Errno.EINVAL);
              assertThat(malformed).hasToString("\"" + line + "\": " + malformed.reason());
            });
  }

  @Test
  void aDefaultServiceHelpsLinesWithoutOne() {
    assertThat(PeerLine.parse("node17", "99999"))
        .isEqualTo(
            new PeerLine.Malformed(
                "", 1, "node17", Errno.EINVAL, "port 99999 does not exist: the last one is 65535"));
    assertThat(PeerLine.parse("10.1.1.7", "7471"))
        .isEqualTo(
            new PeerLine.Single(
                1, "10.1.1.7", FabricAddress.parse("fi_sockaddr_in://10.1.1.7:7471")));
    assertThat(PeerLine.parse("node17", "7471"))
        .isEqualTo(new PeerLine.Named(1, "node17", "node17", "7471"));
    assertThat(PeerLine.parse("node[1]x4", "7471"))
        .isEqualTo(new PeerLine.Range(1, "node[1]x4", "node1", 4, "7471", 1));
    assertThat(PeerLine.parse("[2001:db8::1]x4", "7471"))
        .isEqualTo(new PeerLine.Range(1, "[2001:db8::1]x4", "2001:db8::1", 4, "7471", 1));
  }
}
