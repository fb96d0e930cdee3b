// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.LocalAddress;

/** Which address an endpoint may have, and by which one it is known. */
class EndpointAddressTest {
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, fi_sockaddr_in6://[::1]:0, SOCKADDR_IN",
    "::1, fi_sockaddr_in://127.0.0.1:0, SOCKADDR_IN6"
  })
  @DisplayName("An endpoint's source must be of a format that its domain's vectors take")
  void otherFamily(String node, String source, AddressFormat format) {
    if (!Rig.nodes().contains(node)) {
      return;
    }
    try (Rig rig = new Rig(Rig.udp(node))) {
      EndpointOptions options = EndpointOptions.of(rig.vector, rig.queue);
      FabricInfo other = rig.domain.info().withSource(FabricAddress.parse(source));
      assertThatThrownBy(() -> rig.domain.openEndpoint(other, options))
          .isInstanceOfSatisfying(
              FabricException.class, refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
          .hasMessageContainingAll(source, format.toString());
      rig.domain.openEndpoint(rig.domain.info().withSource(null), options).close();
    }
  }

  @Test
  @DisplayName("Domains of text and of either family take sources of both")
  void eitherFamily() {
    for (AddressFormat format : List.of(AddressFormat.STR, AddressFormat.SOCKADDR)) {
      try (Rig rig = new Rig(Rig.udp().withAddressFormat(format))) {
        FabricInfo info = rig.domain.info();
        for (String source : List.of("fi_sockaddr_in6://[::1]:0", "fi_sockaddr_in://127.0.0.1:0")) {
          assertThat(rig.datagrams(info.withSource(FabricAddress.parse(source))).isOpen()).isTrue();
        }
      }
    }
  }

  private static LocalAddress local(String name, String address, String network) {
    return new LocalAddress(name, 7, false, InetAddress.ofLiteral(address), network);
  }

  @Test
  @DisplayName("Bound to any address, an endpoint is known by the address in its domain's fabric")
  void nameInFabric() {
    FabricInfo lo = Fabrics.info(Rig.udp()).best();
    String device = lo.domain().name();
    LocalAddress first = local(device, "192.0.2.1", "192.0.2.0/24");
    LocalAddress second = local(device, "127.3.2.1", lo.fabric().name());
    LocalAddress elsewhere = local("other0", "127.9.9.9", lo.fabric().name());
    InetSocketAddress any = new InetSocketAddress(InetAddress.ofLiteral("0.0.0.0"), 4711);
    assertThat(EndpointAddress.reachable(any, lo, List.of(elsewhere, first, second)))
        .isEqualTo(new InetSocketAddress(second.address(), 4711));
    // The address in the fabric has gone since: another one of the interface still reaches it.
    assertThat(EndpointAddress.reachable(any, lo, List.of(elsewhere, first)))
        .isEqualTo(new InetSocketAddress(first.address(), 4711));
    assertThatThrownBy(() -> EndpointAddress.reachable(any, lo, List.of(elsewhere)))
        .isInstanceOf(FabricException.class)
        .hasMessageContaining(device);
  }
}
