// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.ofi4j.AddressVector;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueue;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.ContextOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.EndpointStatistics;
import org.ofi4j.EndpointStatistics.Operations;
import org.ofi4j.EndpointType;
import org.ofi4j.Errno;
import org.ofi4j.EventQueue;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricObject;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.QueueStatistics;
import org.ofi4j.ReliableEndpoint;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.TransmitContext;
import org.ofi4j.VectorOptions;

/** Meters of vectors, endpoints and queues, with real traffic. */
class FabricMetricsTest {
  private static final Tags NAMED = Tags.of("of", "test");
  private static final Duration WITHOUT_END = Duration.ofSeconds(-1);

  private final MeterRegistry registry = new SimpleMeterRegistry();

  @AfterEach
  void closeRegistry() {
    registry.close();
  }

  private static Hints hints(String provider, EndpointType type) {
    return Hints.latest().withProvider(provider).withEndpointType(type).withSource("127.0.0.1:0");
  }

  private double gauge(String name, String... tags) {
    return Objects.requireNonNull(registry.find(name).tags(NAMED.and(tags)).gauge(), name).value();
  }

  private double counter(String name, String... tags) {
    FunctionCounter found = registry.find(name).tags(NAMED.and(tags)).functionCounter();
    return Objects.requireNonNull(found, name).count();
  }

  private double operations(String operation, String result) {
    return counter("ofi4j.endpoint.operations", "operation", operation, "result", result);
  }

  private Set<String> names() {
    return registry.getMeters().stream()
        .map(meter -> meter.getId().getName())
        .collect(Collectors.toSet());
  }

  private static MemorySegment buffer(long size) {
    return Arena.ofAuto().allocate(size);
  }

  @Test
  void tagWithNameOfOwnTagIsRefused() {
    try (Fabric fabric = Fabrics.open(hints("tcp", EndpointType.RDM));
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue queue = domain.openCompletionQueue();
        ReliableEndpoint endpoint = domain.openReliableEndpoint(EndpointOptions.of(vector, queue));
        FabricMetrics ofVector = FabricMetrics.of(vector, NAMED);
        FabricMetrics ofEndpoint = FabricMetrics.of(endpoint, NAMED);
        FabricMetrics ofQueue = FabricMetrics.of(queue, NAMED)) {
      ofVector.bindTo(registry);
      ofEndpoint.bindTo(registry);
      ofQueue.bindTo(registry);
      Set<String> own =
          registry.getMeters().stream()
              .flatMap(meter -> meter.getId().getTags().stream().map(Tag::getKey))
              .filter(key -> !key.equals("of"))
              .collect(Collectors.toSet());
      assertThat(own).containsExactlyInAnyOrder("by", "direction", "operation", "queue", "result");
      for (String key : own) {
        Tags tags = NAMED.and(key, "mine");
        for (ThrowingCallable call :
            List.<ThrowingCallable>of(
                () -> FabricMetrics.of(vector, tags),
                () -> FabricMetrics.of(endpoint, tags),
                () -> FabricMetrics.of(queue, tags))) {
          assertThatThrownBy(call)
              .isInstanceOfSatisfying(
                  FabricException.class,
                  refused -> assertThat(refused.errno()).isEqualTo(Errno.EINVAL))
              .hasMessageContaining(key + "=mine");
        }
      }
    }
  }

  @Test
  @DisplayName("A vector's meters say what it holds, and count its changes")
  void vector() {
    try (Fabric fabric = Fabrics.open(hints("udp", EndpointType.DGRAM));
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        FabricMetrics metrics = FabricMetrics.of(vector, NAMED)) {
      metrics.bindTo(registry);
      vector.insertSymmetric("10.1.1.1", 3, "5000", 2);
      vector.remove(0);
      assertThatThrownBy(() -> vector.insert(new FabricAddress.SocketAddress4(0, 0)))
          .isInstanceOf(FabricException.class);

      assertThat(gauge("ofi4j.vector.entries")).isEqualTo(5);
      assertThat(gauge("ofi4j.vector.entries.max")).isEqualTo(6);
      assertThat(gauge("ofi4j.vector.capacity")).isGreaterThanOrEqualTo(5);
      assertThat(gauge("ofi4j.vector.memory.live")).isPositive();
      assertThat(gauge("ofi4j.vector.memory.held"))
          .isEqualTo(vector.statistics().memory().held())
          .isGreaterThan(gauge("ofi4j.vector.memory.live"));
      assertThat(counter("ofi4j.vector.insertions", "result", "success")).isEqualTo(6);
      assertThat(counter("ofi4j.vector.insertions", "result", "failure")).isEqualTo(1);
      assertThat(counter("ofi4j.vector.removals")).isEqualTo(1);
      Meter held = registry.get("ofi4j.vector.memory.held").tags(NAMED).meter();
      assertThat(held.getId().getBaseUnit()).isEqualTo("bytes");
    }
  }

