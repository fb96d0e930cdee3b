// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricObject;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegionMode;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.TransferMemory;
import org.ofi4j.VectorSetOptions;

/** Closes fabrics with endpoints, regions and operations. */
final class CloseAllProgram {
  private final List<FabricObject> opened = new ArrayList<>();

  /** The providers to try. */
  public static void main(String[] providers) {
    Scenarios scenarios = new Scenarios();
    for (String provider : providers) {
      for (Progress progress : Progress.values()) {
        String of = provider + ", " + progress + ": ";
        scenarios.add(
            of + "reliable endpoints",
            () -> new CloseAllProgram().reliable(Rig.hints(provider).withProgress(progress)));
        if (provider.equals("net") || provider.equals("libfabric:tcp")) {
          scenarios.add(
              of + "connected endpoints",
              () ->
                  new CloseAllProgram()
                      .connected(ConnectionRig.hints(provider).withProgress(progress)));
        }
      }
    }
    scenarios.runAndExit();
  }

  private <T extends FabricObject> T opened(T object) {
    opened.add(object);
    return object;
  }

  private void closeAll(Fabric fabric) {
    assertThat(fabric.closeAll()).containsExactlyInAnyOrderElementsOf(opened);
    assertThat(opened).noneMatch(FabricObject::isOpen);
    assertThat(fabric.isOpen()).isFalse();
    assertThat(fabric.closeAll()).isEmpty();
  }

  private void reliable(Hints hints) {
    Fabric fabric =
        Fabrics.open(
            hints
                .withCapabilities(Capability.MSG, Capability.RMA)
                .withMemoryRegionModes(MemoryRegionMode.UNPROTECTED));
    Domain domain = opened(fabric.openDomain());
    opened(fabric.openEventQueue());
    AddressVector vector = opened(domain.openAddressVector());
    CompletionQueue queue = opened(domain.openCompletionQueue());
    opened(domain.openCounter());
    ReliableEndpoint endpoint = opened(domain.openReliableEndpoint(vector, queue));
    ReliableEndpoint other = opened(domain.openReliableEndpoint(vector, queue));
    opened(vector.openSet(VectorSetOptions.empty()));
    TransferMemory memory = opened(domain.allocate(64));
    opened(domain.register(memory.segment(), Access.REMOTE_READ));
    endpoint.receive(memory.segment(), "outstanding receive");
    endpoint.trySend(memory.segment(), vector.insert(other.address()), "outstanding send");

    closeAll(fabric);
  }

  private void connected(Hints hints) throws InterruptedException {
    Fabric fabric = Fabrics.open(hints);
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
    client.receive(opened(domain.allocate(64)).segment(), "outstanding receive");

    closeAll(fabric);
  }
}
