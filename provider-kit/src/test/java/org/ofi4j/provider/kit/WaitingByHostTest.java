// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

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
    Object largest = Objects.requireNonNull(waiting.largestHost());
    for (Object each : List.of(largest, InetAddress.ofLiteral("2001:db8::abcd"))) {
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

  @Test
  void hostWithItsShareGivesUpItsOldest() {
    for (int i = 0; i < 25; i++) {
      assertThat(request("greedy", 100, i)).isEqualTo(-1);
    }
    assertThat(request("greedy", 100, 25)).isZero();
    assertThat(request("other", 100, 0)).isEqualTo(-1);
    assertThat(waiting.size("greedy")).isEqualTo(25);
  }

  @Test
  void hostWithMostGivesWayAtTheBound() {
    for (int i = 0; i < 14; i++) {
      request("most", 20, i);
    }
    for (int i = 0; i < 6; i++) {
      request("some", 20, i);
    }
    assertThat(request("new", 20, 0)).isZero();
    assertThat(waiting.size()).isEqualTo(20);
    assertThat(waiting.size("most")).isEqualTo(13);
    assertThat(waiting.oldest()).isEqualTo("most 1");
  }

  @Test
  void nobodyGivesWayToHostThatWouldHaveAsMany() {
    for (int i = 0; i < 5; i++) {
      for (String host : List.of("one", "two", "three", "four")) {
        request(host, 20, i);
      }
    }
    for (int i = 0; i < 4; i++) {
      assertThat(request("new", 20, i)).isNotEqualTo(REFUSED);
    }
    assertThat(request("new", 20, 4)).isEqualTo(REFUSED);
    assertThat(waiting.size()).isEqualTo(20);
  }

  private static final int REFUSED = -2;

  /** Adds a request if there is space; returns the number of the one given up, -1 if none. */
  private int request(String host, int bound, int number) {
    int[] given = {-1};
    boolean space =
        waiting.makeSpace(
            host,
            bound,
            each -> {
              waiting.remove(each);
              given[0] = Integer.parseInt(each.substring(each.indexOf(' ') + 1));
            });
    if (!space) {
      return REFUSED;
    }
    waiting.add(host + " " + number, host);
    return given[0];
  }
}
