// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.ContextOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.SharedReceiveContext;
import org.ofi4j.SharedReceiveOptions;
import org.ofi4j.TransmitContext;
import org.ofi4j.VectorOptions;

/** What an endpoint may be opened with, and in which words it is refused otherwise. */
class EndpointRulesTest {
  private static void refused(Errno errno, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno))
        .hasMessageContainingAll(words);
  }

  @Test
  @Tag("AV-210")
  @DisplayName("One address vector, of the same domain; what was said last counts")
  void vector() {
    try (Rig rig = new Rig(Rig.udp());
        Domain otherDomain = rig.fabric.openDomain();
        AddressVector foreign = otherDomain.openAddressVector(VectorOptions.table());
        AddressVector second = rig.domain.openAddressVector(VectorOptions.table())) {
      EndpointOptions options = EndpointOptions.of(rig.vector, rig.queue);
      EndpointOptions wrong = options.withVector(foreign);
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint(wrong), "domain");
      assertThatThrownBy(() -> options.withVector(null)).hasMessageContaining("vector");
      try (DatagramEndpoint endpoint =
          rig.domain.openDatagramEndpoint(options.withVector(second))) {
        long self = second.insert(endpoint.address());
        endpoint.inject(Rig.message("x"), self);
        refused(Errno.EINVAL, () -> endpoint.inject(Rig.message("x"), self + 1), "no entry");
        busy(second::close, endpoint);
      }
    }
  }

  @Test
  @DisplayName("One completion queue for each direction, of the same domain")
  void queues() {
    try (Rig rig = new Rig(Rig.udp());
        Domain otherDomain = rig.fabric.openDomain();
        CompletionQueue foreign = otherDomain.openCompletionQueue();
        CompletionQueue second = rig.domain.openCompletionQueue()) {
      EndpointOptions options = EndpointOptions.of(rig.vector, rig.queue);
      EndpointOptions wrong = options.withReceiveQueue(foreign);
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint(wrong), "domain");
      assertThatThrownBy(() -> options.withQueue(null)).hasMessageContaining("queue");
      try (DatagramEndpoint endpoint =
          rig.domain.openDatagramEndpoint(options.withReceiveQueue(second))) {
        busy(rig.queue::close, endpoint);
        busy(second::close, endpoint);
      }
    }
  }

  @Test
  @Tag("AV-211")
  @DisplayName("Opening asks for queues first, then for the vector, and leaves nothing behind")
  void opening() {
    try (Rig rig = new Rig(Rig.udp())) {
      EndpointOptions none = EndpointOptions.none();
      refused(Errno.ENOCQ, () -> rig.domain.openEndpoint(none), "sends");
      EndpointOptions sending = none.withTransmitQueue(rig.queue);
      refused(Errno.ENOCQ, () -> rig.domain.openEndpoint(sending), "receives");
      EndpointOptions both = sending.withReceiveQueue(rig.queue);
      refused(Errno.ENOAV, () -> rig.domain.openEndpoint(both), "address vector");
      EndpointOptions enough = both.withVector(rig.vector);
      try (DatagramEndpoint endpoint = rig.domain.openDatagramEndpoint(enough)) {
        assertThat(endpoint.address()).isInstanceOf(SocketAddress4.class);
      }
    }
  }

  @Test
  @DisplayName("Datagrams need no connection, share no receives and take one buffer each")
  void notForDatagrams() {
    try (Rig rig = new Rig(Rig.udp());
        EventQueue events = rig.fabric.openEventQueue()) {
      EndpointOptions options = EndpointOptions.of(rig.vector, rig.queue);
      EndpointOptions patient =
          options.withConnections(
              ConnectionOptions.defaults().withConnectTimeout(Duration.ofSeconds(1)));
      refused(Errno.ENOSYS, () -> rig.domain.openEndpoint(patient), "RDM");
      EndpointOptions several = options.withMinMultiReceive(1);
      refused(Errno.ENOSYS, () -> rig.domain.openEndpoint(several), "RDM");
      EndpointOptions reporting = options.withEvents(events);
      refused(Errno.ENOSYS, () -> rig.domain.openEndpoint(reporting), "events");
      refused(Errno.EINVAL, () -> rig.domain.openReliableEndpoint(options), "DGRAM", "RDM");
    }
  }

  @Test
  @DisplayName("An endpoint that only sends, or only receives, needs one queue and does one thing")
  void oneWay() {
    Hints sending = Rig.udp().withCapabilities(Capability.MSG, Capability.SEND);
    try (Rig rig = new Rig(sending)) {
      DatagramEndpoint endpoint =
          rig.datagrams(
              rig.domain.info(),
              EndpointOptions.none().withVector(rig.vector).withTransmitQueue(rig.queue));
      assertThat(endpoint.cancel("nothing")).isFalse();
      refused(Errno.EOPNOTSUPP, () -> endpoint.receive(Rig.buffer(1), null), "RECEIVE");
    }
    Hints receiving = Rig.udp().withCapabilities(Capability.MSG, Capability.RECEIVE);
    try (Rig rig = new Rig(receiving)) {
      DatagramEndpoint endpoint =
          rig.datagrams(
              rig.domain.info(),
              EndpointOptions.none().withVector(rig.vector).withReceiveQueue(rig.queue));
      refused(Errno.EOPNOTSUPP, () -> endpoint.send(Rig.buffer(1), 0, null), "SEND");
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#nodes")
  @DisplayName("The name is where peers reach the endpoint, also when bound to any address")
  void name(String node) {
    try (Rig rig = new Rig(Rig.udp(node))) {
      assertThat(rig.vector.refusal(packed(rig.datagrams().address()))).isNull();

      String any = node.contains(":") ? "fi_sockaddr_in6://[::]:0" : "fi_sockaddr_in://0.0.0.0:0";
      DatagramEndpoint everywhere =
          rig.datagrams(rig.domain.info().withSource(FabricAddress.parse(any)));
      String text = everywhere.address().toString();
      assertThat(text).contains(node).doesNotEndWith(":0");
      assertThat(rig.vector.refusal(packed(everywhere.address()))).isNull();
    }
  }

  private static MemorySegment packed(FabricAddress address) {
    return MemorySegment.ofArray(address.toBytes());
  }

  @Test
  @DisplayName("A name of an FI_ADDR_STR domain is text")
  void textName() {
    try (Rig rig = new Rig(Rig.udp().withAddressFormat(AddressFormat.STR))) {
      DatagramEndpoint endpoint = rig.datagrams();
      assertThat(endpoint.address()).isInstanceOf(FabricAddress.TextAddress.class);
      assertThat(rig.insert(endpoint)).isZero();
    }
  }

  @Test
  @DisplayName("A source of null lets the domain's interface choose")
  void noSource() {
    try (Rig rig = new Rig(Rig.udp())) {
      assertThat(rig.datagrams(rig.domain.info().withSource(null)).address().toString())
          .startsWith("fi_sockaddr_in://127.0.0.1:");
    }
  }

  @Test
  @DisplayName("Addresses that cannot be bound give the errno of the network")
  void bindErrors() throws Exception {
    try (Rig rig = new Rig(Rig.udp())) {
      FabricInfo there;
      int port;
      try (DatagramChannel taken = DatagramChannel.open()) {
        port = FreePort.find();
        taken.bind(new InetSocketAddress("127.0.0.1", port));
        there =
            rig.domain.info().withSource(FabricAddress.parse("fi_sockaddr_in://127.0.0.1:" + port));
        refused(Errno.EADDRINUSE, () -> rig.datagrams(there), "127.0.0.1:" + port);
      }
      assertThat(rig.datagrams(there).address().toText()).endsWith(":" + port);

      EndpointOptions elsewhere =
          EndpointOptions.of(rig.vector, rig.queue)
              .withAddress(FabricAddress.parse("fi_sockaddr_in://192.0.2.250:0"));
      refused(Errno.EADDRNOTAVAIL, () -> rig.domain.openEndpoint(elsewhere), "192.0.2.250");
    }
  }

  @Test
  @DisplayName("Information of something else opens nothing")
  void foreignInfo() {
    try (Rig rig = new Rig(Rig.udp())) {
      FabricInfo own = rig.domain.info();
      EndpointOptions options = EndpointOptions.of(rig.vector, rig.queue);
      FabricInfo text = Fabrics.info(Rig.udp().withAddressFormat(AddressFormat.STR)).best();
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint(text, options), "STR", "SOCKADDR_IN");
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint(null, options), "info is null");
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint(own, null), "options is null");
      FabricInfo elsewhere =
          own.toBuilder().fabric(own.fabric().toBuilder().name("10.9.8.0/24").build()).build();
      refused(Errno.EINVAL, () -> rig.fabric.openDomain(elsewhere), "10.9.8.0/24");
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint(elsewhere, options), "10.9.8.0/24");
      FabricInfo noRoom =
          own.toBuilder().transmit(own.transmit().toBuilder().size(0).build()).build();
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint(noRoom, options), "tx_attr.size 0");
    }
  }

  @Test
  @Tag("AV-016")
  @Tag("AV-070")
  @DisplayName("What is in use stays open and names who uses it")
  void lifetimes() {
    Rig rig = new Rig(Rig.udp());
    DatagramEndpoint endpoint = rig.datagrams();
    EventQueue events = rig.fabric.openEventQueue();

    busy(rig.vector::close, endpoint);
    busy(rig.queue::close, endpoint);
    busy(rig.domain::close, endpoint);
    busy(rig.fabric::close, rig.domain);
    assertThat(rig.vector.isOpen() && rig.queue.isOpen() && rig.domain.isOpen()).isTrue();
    long self = rig.insert(endpoint);
    endpoint.send(Rig.message("still works"), self, "send");

    endpoint.close();
    endpoint.close();
    assertThat(endpoint.isOpen()).isFalse();
    rig.vector.close();
    busy(rig.domain::close, rig.queue);
    rig.queue.close();
    rig.domain.close();
    busy(rig.fabric::close, events);
    events.close();
    rig.fabric.close();
    refused(Errno.EINVAL, () -> rig.fabric.openDomain(), "closed");
    EndpointOptions none = EndpointOptions.none();
    refused(Errno.EINVAL, () -> rig.domain.openEndpoint(none), "closed");
  }

  private static void busy(ThrowingCallable close, Object holder) {
    assertThatThrownBy(close)
        .isInstanceOfSatisfying(
            FabricBusyException.class,
            failed -> assertThat(failed.holders()).anyMatch(each -> each == holder))
        .hasMessageContaining(String.valueOf(holder));
  }

  @Test
  @DisplayName("The own address of hints is bound")
  void sourceFromHints() {
    Hints hints = Hints.latest().withSource("127.0.0.1:0");
    try (Rig rig = new Rig(hints)) {
      assertThat(rig.datagrams().address().toString()).startsWith("fi_sockaddr_in://127.0.0.1:");
    }
  }

  @Test
  @DisplayName("Each object has the context that it was opened with")
  void contexts() {
    try (Rig rig = new Rig(Rig.udp());
        Domain domain = rig.fabric.openDomain(rig.fabric.info(), "domain");
        AddressVector vector = domain.openAddressVector();
        CompletionQueue queue = domain.openCompletionQueue();
        DatagramEndpoint endpoint =
            domain.openDatagramEndpoint(
                EndpointOptions.of(vector, queue).withContext("endpoint"))) {
      assertThat(domain.context()).isEqualTo("domain");
      assertThat(endpoint.context()).isEqualTo("endpoint");
      assertThat(rig.domain.context()).isNull();
    }
    Hints connected = Hints.connected().withProvider("tcp");
    try (Fabric fabric = Fabrics.open(connected.withSource("127.0.0.1:0"));
        EventQueue events = fabric.openEventQueue();
        PassiveEndpoint passive =
            fabric.openPassiveEndpoint(PassiveOptions.of(events).withContext("passive"))) {
      assertThat(passive.context()).isEqualTo("passive");
    }
    Hints reliable = Hints.reliable().withProvider("tcp");
    try (Fabric fabric = Fabrics.open(reliable.withSource("127.0.0.1:0").withTransmitContexts(2));
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector();
        CompletionQueue queue = domain.openCompletionQueue();
        ScalableEndpoint scalable =
            domain.openScalableEndpoint(ScalableOptions.of(vector).withContext("scalable"));
        TransmitContext transmit =
            scalable.openTransmitContext(1, ContextOptions.of(queue).withContext("transmit"));
        SharedReceiveContext shared =
            domain.openSharedReceiveContext(SharedReceiveOptions.none().withContext("shared"))) {
      assertThat(scalable.context()).isEqualTo("scalable");
      assertThat(transmit.context()).isEqualTo("transmit");
      assertThat(shared.context()).isEqualTo("shared");
    }
  }
}
