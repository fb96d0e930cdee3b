// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.channels.DatagramChannel;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.ofi4j.AddressFormat;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.BindFlag;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricAddress.SocketAddress4;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoFlag;

/** What may be done with an endpoint, when, and in which words it is refused otherwise. */
class EndpointRulesTest {
  private static void refused(Errno errno, ThrowingCallable call, String... words) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            FabricException.class, failed -> assertThat(failed.errno()).isEqualTo(errno))
        .hasMessageContainingAll(words);
  }

  @Test
  @Tag("AV-210")
  @DisplayName("One address vector, flags 0, of the same domain, before enabling")
  void bindingTheVector() {
    try (Rig rig = new Rig(Rig.ipv4());
        Domain otherDomain = rig.fabric.openDomain();
        AddressVector foreign = otherDomain.openAddressVector(AvAttributes.table());
        AddressVector second = rig.domain.openAddressVector(AvAttributes.table());
        Endpoint endpoint = rig.domain.openEndpoint()) {
      refused(Errno.EBADFLAGS, () -> endpoint.bind(rig.vector, 1), "0x1");
      refused(Errno.EINVAL, () -> endpoint.bind(foreign), "domain");
      refused(Errno.EINVAL, () -> endpoint.bind((AddressVector) null), "vector is null");
      endpoint.bind(rig.vector);
      refused(Errno.EINVAL, () -> endpoint.bind(second), "already");
      refused(Errno.EINVAL, () -> endpoint.bind(rig.vector), "already");

      endpoint.bind(rig.queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
      endpoint.enable();
      refused(Errno.EINVAL, () -> endpoint.bind(second), "enabled");
    }
  }

  @Test
  @DisplayName("One completion queue for each direction, before enabling")
  void bindingQueues() {
    try (Rig rig = new Rig(Rig.ipv4());
        Domain otherDomain = rig.fabric.openDomain();
        CompletionQueue foreign = otherDomain.openCompletionQueue();
        CompletionQueue second = rig.domain.openCompletionQueue();
        Endpoint endpoint = rig.domain.openEndpoint()) {
      refused(Errno.EBADFLAGS, () -> endpoint.bind(rig.queue), "TRANSMIT");
      refused(
          Errno.EBADFLAGS, () -> endpoint.bind(rig.queue, BindFlag.SELECTIVE_COMPLETION), "0x8");
      refused(Errno.EBADFLAGS, () -> endpoint.bind(rig.queue, 1L << 3 | 1L << 10), "0x408");
      refused(Errno.EINVAL, () -> endpoint.bind(foreign, BindFlag.RECEIVE), "domain");
      endpoint.bind(rig.queue, BindFlag.TRANSMIT);
      refused(Errno.EINVAL, () -> endpoint.bind(second, BindFlag.TRANSMIT), "sends", "already");
      refused(
          Errno.EINVAL,
          () -> endpoint.bind(second, BindFlag.TRANSMIT, BindFlag.RECEIVE),
          "already");
      endpoint.bind(second, BindFlag.RECEIVE);
      endpoint.bind(rig.vector);
      endpoint.enable();
      refused(Errno.EINVAL, () -> endpoint.bind(second, BindFlag.RECEIVE), "enabled");
    }
  }

  @Test
  @Tag("AV-211")
  @DisplayName("Enabling asks for queues first, then for the vector")
  void enabling() {
    try (Rig rig = new Rig(Rig.ipv4());
        Endpoint endpoint = rig.domain.openEndpoint()) {
      refused(Errno.ENOCQ, endpoint::enable, "sends", "TRANSMIT");
      endpoint.bind(rig.queue, BindFlag.TRANSMIT);
      refused(Errno.ENOCQ, endpoint::enable, "receives", "RECEIVE");
      endpoint.bind(rig.queue, BindFlag.RECEIVE);
      refused(Errno.ENOAV, endpoint::enable, "address vector");
      endpoint.bind(rig.vector);
      endpoint.enable();
      endpoint.enable();
      assertThat(endpoint.name()).isInstanceOf(SocketAddress4.class);
    }
  }

  @Test
  @DisplayName("An endpoint that only sends, or only receives, needs one queue and does one thing")
  void oneWay() {
    Hints sending = Rig.ipv4().withMoreCapabilities(Capability.MSG, Capability.SEND);
    try (Rig rig = new Rig(sending);
        Endpoint endpoint = rig.domain.openEndpoint()) {
      endpoint.bind(rig.queue, BindFlag.TRANSMIT);
      endpoint.bind(rig.vector);
      endpoint.enable();
      refused(Errno.EOPNOTSUPP, () -> endpoint.receive(Rig.buffer(1), null), "RECEIVE");
    }
    Hints receiving = Rig.ipv4().withMoreCapabilities(Capability.MSG, Capability.RECEIVE);
    try (Rig rig = new Rig(receiving);
        Endpoint endpoint = rig.domain.openEndpoint()) {
      endpoint.bind(rig.queue, BindFlag.RECEIVE);
      endpoint.bind(rig.vector);
      endpoint.enable();
      refused(Errno.EOPNOTSUPP, () -> endpoint.send(Rig.buffer(1), 0, null), "SEND");
    }
  }

  @Test
  @DisplayName("Before enabling there is no name and no traffic, and the words say what to do")
  void beforeEnabling() {
    try (Rig rig = new Rig(Rig.ipv4());
        Endpoint endpoint = rig.domain.openEndpoint()) {
      refused(Errno.EOPBADSTATE, endpoint::name, "enable first");
      refused(Errno.EOPBADSTATE, () -> endpoint.send(Rig.buffer(1), 0, null), "enable first");
      refused(Errno.EOPBADSTATE, () -> endpoint.inject(Rig.buffer(1), 0), "enable first");
      refused(Errno.EOPBADSTATE, () -> endpoint.receive(Rig.buffer(1), null), "enable first");
      assertThat(endpoint.cancel("nothing")).isFalse();
    }
  }

  @ParameterizedTest
  @MethodSource("org.ofi4j.provider.net.Rig#nodes")
  @DisplayName("The name is where peers reach the endpoint, also when bound to any address")
  void name(String node) {
    try (Rig rig = new Rig(Rig.loopback(node))) {
      assertThat(rig.vector.refusal(packed(rig.endpoint().name()))).isNull();

      String any = node.contains(":") ? "fi_sockaddr_in6://[::]:0" : "fi_sockaddr_in://0.0.0.0:0";
      Endpoint everywhere = rig.endpoint(rig.domain.info().withSource(FabricAddress.parse(any)));
      String text = everywhere.name().toString();
      assertThat(text).contains(node).doesNotEndWith(":0");
      assertThat(rig.vector.refusal(packed(everywhere.name()))).isNull();
    }
  }

  private static MemorySegment packed(FabricAddress address) {
    return MemorySegment.ofArray(address.toBytes());
  }

  @Test
  @DisplayName("A name of an FI_ADDR_STR domain is text")
  void textName() {
    try (Rig rig = new Rig(Rig.ipv4().withAddressFormat(AddressFormat.STR))) {
      Endpoint endpoint = rig.endpoint();
      assertThat(endpoint.name()).isInstanceOf(FabricAddress.TextAddress.class);
      assertThat(rig.insert(endpoint)).isZero();
    }
  }

  @Test
  @DisplayName("A source of null lets the domain's interface choose")
  void noSource() {
    try (Rig rig = new Rig(Rig.ipv4())) {
      assertThat(rig.endpoint(rig.domain.info().withSource(null)).name().toString())
          .startsWith("fi_sockaddr_in://127.0.0.1:");
    }
  }

  @Test
  @DisplayName("Addresses that cannot be bound give the errno of the network")
  void bindErrors() throws Exception {
    try (Rig rig = new Rig(Rig.ipv4())) {
      Endpoint endpoint;
      int port;
      try (DatagramChannel taken = DatagramChannel.open()) {
        port = FreePort.find();
        taken.bind(new InetSocketAddress("127.0.0.1", port));
        endpoint = unbound(rig, "fi_sockaddr_in://127.0.0.1:" + port);
        refused(Errno.EADDRINUSE, endpoint::enable, "127.0.0.1:" + port);
      }
      endpoint.enable();
      assertThat(endpoint.name().toString()).endsWith(":" + port);
      endpoint.close();

      Endpoint elsewhere = unbound(rig, "fi_sockaddr_in://192.0.2.250:0");
      refused(Errno.EADDRNOTAVAIL, elsewhere::enable, "192.0.2.250");
      elsewhere.close();
    }
  }

  private static Endpoint unbound(Rig rig, String source) {
    Endpoint endpoint =
        rig.domain.openEndpoint(rig.domain.info().withSource(FabricAddress.parse(source)));
    endpoint.bind(rig.vector);
    endpoint.bind(rig.queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
    return endpoint;
  }

  @Test
  @DisplayName("Information of something else opens nothing")
  void foreignInfo() {
    try (Rig rig = new Rig(Rig.ipv4())) {
      FabricInfo own = rig.domain.info();
      FabricInfo text = Fabrics.info(Rig.ipv4().withAddressFormat(AddressFormat.STR)).best();
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint(text), "STR", "SOCKADDR_IN");
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint((FabricInfo) null), "info is null");
      FabricInfo elsewhere =
          new FabricInfo(
              own.apiVersion(),
              own.profile(),
              own.capabilities(),
              own.addressFormat(),
              own.source(),
              null,
              new FabricInfo.FabricAttributes("udp", "10.9.8.0/24", "1"),
              own.domain(),
              own.endpoint(),
              own.transmit(),
              own.receive());
      refused(Errno.EINVAL, () -> rig.fabric.openDomain(elsewhere), "10.9.8.0/24");
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint(elsewhere), "10.9.8.0/24");
      FabricInfo noRoom =
          new FabricInfo(
              own.apiVersion(),
              own.profile(),
              own.capabilities(),
              own.addressFormat(),
              own.source(),
              null,
              own.fabric(),
              own.domain(),
              own.endpoint(),
              new FabricInfo.Transmit(0, 0, 1, 0),
              own.receive());
      refused(Errno.EINVAL, () -> rig.domain.openEndpoint(noRoom), "tx_attr.size 0");
    }
  }

  @Test
  @Tag("AV-016")
  @Tag("AV-070")
  @DisplayName("What is in use stays open and names who uses it")
  void lifetimes() {
    Rig rig = new Rig(Rig.ipv4());
    Endpoint endpoint = rig.endpoint();
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
    refused(Errno.EINVAL, () -> rig.domain.openEndpoint(), "closed");
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
    Hints hints = Hints.latest().withAddress("127.0.0.1", "0").withFlags(InfoFlag.SOURCE);
    try (Rig rig = new Rig(hints)) {
      assertThat(rig.endpoint().name().toString()).startsWith("fi_sockaddr_in://127.0.0.1:");
    }
  }
}
