// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.VectorOptions;
import org.ofi4j.provider.net.FreePort;

/** Endpoints that are told where to be, in place of the source of their information. */
class NamesTest {
  private static FabricAddress at(int port) {
    return FabricAddress.parse("fi_sockaddr_in://127.0.0.1:" + port);
  }

  private static final FabricAddress IPV6 = FabricAddress.parse("fi_sockaddr_in6://[::1]:0");

  private static void refused(Errno errno, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno))
        .hasMessageContainingAll(words);
  }

  private static FabricInfo info(String provider) {
    Hints hints = Hints.latest().withProvider(provider).withSource("127.0.0.1:0");
    return Fabrics.info(hints).best();
  }

  private static void named(String provider) throws Exception {
    int port = FreePort.find();
    try (Fabric fabric = Fabrics.open(info(provider));
        Domain domain = fabric.openDomain(info(provider));
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue queue = domain.openCompletionQueue()) {
      EndpointOptions options = EndpointOptions.of(vector, queue);
      assertThatThrownBy(() -> options.withAddress(null)).hasMessageContaining("address");
      EndpointOptions otherFamily = options.withAddress(IPV6);
      refused(Errno.EINVAL, () -> domain.openEndpoint(otherFamily), "::1", "SOCKADDR_IN6");
      EndpointOptions there = options.withAddress(at(1)).withAddress(at(port));
      try (MessageEndpoint endpoint = domain.openEndpoint(there);
          MessageEndpoint second = domain.openEndpoint(options.withAddress(at(0)))) {
        assertThat(endpoint.info().source()).isEqualTo(at(port));
        assertThat(endpoint.address()).isEqualTo(at(port));
        refused(Errno.EADDRINUSE, () -> domain.openEndpoint(there), ":" + port);
        assertThat(second.address()).isNotEqualTo(at(port));
      }
    }
  }

  @Test
  @DisplayName("An endpoint over TCP is where it was told to be")
  void reliable() throws Exception {
    named("tcp");
  }

  @Test
  @DisplayName("So is one over UDP")
  void datagrams() throws Exception {
    named("udp");
  }

  @Test
  @DisplayName("A passive endpoint listens where it was told to, and endpoints connect from there")
  void connected() throws Exception {
    int port = FreePort.find();
    try (MsgSide server = new MsgSide(Progress.MANUAL);
        MsgSide client = new MsgSide(Progress.MANUAL)) {
      PassiveOptions options = PassiveOptions.of(server.events);
      refused(Errno.EINVAL, () -> server.listen(options.withAddress(IPV6)), "::1");
      PassiveEndpoint passive = server.listen(options.withAddress(at(port)));
      assertThat(passive.address()).isEqualTo(at(port));

      int own = FreePort.find();
      ConnectedEndpoint caller =
          client.endpoint(client.info, client.options().withAddress(at(own)));
      caller.connect(passive.address());
      Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
      assertThat(request.info().destination()).isEqualTo(at(own));
      ConnectedEndpoint accepted = server.endpoint(request.info());
      accepted.accept();
      server.event(Event.Connected.class, client);
      client.event(Event.Connected.class, server);
      assertThat(accepted.peer()).isEqualTo(at(own));

      client.endpoint().connect(passive.address());
      Event.ConnectionRequest another = server.event(Event.ConnectionRequest.class, client);
      EndpointOptions elsewhere = server.options().withAddress(at(0));
      refused(Errno.EINVAL, () -> server.endpoint(another.info(), elsewhere), "opened for");
    }
  }
}
