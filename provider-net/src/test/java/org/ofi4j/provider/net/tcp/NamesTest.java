// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.BindFlag;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoFlag;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.FreePort;

/** Endpoints that are told where to be after they were opened. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
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
    Hints hints = Hints.latest().withProvider(provider).withAddress("127.0.0.1", "0");
    return Fabrics.info(hints.withFlags(InfoFlag.SOURCE)).best();
  }

  private static void named(String provider) throws Exception {
    int port = FreePort.find();
    try (Fabric fabric = Fabrics.open(info(provider));
        Domain domain = fabric.openDomain(info(provider));
        AddressVector vector = domain.openAddressVector(AvAttributes.table());
        CompletionQueue queue = domain.openCompletionQueue();
        Endpoint endpoint = domain.openEndpoint()) {
      refused(Errno.EINVAL, () -> endpoint.name(null), "address is null");
      refused(Errno.EINVAL, () -> endpoint.name(IPV6), "::1", "SOCKADDR_IN6");
      endpoint.name(at(1));
      endpoint.name(at(port));
      assertThat(endpoint.info().source()).isEqualTo(at(port));
      endpoint.bind(vector);
      endpoint.bind(queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
      refused(Errno.EOPBADSTATE, endpoint::name, "enable first");
      endpoint.enable();
      assertThat(endpoint.name()).isEqualTo(at(port));
      refused(Errno.EINVAL, () -> endpoint.name(at(0)), "enabled");
      try (Endpoint second = domain.openEndpoint()) {
        second.bind(vector);
        second.bind(queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
        second.name(at(port));
        refused(Errno.EADDRINUSE, second::enable, ":" + port);
        second.name(at(0));
        second.enable();
        assertThat(second.name()).isNotEqualTo(at(port));
      }
    }
  }

  @Test
  @DisplayName("An endpoint over TCP is where it was told to be before it was enabled")
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
      PassiveEndpoint passive = server.passive();
      refused(Errno.EINVAL, () -> passive.name(IPV6), "::1");
      passive.name(at(port));
      passive.listen();
      assertThat(passive.name()).isEqualTo(at(port));
      refused(Errno.EINVAL, () -> passive.name(at(0)), "listens");

      int own = FreePort.find();
      Endpoint caller = client.endpoint();
      caller.name(at(own));
      caller.connect(passive.name());
      Event.ConnectionRequest request = server.event(Event.ConnectionRequest.class, client);
      assertThat(request.info().destination()).isEqualTo(at(own));
      Endpoint accepted = server.endpoint(request.info());
      refused(Errno.EINVAL, () -> accepted.name(at(0)), "opened for");
      accepted.accept();
      server.event(Event.Connected.class, client);
      client.event(Event.Connected.class, server);
      assertThat(accepted.peer()).isEqualTo(at(own));
    }
  }
}