  @Test
  @DisplayName("Meters of endpoints and queues follow the traffic")
  void traffic() throws Exception {
    try (Fabric fabric = Fabrics.open(hints("tcp", EndpointType.RDM));
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue queue = domain.openCompletionQueue();
        ReliableEndpoint endpoint = domain.openReliableEndpoint(EndpointOptions.of(vector, queue));
        FabricMetrics ofEndpoint = FabricMetrics.of(endpoint, NAMED);
        FabricMetrics ofQueue = FabricMetrics.of(queue, NAMED)) {
      ofEndpoint.bindTo(registry);
      ofQueue.bindTo(registry);
      long self = vector.insert(endpoint.address());
      endpoint.receive(buffer(64), "received");
      endpoint.receive(buffer(1), "short");
      assertThat(gauge("ofi4j.endpoint.outstanding", "direction", "receive")).isEqualTo(2);
      endpoint.send(buffer(5), self, "sent");
      endpoint.send(buffer(5), self, "sent");
      for (int i = 0; i < 4; i++) {
        assertThat(queue.read(WITHOUT_END)).isInstanceOf(Completion.class);
      }

      assertThat(operations("send", "success")).isEqualTo(2);
      assertThat(operations("receive", "success")).isEqualTo(1);
      assertThat(operations("receive", "failure")).isEqualTo(1);
      assertThat(counter("ofi4j.endpoint.transferred", "operation", "send")).isEqualTo(10);
      assertThat(counter("ofi4j.endpoint.transferred", "operation", "receive")).isEqualTo(5);
      assertThat(gauge("ofi4j.endpoint.outstanding", "direction", "transmit")).isZero();
      assertThat(gauge("ofi4j.endpoint.outstanding", "direction", "receive")).isZero();
      assertThat(gauge("ofi4j.endpoint.connections")).isEqualTo(2);
      assertThat(counter("ofi4j.endpoint.connections.opened", "by", "self")).isEqualTo(1);
      assertThat(counter("ofi4j.endpoint.connections.opened", "by", "peer")).isEqualTo(1);
      assertThat(counter("ofi4j.queue.reported", "queue", "completion")).isEqualTo(4);
      assertThat(gauge("ofi4j.queue.waiting", "queue", "completion")).isZero();
      assertThat(gauge("ofi4j.queue.size", "queue", "completion"))
          .isEqualTo(queue.statistics().size());
      assertThat(counter("ofi4j.queue.lost", "queue", "completion")).isZero();
    }
  }

  /** An object that is open and has these statistics, and nothing else. */
  private static <T extends FabricObject> T standIn(Class<T> type, Object statistics) {
    return type.cast(
        Proxy.newProxyInstance(
            type.getClassLoader(),
            new Class<?>[] {type},
            (_, method, _) ->
                switch (method.getName()) {
                  case "isOpen" -> true;
                  case "statistics" -> statistics;
                  default -> throw new UnsupportedOperationException(method.getName());
                }));
  }

  private static Operations operations(long first) {
    return Operations.builder().succeeded(first).failed(first + 1).bytes(first + 2).build();
  }

