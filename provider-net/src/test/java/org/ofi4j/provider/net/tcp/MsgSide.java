// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionFormat;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.ConnectedEndpoint;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.Domain;
import org.ofi4j.EndpointOptions;
import org.ofi4j.Event;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.Fabric;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.FabricObject;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.NodeService;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.provider.net.Rig;

/** One side of connections that applications make: a fabric, an event queue, and what it opens. */
final class MsgSide implements AutoCloseable {
  final FabricInfo info;
  final Fabric fabric;
  final EventQueue events;
  final Domain domain;
  private final CompletionQueue queue;
  private final Deque<Completion> arrived = new ArrayDeque<>();
  private final Deque<Event> happened = new ArrayDeque<>();
  private final Deque<FabricObject> opened = new ArrayDeque<>();

  MsgSide(Progress progress) {
    this(hints("127.0.0.1", progress));
  }

  MsgSide(Hints hints) {
    this(hints, 0);
  }

  MsgSide(Hints hints, int eventRoom) {
    info = Fabrics.info(hints).best();
    fabric = Fabrics.open(info);
    events = fabric.openEventQueue(EventQueueOptions.defaults().withSize(eventRoom));
    domain = fabric.openDomain();
    queue = domain.openCompletionQueue(CompletionQueueOptions.of(CompletionFormat.TAGGED));
  }

  static Hints hints(String node, Progress progress) {
    return Hints.connected()
        .withProvider("tcp")
        .withSource(new NodeService(node, "0"))
        .withCapabilities(Capability.MSG, Capability.TAGGED, Capability.MULTI_RECEIVE)
        .withProgress(progress);
  }

  /** Both families that this host has, with both kinds of progress. */
  static List<Hints> kinds() {
    return Rig.kinds(MsgSide::hints);
  }

  PassiveEndpoint listen() {
    return listen(PassiveOptions.of(events));
  }

  PassiveEndpoint listen(PassiveOptions options) {
    PassiveEndpoint passive = fabric.openPassiveEndpoint(info, options);
    opened.addFirst(passive);
    return passive;
  }

  /** Options of an endpoint with both queues. */
  EndpointOptions options() {
    return EndpointOptions.of(events, queue)
        .withConnections(ConnectionOptions.defaults().withConnectTimeout(Rig.PATIENCE));
  }

  ConnectedEndpoint endpoint() {
    return endpoint(info);
  }

  ConnectedEndpoint endpoint(FabricInfo with) {
    return endpoint(with, options());
  }

  ConnectedEndpoint endpoint(ConnectionOptions connections) {
    return endpoint(info, options().withConnections(connections));
  }

  ConnectedEndpoint endpoint(FabricInfo with, EndpointOptions options) {
    ConnectedEndpoint endpoint = domain.openConnectedEndpoint(with, options);
    opened.addFirst(endpoint);
    return endpoint;
  }

  /** Accepts the next request. */
  ConnectedEndpoint accept(MsgSide... others) throws InterruptedException {
    Event.ConnectionRequest request = event(Event.ConnectionRequest.class, others);
    ConnectedEndpoint endpoint = endpoint(request.info());
    endpoint.accept();
    event(Event.Connected.class, others);
    return endpoint;
  }

  /** Connects an endpoint of this side with one of a side that listens. */
  Pair connect(MsgSide server, PassiveEndpoint passive) throws InterruptedException {
    ConnectedEndpoint client = endpoint();
    client.connect(passive.address());
    ConnectedEndpoint accepted = server.accept(this);
    event(Event.Connected.class, server);
    return new Pair(client, accepted);
  }

  /** Two endpoints that are connected. */
  record Pair(ConnectedEndpoint client, ConnectedEndpoint server) {}

  /** The next event, which must be of a kind; others move their data meanwhile. */
  <T extends Event> T event(Class<T> kind, MsgSide... others) throws InterruptedException {
    Event event = event(others);
    if (!kind.isInstance(event)) {
      throw new AssertionError("not a " + kind.getSimpleName() + ": " + event);
    }
    return kind.cast(event);
  }

  Event event(MsgSide... others) throws InterruptedException {
    while (happened.isEmpty()) {
      if (others.length == 0) {
        Event event = next(Rig.PATIENCE);
        if (event != null) {
          return event;
        }
      }
      events.poll(happened::add, 16);
      queue.poll(Rig.collector(arrived), 16);
      for (MsgSide other : others) {
        other.move();
      }
    }
    return happened.removeFirst();
  }

  /** The next event within a time, asleep meanwhile. */
  @Nullable Event next(Duration timeout) throws InterruptedException {
    if (happened.isEmpty()) {
      Event failure = events.readError();
      if (failure != null) {
        return failure;
      }
      try {
        return events.read(timeout);
      } catch (FabricException failed) {
        return events.readError();
      }
    }
    return happened.pollFirst();
  }

  /** Moves data, and keeps what happens. */
  void move() {
    events.poll(happened::add, 16);
    queue.poll(Rig.collector(arrived), 16);
  }

  /** Moves data for a while; says whether nothing happened. */
  boolean isQuiet(Duration time) throws InterruptedException {
    long end = System.nanoTime() + time.toNanos();
    while (System.nanoTime() - end < 0) {
      move();
      Thread.sleep(1);
    }
    return happened.isEmpty() && arrived.isEmpty();
  }

  Completion completion(MsgSide... others) throws InterruptedException {
    while (arrived.isEmpty()) {
      Duration patience = others.length == 0 ? Rig.PATIENCE : Duration.ofMillis(1);
      queue.poll(Rig.collector(arrived), 16, patience);
      for (MsgSide other : others) {
        other.move();
      }
    }
    return arrived.removeFirst();
  }

  Completion.Success success(MsgSide... others) throws InterruptedException {
    if (completion(others) instanceof Completion.Success success) {
      return success;
    }
    throw new AssertionError("not a success");
  }

  Completion.Failure failure(MsgSide... others) throws InterruptedException {
    Completion completion = completion(others);
    if (completion instanceof Completion.Failure failure) {
      return failure;
    }
    throw new AssertionError("not a failure: " + completion);
  }

  static MemorySegment message(String text) {
    return Rig.message(text);
  }

  @Override
  public void close() {
    while (!opened.isEmpty()) {
      opened.removeFirst().close();
    }
    queue.close();
    domain.close();
    events.close();
    fabric.close();
  }
}
