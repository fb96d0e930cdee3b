package org.ofi4j.provider.net.tcp;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.AvAttributes;
import org.ofi4j.BindFlag;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionHandler;
import org.ofi4j.CompletionQueue;
import org.ofi4j.CompletionQueueAttributes;
import org.ofi4j.Domain;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointType;
import org.ofi4j.Fabric;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoFlag;
import org.ofi4j.Progress;

/** One side of a conversation over TCP: a domain, a vector, a queue and an endpoint. */
final class TcpRig implements AutoCloseable {
  static final Duration SOON = Duration.ofSeconds(10);

  final Fabric fabric;
  final Domain domain;
  final AddressVector vector;
  final CompletionQueue queue;
  final Endpoint endpoint;
  private final Deque<Completion> arrived = new ArrayDeque<>();

  TcpRig(Hints hints) {
    this(hints, CompletionQueueAttributes.defaults());
  }

  TcpRig(Hints hints, CompletionQueueAttributes attributes) {
    this(hints, AvAttributes.table(), attributes, SOON);
  }

  /** One whose sends wait for a connection no longer than that. */
  TcpRig(Hints hints, Duration connectTimeout) {
    this(hints, AvAttributes.table(), CompletionQueueAttributes.defaults(), connectTimeout);
  }

  TcpRig(Hints hints, AvAttributes vectorAttributes, CompletionQueueAttributes attributes) {
    this(hints, vectorAttributes, attributes, SOON);
  }

  private TcpRig(
      Hints hints,
      AvAttributes vectorAttributes,
      CompletionQueueAttributes attributes,
      Duration connectTimeout) {
    FabricInfo info = Fabrics.info(hints).getFirst();
    fabric = Fabrics.open(info);
    domain = fabric.openDomain();
    vector = domain.openAddressVector(vectorAttributes);
    queue = domain.openCompletionQueue(attributes);
    endpoint = domain.openEndpoint();
    endpoint.bind(vector);
    endpoint.bind(queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
    endpoint.connectTimeout(connectTimeout);
    endpoint.enable();
  }

  static Hints hints(String node, Progress progress) {
    return at(node, "0", progress);
  }

  static Hints at(String node, String port, Progress progress) {
    return Hints.latest()
        .provider("tcp")
        .endpointType(EndpointType.RDM)
        .address(node, port)
        .flags(InfoFlag.SOURCE)
        .capabilities(Capability.MSG, Capability.TAGGED, Capability.SOURCE)
        .progress(progress);
  }

  /** Both families that this host has, with both kinds of progress. */
  static List<Hints> kinds() {
    List<Hints> kinds = new ArrayList<>();
    for (String node : List.of("127.0.0.1", "::1")) {
      for (Progress progress : List.of(Progress.MANUAL, Progress.AUTO)) {
        Hints hints = hints(node, progress);
        if (!Fabrics.info(hints).isEmpty()) {
          kinds.add(hints);
        }
      }
    }
    return kinds;
  }

  FabricAddress name() {
    return endpoint.name();
  }

  long insert(TcpRig other) {
    return vector.insert(other.name());
  }

  /** The next completion, whichever kind it is; others move their data meanwhile. */
  Completion next(TcpRig... others) throws InterruptedException {
    long end = System.nanoTime() + SOON.toNanos();
    while (arrived.isEmpty()) {
      if (System.nanoTime() - end > 0) {
        throw new AssertionError("no completion within " + SOON);
      }
      move(others.length == 0 ? SOON : Duration.ofMillis(1));
      for (TcpRig other : others) {
        other.move(Duration.ZERO);
      }
    }
    return arrived.removeFirst();
  }

  /** The next completion, if there is one within a time. */
  @Nullable Completion next(Duration timeout) throws InterruptedException {
    if (arrived.isEmpty()) {
      move(timeout);
    }
    return arrived.pollFirst();
  }

  /** Moves data, and keeps what completes. */
  void move(Duration timeout) throws InterruptedException {
    queue.poll(collector(arrived), 16, timeout);
  }

  static CompletionHandler collector(Collection<Completion> into) {
    return new CompletionHandler() {
      @Override
      public void completed(
          @Nullable Object context, long flags, long length, long data, long tag, long source) {
        into.add(new Completion.Success(context, flags, length, data, tag, source));
      }

      @Override
      public void failed(Completion.Failure failure) {
        into.add(failure);
      }
    };
  }

  static MemorySegment buffer(long size) {
    return Arena.ofAuto().allocate(size);
  }

  static MemorySegment message(String text) {
    return MemorySegment.ofArray(text.getBytes(StandardCharsets.UTF_8));
  }

  static String text(MemorySegment buffer, long length) {
    return new String(
        buffer.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE), StandardCharsets.UTF_8);
  }

  @Override
  public void close() {
    endpoint.close();
    queue.close();
    vector.close();
    domain.close();
    fabric.close();
  }
}