  @Test
  @DisplayName("Every number has a meter of its own")
  void numbers() {
    ConnectionStatistics connections =
        ConnectionStatistics.builder()
            .open(31)
            .made(32)
            .accepted(33)
            .failed(34)
            .lost(35)
            .rejected(36)
            .build();
    FabricMetrics.of(
            standIn(
                ReliableEndpoint.class,
                EndpointStatistics.builder()
                    .sends(operations(1))
                    .receives(operations(4))
                    .reads(operations(7))
                    .writes(operations(10))
                    .remoteReads(operations(13))
                    .remoteWrites(operations(16))
                    .outstandingTransmits(19)
                    .outstandingReceives(20)
                    .connections(connections)
                    .build()),
            NAMED)
        .bindTo(registry);
    int number = 1;
    for (String each : List.of("send", "receive", "read", "write", "remote-read", "remote-write")) {
      assertThat(operations(each, "success")).as(each).isEqualTo(number++);
      assertThat(operations(each, "failure")).as(each).isEqualTo(number++);
      assertThat(counter("ofi4j.endpoint.transferred", "operation", each)).isEqualTo(number++);
    }
    assertThat(gauge("ofi4j.endpoint.outstanding", "direction", "transmit")).isEqualTo(19);
    assertThat(gauge("ofi4j.endpoint.outstanding", "direction", "receive")).isEqualTo(20);
    assertConnections();
    registry.clear();
    FabricMetrics.of(standIn(ScalableEndpoint.class, connections), NAMED).bindTo(registry);
    assertConnections();
    FabricMetrics.of(
            standIn(
                EventQueue.class,
                QueueStatistics.builder().size(41).waiting(42).reported(43).lost(44).build()),
            NAMED)
        .bindTo(registry);
    assertThat(gauge("ofi4j.queue.size", "queue", "event")).isEqualTo(41);
    assertThat(gauge("ofi4j.queue.waiting", "queue", "event")).isEqualTo(42);
    assertThat(counter("ofi4j.queue.reported", "queue", "event")).isEqualTo(43);
    assertThat(counter("ofi4j.queue.lost", "queue", "event")).isEqualTo(44);
  }

  private void assertConnections() {
    assertThat(gauge("ofi4j.endpoint.connections")).isEqualTo(31);
    assertThat(counter("ofi4j.endpoint.connections.opened", "by", "self")).isEqualTo(32);
    assertThat(counter("ofi4j.endpoint.connections.opened", "by", "peer")).isEqualTo(33);
    assertThat(counter("ofi4j.endpoint.connections.failed")).isEqualTo(34);
    assertThat(counter("ofi4j.endpoint.connections.lost")).isEqualTo(35);
    assertThat(counter("ofi4j.endpoint.connections.rejected")).isEqualTo(36);
  }

  @Test
  @DisplayName("Only endpoints with connections of their own have meters of connections")
  void connections() {
    try (Fabric fabric = Fabrics.open(hints("udp", EndpointType.DGRAM));
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue queue = domain.openCompletionQueue();
        DatagramEndpoint endpoint = domain.openDatagramEndpoint(EndpointOptions.of(vector, queue));
        FabricMetrics metrics = FabricMetrics.of(endpoint, NAMED)) {
      metrics.bindTo(registry);
      assertThat(names())
          .containsExactlyInAnyOrder(
              "ofi4j.endpoint.operations",
              "ofi4j.endpoint.transferred",
              "ofi4j.endpoint.outstanding");
    }
    try (Fabric fabric = Fabrics.open(hints("tcp", EndpointType.RDM));
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue queue = domain.openCompletionQueue();
        ScalableEndpoint endpoint = domain.openScalableEndpoint(ScalableOptions.of(vector));
        TransmitContext context = endpoint.openTransmitContext(0, ContextOptions.of(queue));
        FabricMetrics whole = FabricMetrics.of(endpoint, NAMED)) {
      try (FabricMetrics ofContext = FabricMetrics.of(context, NAMED)) {
        ofContext.bindTo(registry);
        assertThat(names()).contains("ofi4j.endpoint.operations");
        assertThat(names()).doesNotContain("ofi4j.endpoint.connections");
      }
      assertThat(names()).isEmpty();
      whole.bindTo(registry);
      assertThat(gauge("ofi4j.endpoint.connections")).isZero();
      assertThat(names()).doesNotContain("ofi4j.endpoint.operations");
    }
  }

  @Test
  @DisplayName("Closing removes the meters from every registry, and no others")
  void closing() {
    MeterRegistry another = new SimpleMeterRegistry();
    try (Fabric fabric = Fabrics.open(hints("udp", EndpointType.DGRAM));
        EventQueue events = fabric.openEventQueue();
        EventQueue others = fabric.openEventQueue();
        FabricMetrics stays = FabricMetrics.of(others, Tags.of("of", "others"))) {
      stays.bindTo(registry);
      FabricMetrics metrics = FabricMetrics.of(events, NAMED);
      metrics.bindTo(registry);
      metrics.bindTo(another);
      assertThat(counter("ofi4j.queue.lost", "queue", "event")).isZero();
      assertThat(another.getMeters()).hasSize(4);
      metrics.close();
      assertThat(another.getMeters()).isEmpty();
      assertThat(registry.getMeters())
          .hasSize(4)
          .allMatch(meter -> "others".equals(meter.getId().getTag("of")));
      metrics.close();
    }
    another.close();
  }

