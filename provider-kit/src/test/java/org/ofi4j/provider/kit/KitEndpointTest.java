// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.ofi4j.Access;
import org.ofi4j.Capability;
import org.ofi4j.Counter;
import org.ofi4j.CounterFlag;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointStatistics;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricBusyException;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.MemoryRegion;
import org.ofi4j.MessageEndpoint;
import org.ofi4j.RegisterOptions;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.RemotePlace;

/** The opening and closing of an endpoint over a transport, and what is bound to it. */
class KitEndpointTest {
  private static final FabricAddress WANTED = FabricAddress.parse("fi_sockaddr_in://192.0.2.2:2");

  private final MemoryFabric fabric = MemoryFabric.open();
  private final MemorySegment memory = Arena.ofAuto().allocate(8);

  private static void refused(Errno errno, Runnable call) {
    assertThatThrownBy(call::run)
        .isInstanceOfSatisfying(
            FabricException.class, refusal -> assertThat(refusal.errno()).isEqualTo(errno));
  }

  private static FabricInfo without(FabricInfo info, Capability... left) {
    long caps = info.capabilities();
    for (Capability each : left) {
      caps &= ~each.mask();
    }
    return info.toBuilder().capabilities(caps).build();
  }

  @Test
  @Tag("AV-016")
  void endpointHoldsItsVectorAndQueueUntilItIsClosed() {
    ReliableEndpoint endpoint = fabric.endpoint();

    assertThat(fabric.told).containsExactly("opened", "began");
    assertThat(endpoint.address()).isEqualTo(MemoryFabric.OWN);
    assertThatThrownBy(fabric.vector::close).isInstanceOf(FabricBusyException.class);
    assertThatThrownBy(fabric.queue::close).isInstanceOf(FabricBusyException.class);
    assertThatThrownBy(fabric.domain::close).isInstanceOf(FabricBusyException.class);

    endpoint.close();
    assertThat(fabric.told).containsExactly("opened", "began", "closed");
    fabric.closeAll();
  }

  @Test
  void callsOfAClosedEndpointAreRefused() {
    ReliableEndpoint endpoint = fabric.endpoint();
    endpoint.close();

    assertThatThrownBy(endpoint::address).hasMessageContaining("is closed");
    assertThatThrownBy(() -> endpoint.trySend(memory, 0, null)).hasMessageContaining("is closed");
    assertThatThrownBy(() -> endpoint.tryReceive(memory, null)).hasMessageContaining("is closed");
    fabric.closeAll();
  }

  @Test
  @Tag("AV-211")
  void endpointNeedsAQueueOrCounterAndThenAVector() {
    EndpointOptions none = EndpointOptions.none();

    refused(Errno.ENOCQ, () -> fabric.endpoint(none.withVector(fabric.vector)));
    refused(
        Errno.ENOCQ,
        () -> fabric.endpoint(none.withVector(fabric.vector).withTransmitQueue(fabric.queue)));
    refused(Errno.ENOAV, () -> fabric.endpoint(none.withQueue(fabric.queue)));

    assertThat(fabric.told).isEmpty();
    fabric.closeAll();
  }

  @Test
  void counterReplacesAQueue() {
    Counter counter = fabric.domain.openCounter();
    ReliableEndpoint endpoint =
        fabric.endpoint(
            EndpointOptions.none()
                .withVector(fabric.vector)
                .withSelectiveTransmitQueue(fabric.queue)
                .withCounters(counter, CounterFlag.RECEIVE));

    EndpointOpening opening = fabric.transport().opening;
    assertThat(fabric.sends().isSelective()).isTrue();
    assertThat(opening.engines()).as("of the queue and of the counter").hasSize(2);
    assertThat(fabric.sends().queueEngine()).isNotNull();
    assertThat(Objects.requireNonNull(opening.receives()).queueEngine()).isNull();
    endpoint.close();
    counter.close();
    fabric.closeAll();
  }

  @Test
  void secondCounterOfAKindIsRefused() {
    Counter counter = fabric.domain.openCounter();
    EndpointOptions options =
        EndpointOptions.of(fabric.vector, fabric.queue)
            .withCounters(counter, CounterFlag.SEND)
            .withMoreCounters(counter, CounterFlag.SEND);

    refused(Errno.EINVAL, () -> fabric.endpoint(options));
    counter.close();
    fabric.closeAll();
  }

  @Test
  void objectsOfAnotherDomainAreRefused() {
    MemoryFabric other = MemoryFabric.open();

    refused(Errno.EINVAL, () -> fabric.endpoint(EndpointOptions.of(other.vector, fabric.queue)));
    refused(Errno.EINVAL, () -> fabric.endpoint(EndpointOptions.of(fabric.vector, other.queue)));

    other.closeAll();
    fabric.closeAll();
  }

  @Test
  void transportThatCannotBeginIsClosed() {
    fabric.beginFails = true;

    assertThatThrownBy(fabric::endpoint).hasMessage("cannot begin");

    assertThat(fabric.told).containsExactly("opened", "began", "closed");
    fabric.closeAll();
  }

  @Test
  void addressOfTheOptionsBecomesTheSource() {
    ReliableEndpoint endpoint =
        fabric.endpoint(EndpointOptions.of(fabric.vector, fabric.queue).withAddress(WANTED));

    assertThat(endpoint.info().source()).isEqualTo(WANTED);
    assertThat(endpoint.address()).isEqualTo(WANTED);
    endpoint.close();
    fabric.closeAll();
  }

