// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ContextOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Errno;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.TagPattern;
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;

/** {@link FabricObject#closeAll} with all that udp and tcp open. */
class CloseAllTest {
  private final List<FabricObject> opened = new ArrayList<>();

  private <T extends FabricObject> T opened(T object) {
    opened.add(object);
    return object;
  }

  /** Closes all, and expects each object once, none before those that were opened with it. */
  private void closeAll(Fabric fabric) {
    List<FabricObject> closed = fabric.closeAll();

    assertThat(closed).containsExactlyInAnyOrderElementsOf(opened);
    assertThat(opened).noneMatch(FabricObject::isOpen);
    assertThat(fabric.isOpen()).isFalse();
    assertThat(fabric.closeAll()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void datagrams(Progress progress) {
    Fabric fabric = Fabrics.open(Rig.udp().withProgress(progress));
    Domain domain = opened(fabric.openDomain());
    opened(fabric.openEventQueue());
    AddressVector vector = opened(domain.openAddressVector());
    CompletionQueue queue = opened(domain.openCompletionQueue());
    opened(domain.openCounter());
    DatagramEndpoint endpoint = opened(domain.openDatagramEndpoint(vector, queue));
    TransferMemory memory = opened(domain.allocate(100));
    endpoint.receive(memory.segment(), "outstanding");

    closeAll(fabric);
  }

  @ParameterizedTest
  @EnumSource
  void reliableEndpointsWithOutstandingOperations(Progress progress) {
    Hints hints =
        Rig.tcp("127.0.0.1", progress).withMoreCapabilities(Capability.RMA, Capability.COLLECTIVE);
    if (Fabrics.info(hints).offers().isEmpty()) {
      hints = Rig.tcp("127.0.0.1", progress).withMoreCapabilities(Capability.RMA);
    }
    Fabric fabric = Fabrics.open(hints);
    Domain domain = opened(fabric.openDomain());
    EventQueue events = opened(fabric.openEventQueue());
    AddressVector vector = opened(domain.openAddressVector());
    CompletionQueue queue = opened(domain.openCompletionQueue());
    ReliableEndpoint endpoint =
        opened(domain.openReliableEndpoint(EndpointOptions.of(vector, queue).withEvents(events)));
    long self = vector.insert(endpoint.address());
    opened(vector.openSet(VectorSetOptions.empty()));
    TransferMemory memory = opened(domain.allocate(100));
    opened(domain.register(memory.segment(), Access.REMOTE_READ));
    opened(domain.openSharedReceiveContext());
    endpoint.receiveTagged(memory.segment(), TagPattern.exactly(1), "outstanding receive");
    endpoint.send(memory.segment(), self, "outstanding send");

    closeAll(fabric);
  }

  @Test
  void scalableEndpointsWithContexts() {
    Fabric fabric = Fabrics.open(Rig.tcp("127.0.0.1", Progress.MANUAL));
    Domain domain = opened(fabric.openDomain());
    AddressVector vector = opened(domain.openAddressVector());
    CompletionQueue queue = opened(domain.openCompletionQueue());
    ScalableEndpoint endpoint = opened(domain.openScalableEndpoint(vector));
    opened(endpoint.openTransmitContext(0, ContextOptions.of(queue)));
    opened(endpoint.openReceiveContext(0, ContextOptions.of(queue)));

    closeAll(fabric);
  }

  @ParameterizedTest
  @EnumSource
  void connectedEndpoints(Progress progress) throws InterruptedException {
    Fabric fabric =
        Fabrics.open(
            Hints.connected().withProvider("tcp").withSource("127.0.0.1:0").withProgress(progress));
    Domain domain = opened(fabric.openDomain());
    EventQueue events = opened(fabric.openEventQueue());
    CompletionQueue queue = opened(domain.openCompletionQueue());
    PassiveEndpoint passive = opened(fabric.openPassiveEndpoint(PassiveOptions.of(events)));
    ConnectedEndpoint client = opened(domain.openConnectedEndpoint(events, queue));
    client.connect(passive.address());
    Event.ConnectionRequest request = (Event.ConnectionRequest) events.read(Rig.PATIENCE);
    ConnectedEndpoint server =
        opened(domain.openConnectedEndpoint(request.info(), EndpointOptions.of(events, queue)));
    server.accept();
    assertThat(events.read(Rig.PATIENCE)).isInstanceOf(Event.Connected.class);
    assertThat(events.read(Rig.PATIENCE)).isInstanceOf(Event.Connected.class);
    client.receive(opened(domain.allocate(100)).segment(), "outstanding");

    closeAll(fabric);
  }

  @Test
  void namedAndSavedVectors(@TempDir Path directory) {
    String name = "close-all-" + ProcessHandle.current().pid();
    Fabric fabric = Fabrics.open(Rig.udp());
    Domain domain = opened(fabric.openDomain());
    AddressVector named = opened(domain.openAddressVector(VectorOptions.table().withName(name)));
    CompletionQueue queue = opened(domain.openCompletionQueue());
    DatagramEndpoint endpoint = opened(domain.openDatagramEndpoint(named, queue));
    FabricAddress address = endpoint.address();
    long self = named.insert(address);
    Path file = directory.resolve("saved");
    named.save(file);

    closeAll(fabric);

    opened.clear();
    Fabric again = Fabrics.open(Rig.udp());
    Domain other = opened(again.openDomain());
    AddressVector saved = opened(other.openAddressVector(VectorOptions.table().withSaved(file)));
    assertThat(saved.lookup(self)).isEqualTo(address);
    assertThat(
            opened(other.openAddressVector(VectorOptions.table().withName(name)))
                .handles()
                .toArray())
        .as("the last process that had the vector open has closed it")
        .isEmpty();
    closeAll(again);
  }

  @Test
  void domainAloneLeavesTheFabric() {
    Fabric fabric = Fabrics.open(Rig.udp());
    EventQueue events = fabric.openEventQueue();
    Domain domain = fabric.openDomain();
    CompletionQueue queue = domain.openCompletionQueue();

    assertThat(domain.closeAll()).containsExactly(queue);

    assertThat(domain.isOpen()).isFalse();
    assertThat(fabric.isOpen()).isTrue();
    assertThat(fabric.closeAll()).containsExactly(events);
    assertThatThrownBy(fabric::openDomain)
        .isInstanceOfSatisfying(
            FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
  }
}