  @Test
  @DisplayName("Closing leaves the meters that another one with the same tags has registered")
  void sameTags() {
    try (Fabric fabric = Fabrics.open(hints("udp", EndpointType.DGRAM));
        EventQueue events = fabric.openEventQueue();
        EventQueue others = fabric.openEventQueue()) {
      FabricMetrics first = FabricMetrics.of(events, NAMED);
      FabricMetrics second = FabricMetrics.of(others, NAMED);
      first.bindTo(registry);
      first.bindTo(registry);
      second.bindTo(registry);
      second.close();
      assertThat(registry.getMeters()).hasSize(4);
      assertThat(gauge("ofi4j.queue.size", "queue", "event")).isEqualTo(events.statistics().size());
      first.close();
      assertThat(registry.getMeters()).isEmpty();
    }
  }

  @Test
  @DisplayName("Of an object that is closed totals stay, and what was of the moment is unknown")
  void closedObject() {
    FabricMetrics metrics;
    try (Fabric fabric = Fabrics.open(hints("udp", EndpointType.DGRAM));
        Domain domain = fabric.openDomain()) {
      AddressVector vector = domain.openAddressVector(VectorOptions.table());
      metrics = FabricMetrics.of(vector, NAMED);
      metrics.bindTo(registry);
      vector.insert(FabricAddress.parse("fi_sockaddr_in://10.1.1.7:5000"));
      assertThat(counter("ofi4j.vector.insertions", "result", "success")).isEqualTo(1);
      vector.remove(0);
      vector.close();
      assertThatThrownBy(() -> FabricMetrics.of(vector, NAMED))
          .isInstanceOfSatisfying(
              FabricException.class, e -> assertThat(e.errno()).isEqualTo(Errno.EINVAL));
    }
    assertThat(counter("ofi4j.vector.insertions", "result", "success")).isEqualTo(1);
    assertThat(counter("ofi4j.vector.removals")).as("since a meter was last read").isZero();
    assertThat(gauge("ofi4j.vector.entries")).isNaN();
    metrics.close();
    assertThat(registry.getMeters()).isEmpty();
  }

  @Test
  @DisplayName("Meters live as long as the registry has them, whoever holds what binds them")
  void references() {
    try (Fabric fabric = Fabrics.open(hints("udp", EndpointType.DGRAM));
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table())) {
      FabricMetrics.of(vector, NAMED).bindTo(registry);
      System.gc();
      vector.insert(FabricAddress.parse("fi_sockaddr_in://10.1.1.7:5000"));
      assertThat(gauge("ofi4j.vector.entries")).isEqualTo(1);
      assertThat(counter("ofi4j.vector.insertions", "result", "success")).isEqualTo(1);
    }
  }

  @Test
  @DisplayName("Every meter says what it is")
  void descriptions() {
    try (Fabric fabric = Fabrics.open(hints("tcp", EndpointType.RDM));
        Domain domain = fabric.openDomain();
        AddressVector vector = domain.openAddressVector(VectorOptions.table());
        CompletionQueue queue = domain.openCompletionQueue();
        ReliableEndpoint endpoint =
            domain.openReliableEndpoint(EndpointOptions.of(vector, queue))) {
      List<FabricMetrics> all =
          List.of(
              FabricMetrics.of(vector, NAMED),
              FabricMetrics.of(queue, NAMED),
              FabricMetrics.of(endpoint, NAMED));
      all.forEach(each -> each.bindTo(registry));
      assertThat(registry.getMeters())
          .hasSize(8 + 4 + 3 * 6 + 2 + 6)
          .allMatch(meter -> meter instanceof Gauge || meter instanceof FunctionCounter)
          .extracting(Meter::getId)
          .allSatisfy(id -> assertThat(id.getDescription()).as(id.getName()).isNotBlank());
      all.forEach(FabricMetrics::close);
    }
  }
}
