// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.cli.peers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class HostsFileTest {
  @Test
  void namesHaveTheirAddressesInOrder() throws IOException {
    HostsFile hosts = read("# nodes\n10.1.1.1 Node1 node1.example # first\n\n::1\tnode1\n");
    assertThat(hosts.resolve("node1"))
        .containsExactly(InetAddress.ofLiteral("10.1.1.1"), InetAddress.ofLiteral("::1"));
    assertThat(hosts.resolve("NODE1.EXAMPLE")).hasSize(1);
    assertThatThrownBy(() -> hosts.resolve("node2"))
        .isInstanceOf(UnknownHostException.class)
        .hasMessageContaining("node2 is not in test");
  }

  @Test
  void aWrongLineIsNamed() {
    assertThatThrownBy(() -> read("10.1.1.1 a\nnode1 10.1.1.1\n"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("test:2");
    assertThatThrownBy(() -> read("10.1.1.1\n")).hasMessageContaining("test:1");
  }

  @Test
  void aZoneIsAnInterfaceOfThisHost() throws Exception {
    NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getLoopbackAddress());
    HostsFile hosts = read("fe80::1%" + loopback.getName() + " near\nfe80::2%7 far\n");
    assertThat((Inet6Address) hosts.resolve("near").getFirst())
        .returns(loopback.getIndex(), Inet6Address::getScopeId)
        .isEqualTo(InetAddress.ofLiteral("fe80::1"));
    assertThat((Inet6Address) hosts.resolve("far").getFirst()).returns(7, Inet6Address::getScopeId);
  }

  @Test
  void aZoneOfAnotherHostMattersOnlyToNamesWithoutAnotherAddress() throws Exception {
    HostsFile hosts = read("127.0.0.1 localhost\nfe80::1%absent0 localhost other\n");
    assertThat(hosts.resolve("localhost")).containsExactly(InetAddress.ofLiteral("127.0.0.1"));
    assertThatThrownBy(() -> hosts.resolve("other"))
        .isInstanceOf(UnknownHostException.class)
        .hasMessageContaining("\"absent0\"");
    assertThatThrownBy(() -> read("10.1.1.1%lo a\n")).hasMessageContaining("test:1");
    assertThatThrownBy(() -> read("fe80::1% a\n")).hasMessageContaining("test:1");
  }

  private static HostsFile read(String text) throws IOException {
    return HostsFile.read(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "test");
  }
}
