// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.connection;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class WaitingByHostTest {
  private final WaitingByHost<String> waiting = new WaitingByHost<>();

  @Test
  void addressesOfOneIpv6NetworkAreOneHost() throws UnknownHostException {
    for (int i = 0; i < 10; i++) {
      waiting.add("many " + i, InetAddress.ofLiteral("2001:db8::" + i));
    }
    waiting.add("other", InetAddress.ofLiteral("2001:db8:0:1::1"));
    InetAddress largest = Objects.requireNonNull(waiting.largestHost());
    for (InetAddress each : List.of(largest, InetAddress.ofLiteral("2001:db8::abcd"))) {
      assertThat(waiting.size(each)).isEqualTo(10);
      assertThat(waiting.oldest(each)).isEqualTo("many 0");
    }
  }

  @Test
  void addressesOfIpv4AreHostsOfTheirOwn() {
    InetAddress one = InetAddress.ofLiteral("192.0.2.1");
    waiting.add("one", one);
    waiting.add("two", InetAddress.ofLiteral("192.0.2.2"));
    assertThat(waiting.size(one)).isOne();
  }
}
