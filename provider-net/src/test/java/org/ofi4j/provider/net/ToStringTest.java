// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.ofi4j.Access;
import org.ofi4j.AddressVector;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ContextOptions;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.MemoryRegion;
import org.ofi4j.PassiveOptions;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.VectorOptions;
import org.ofi4j.VectorSetOptions;

/** Every object of a fabric has a text of its own, which shows no key, and so have its infos. */
class ToStringTest {
  private final Deque<FabricObject> opened = new ArrayDeque<>();
  private final List<Object> objects = new ArrayList<>();

  private <T extends FabricObject> T opened(T object) {
    opened.push(object);
    objects.add(object);
    return object;
  }

  private void assertUseful() {
    try {
      assertThat(objects)
          .allSatisfy(object ->
              assertThat(object.toString()).isNotBlank().doesNotContainPattern("@[0-9a-f]{5,}"));
    } finally {
      opened.forEach(FabricObject::close);
    }
  }

  @Test
  void objectsOfDatagrams() {
    FabricInfo info = Fabrics.info(Hints.datagram().withSource("127.0.0.1:0")).best();
    Fabric fabric = opened(Fabrics.open(info));
    Domain domain = opened(fabric.openDomain(info));
    AddressVector vector = opened(domain.openAddressVector(VectorOptions.table()));
    CompletionQueue queue = opened(domain.openCompletionQueue());
    opened(domain.openCounter());
    opened(vector.openSet(VectorSetOptions.empty()));
    opened(domain.openEndpoint(EndpointOptions.of(vector, queue)));
    objects.add(info);
    objects.add(new NetProvider());
    objects.add(domain.sharedVectors());
    objects.add(vector.insert(List.of(FabricAddress.parse("10.1.1.7:5000"))));
    objects.add(vector.statistics());
    objects.add(vector.options());
    objects.add(EndpointOptions.of(vector, queue));
    assertUseful();
  }

  @Test
  void objectsOfReliableEndpoints() {
    FabricInfo info = Fabrics.info(Hints.reliable().withSource("127.0.0.1:0")).best();
    Fabric fabric = opened(Fabrics.open(info));
    Domain domain = opened(fabric.openDomain(info));
    opened(fabric.openEventQueue());
    AddressVector vector = opened(domain.openAddressVector(VectorOptions.table()));
    CompletionQueue queue = opened(domain.openCompletionQueue());
    var endpoint = opened(domain.openReliableEndpoint(EndpointOptions.of(vector, queue)));
    ScalableEndpoint scalable = opened(domain.openScalableEndpoint(ScalableOptions.of(vector)));
    opened(scalable.openTransmitContext(0, ContextOptions.of(queue)));
    opened(scalable.openReceiveContext(0, ContextOptions.of(queue)));
    opened(domain.openSharedReceiveContext());
    opened(domain.allocate(64));
    MemoryRegion region =
        opened(domain.register(MemorySegment.ofArray(new byte[64]), Access.REMOTE_READ));
    objects.add(region.place());
    objects.add(endpoint.statistics());
    assertThat(region.toString()).doesNotContain(Long.toHexString(region.key()));
    assertUseful();
  }

  @Test
  void objectsOfConnectedEndpoints() {
    FabricInfo info = Fabrics.info(Hints.connected().withSource("127.0.0.1:0")).best();
    Fabric fabric = opened(Fabrics.open(info));
    Domain domain = opened(fabric.openDomain(info));
    EventQueue events = opened(fabric.openEventQueue());
    CompletionQueue queue = opened(domain.openCompletionQueue());
    opened(fabric.openPassiveEndpoint(info, PassiveOptions.of(events)));
    opened(domain.openConnectedEndpoint(events, queue));
    assertUseful();
  }
}
