// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.libfabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.Hints;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;

/** A domain for endpoints that connect, with an event queue, and endpoints that are bound to it. */
final class ConnectionRig implements AutoCloseable {
  final Rig rig;
  final EventQueue events;
  private @Nullable ConnectionRig beside;
  private final Deque<Event> arrived = new ArrayDeque<>();
  private final List<FabricObject> opened = new ArrayList<>();

  ConnectionRig(String provider, Progress progress) {
    this(hints(provider).withProgress(progress));
  }

  ConnectionRig(Hints hints) {
    rig = new Rig(hints);
    events = rig.fabric.openEventQueue();
  }

  static Hints hints(String provider) {
    return Hints.connected().withProvider(provider).withSource("127.0.0.1:0");
  }

  /** Moves another one too while an event is waited for. */
  void moveToo(@Nullable ConnectionRig other) {
    beside = other;
  }

  PassiveEndpoint listen() {
    return listen(PassiveOptions.of(events));
  }

  PassiveEndpoint listen(PassiveOptions options) {
    return kept(rig.fabric.openPassiveEndpoint(options));
  }

  EndpointOptions options() {
    return EndpointOptions.of(events, rig.queue);
  }

  ConnectedEndpoint endpoint() {
    return kept(rig.domain.openConnectedEndpoint(options()));
  }

  /** One that may accept a request. */
  ConnectedEndpoint endpoint(FabricInfo request) {
    return kept(rig.domain.openConnectedEndpoint(request, options()));
  }

  private <T extends FabricObject> T kept(T object) {
    opened.add(object);
    return object;
  }

  /** Two endpoints of one connection, over whose events it is told. */
  record Pair(ConnectedEndpoint client, ConnectedEndpoint server) {}

  Pair pair(PassiveEndpoint passive) throws InterruptedException {
    ConnectedEndpoint client = endpoint();
    client.connect(passive.address());
    ConnectedEndpoint server = endpoint(request().info());
    server.accept();
    connected(client);
    connected(server);
    return new Pair(client, server);
  }

  Event.ConnectionRequest request() throws InterruptedException {
    return (Event.ConnectionRequest) next(null);
  }

  byte[] connected(ConnectedEndpoint endpoint) throws InterruptedException {
    Event event = next(endpoint);
    assertThat(event).isInstanceOf(Event.Connected.class);
    return ((Event.Connected) event).connectionData();
  }

  void ended(ConnectedEndpoint endpoint) throws InterruptedException {
    assertThat(next(endpoint)).isEqualTo(Event.Shutdown.of(endpoint));
  }

  Event.Failure failure(ConnectedEndpoint endpoint) throws InterruptedException {
    Event event = next(endpoint);
    assertThat(event).isInstanceOf(Event.Failure.class);
    return (Event.Failure) event;
  }

  /** The next event of an object, or of a passive endpoint for null; others are kept for later. */
  private Event next(@Nullable FabricObject source) throws InterruptedException {
    while (true) {
      for (Event each : arrived) {
        if (source == null ? each instanceof Event.ConnectionRequest : each.source() == source) {
          arrived.remove(each);
          return each;
        }
      }
      move();
      if (beside != null) {
        beside.move();
      }
    }
  }

  /** Takes the events that come next, failures too, and moves the data. */
  void move() throws InterruptedException {
    Event.Failure failure = events.readError();
    if (failure != null) {
      arrived.add(failure);
      return;
    }
    if (events.poll(arrived::add, 16) == 0) {
      rig.move();
      events.poll(arrived::add, 16);
    }
  }

  /** Looks at what has come for a while, in which nothing else may come. */
  void assertNothingElse() throws InterruptedException {
    long end = System.nanoTime() + Duration.ofMillis(20).toNanos();
    while (System.nanoTime() - end < 0) {
      move();
    }
    assertThat(arrived).isEmpty();
  }

  /** Closes all endpoints, and takes what they say of that. */
  void closeEndpoints() {
    opened.reversed().forEach(FabricObject::close);
    opened.clear();
    while (events.read() != null) {
      arrived.clear();
    }
  }

  @Override
  public void close() {
    closeEndpoints();
    events.close();
    rig.close();
  }
}