  @Test
  void informationOfAnotherDomainIsRefused() {
    FabricInfo other =
        fabric.info.toBuilder()
            .domain(fabric.info.domain().toBuilder().name("another").build())
            .build();
    FabricInfo tooMany =
        fabric.info.toBuilder()
            .transmit(fabric.info.transmit().toBuilder().size(MemoryFabric.SIZE + 1).build())
            .build();
    EndpointOptions options = EndpointOptions.of(fabric.vector, fabric.queue);

    refused(Errno.EINVAL, () -> fabric.domain.openEndpoint(other, options));
    refused(Errno.EINVAL, () -> fabric.domain.openEndpoint(tooMany, options));
    fabric.closeAll();
  }

  @Test
  void directionsWithoutTheCapabilityAreRefused() {
    FabricInfo receiving = without(fabric.info, Capability.SEND, Capability.READ, Capability.WRITE);
    FabricInfo sending = without(fabric.info, Capability.RECEIVE, Capability.READ);
    EndpointOptions options = EndpointOptions.of(fabric.vector, fabric.queue);

    MessageEndpoint receiver = fabric.domain.openEndpoint(receiving, options);
    assertThat(fabric.transport().opening.sends()).isNull();
    refused(Errno.EOPNOTSUPP, () -> receiver.trySend(memory, 0, null));
    ReliableEndpoint sender = (ReliableEndpoint) fabric.domain.openEndpoint(sending, options);
    assertThat(fabric.transport().opening.receives()).isNull();
    refused(Errno.EOPNOTSUPP, () -> sender.tryReceive(memory, null));
    refused(Errno.EOPNOTSUPP, () -> sender.tryRead(memory, 0, new RemotePlace(0, 8, 1), null));
    assertThat(sender.cancel("nothing")).isFalse();

    receiver.close();
    sender.close();
    fabric.closeAll();
  }

  @Test
  void kindsOfEndpointsThatTheTransportLacksAreRefused() {
    refused(Errno.ENOSYS, fabric.domain::openSharedReceiveContext);
    refused(Errno.ENOSYS, () -> fabric.domain.openScalableEndpoint(fabric.vector));
    fabric.closeAll();
  }

  @Test
  void statisticsHaveOperationsOfBothDirections() {
    ReliableEndpoint endpoint = fabric.endpoint();
    endpoint.trySend(memory, 0, "sent");
    endpoint.trySend(memory, 0, "under way");
    endpoint.tryReceive(memory, "posted");
    fabric.transport().endSend();

    EndpointStatistics statistics = endpoint.statistics();
    assertThat(statistics.sends().succeeded()).isEqualTo(1);
    assertThat(statistics.sends().bytes()).isEqualTo(8);
    assertThat(statistics.outstandingTransmits()).isEqualTo(1);
    assertThat(statistics.outstandingReceives()).isEqualTo(1);
    endpoint.close();
    fabric.closeAll();
  }

  @Test
  void regionThatATransportRegisteredHoldsItsDomainAndEndsWhenItIsClosed() {
    RegionTransport registered =
        new RegionTransport() {
          @Override
          public long key() {
            return 5;
          }

          @Override
          public RemotePlace place() {
            return new RemotePlace(100, 8, 5);
          }

          @Override
          public void close() {
            fabric.told.add("region closed");
          }
        };
    MemoryRegion region =
        new KitRegion(fabric.domain, memory, RegisterOptions.of(Access.REMOTE_READ), registered);

    assertThat(region.key()).isEqualTo(5);
    assertThat(region.place().address()).isEqualTo(100);
    assertThat(region.access()).isEqualTo(Access.REMOTE_READ.mask());
    assertThatThrownBy(fabric.domain::close).isInstanceOf(FabricBusyException.class);

    region.close();
    assertThat(fabric.told).containsExactly("region closed");
    assertThat(region.key()).isEqualTo(5);
    fabric.closeAll();
    assertThatThrownBy(() ->
            new KitRegion(
                fabric.domain, memory, RegisterOptions.of(Access.REMOTE_READ), registered))
        .hasMessageContaining("is closed");
    assertThat(fabric.told).containsExactly("region closed", "region closed");
  }

  @Test
  void eventsThatFindNoSpaceAreOfferedAgainInTheirOrder() {
    EventQueue events = fabric.fabric.openEventQueue(EventQueueOptions.defaults().withSize(1));
    UnreportedEvents waiting = new UnreportedEvents(Objects.requireNonNull(Events.to(events)));
    waiting.add(Event.Connected.of(fabric.domain, new byte[] {1}));
    waiting.add(Event.Connected.of(fabric.domain, new byte[] {2}));
    waiting.add(Event.Shutdown.of(fabric.domain));

    assertThat(waiting.report()).isFalse();
    waiting.drop(event -> event instanceof Event.Shutdown);
    assertThat(events.read()).isEqualTo(Event.Connected.of(fabric.domain, new byte[] {1}));
    assertThat(waiting.report()).isTrue();
    assertThat(waiting.isEmpty()).isTrue();
    assertThat(events.read()).isEqualTo(Event.Connected.of(fabric.domain, new byte[] {2}));
    assertThat(events.read()).isNull();
    events.close();
    fabric.closeAll();
  }
}
