// SPDX-License-Identifier: Apache-2.0
package org.ofi4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.UnknownHostException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Node and service as people write them. */
class NodeServiceTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1:0, 127.0.0.1, 0",
    "myhost:5000, myhost, 5000",
    "myhost:http, myhost, http",
    "[2001:db8::7]:5000, 2001:db8::7, 5000",
    "[fe80::1%eth0]:5000, fe80::1%eth0, 5000",
    ":5000,, 5000",
    "fi_sockaddr_in://10.1.1.7:5000, fi_sockaddr_in://10.1.1.7:5000,",
    "fi_sockaddr_in6://[::1]:5000, fi_sockaddr_in6://[::1]:5000,"
  })
  @DisplayName("Text is taken apart at the colon that is not the node's, and put together again")
  void parse(String text, @Nullable String node, @Nullable String service) {
    NodeService parsed = NodeService.parse(text);
    assertThat(parsed).isEqualTo(new NodeService(node, service));
    assertThat(parsed).hasToString(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ":", "localhost", "127.0.0.1", "127.0.0.1:", "[::1]", "::1", "a:b:5000"})
  @DisplayName("Text without a service, or with colons that belong into brackets, is refused")
  void refused(String text) {
    assertThatThrownBy(() -> NodeService.parse(text))
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL))
        .hasMessageContainingAll('"' + text + '"', "127.0.0.1:0", "[::1]:0");
  }

  @Test
  @DisplayName("An address in brackets with nothing behind them is told that the port is missing")
  void noPort() {
    assertThatThrownBy(() -> NodeService.parse("[::1]")).hasMessageContaining("has no port");
  }

  @Test
  @DisplayName("One of node and service is given; an empty node is for the provider to judge")
  void oneOfTwo() {
    assertThat(new NodeService("myhost", null)).hasToString("myhost");
    assertThat(NodeService.parse("[]:5000")).isEqualTo(new NodeService("", "5000"));
    assertThatThrownBy(() -> new NodeService(null, null))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining("node and service are null");
  }

  @Test
  @DisplayName("The resolver for numeric nodes knows no name")
  void numericOnly() {
    assertThatThrownBy(() -> AddressResolver.numericOnly().resolve("localhost"))
        .isInstanceOf(UnknownHostException.class)
        .hasMessageContaining("FI_NUMERICHOST");
  }
}
