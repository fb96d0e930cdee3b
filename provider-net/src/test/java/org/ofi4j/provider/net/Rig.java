package org.ofi4j.provider.net;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
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
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.InfoFlag;
import org.ofi4j.Progress;

/** A domain of the loopback interface with a vector, a queue and endpoints bound to both. */
final class Rig implements AutoCloseable {
  static final Duration SOON = Duration.ofSeconds(10);

  final Fabric fabric;
  final Domain domain;
  final AddressVector vector;
  final CompletionQueue queue;
  private final List<Endpoint> endpoints = new ArrayList<>();

  Rig(Hints hints) {
    this(hints, AvAttributes.table(), CompletionQueueAttributes.defaults());
  }

  Rig(Hints hints, AvAttributes attributes, CompletionQueueAttributes queueAttributes) {
    FabricInfo info = Fabrics.info(hints).getFirst();
    fabric = Fabrics.open(info);
    domain = fabric.openDomain();
    vector = domain.openAddressVector(attributes);
    queue = domain.openCompletionQueue(queueAttributes);
  }

  /** Hints for the loopback interface. */
  static Hints loopback(String node) {
    return Hints.latest().provider("udp").address(node, "0").flags(InfoFlag.SOURCE);
  }

  static Hints ipv4() {
    return loopback("127.0.0.1");
  }

  static Hints withSource(Hints hints, Capability... more) {
    return hints.capabilities(Capability.MSG, Capability.SOURCE).capabilities(more);
  }

  /** Loopback nodes of the families that this host has. */
  static List<String> nodes() {
    return List.of("127.0.0.1", "::1").stream()
        .filter(node -> !Fabrics.info(loopback(node)).isEmpty())
        .toList();
  }

  /** Every family with both kinds of progress. */
  static List<Hints> kinds() {
    List<Hints> kinds = new ArrayList<>();
    for (String node : nodes()) {
      kinds.add(loopback(node).progress(Progress.MANUAL));
      kinds.add(loopback(node).progress(Progress.AUTO));
    }
    return kinds;
  }

  Endpoint endpoint() {
    return endpoint(domain.info());
  }

  Endpoint endpoint(FabricInfo info) {
    Endpoint endpoint = domain.openEndpoint(info);
    endpoints.add(endpoint);
    endpoint.bind(vector);
    endpoint.bind(queue, BindFlag.TRANSMIT, BindFlag.RECEIVE);
    endpoint.enable();
    return endpoint;
  }

  long insert(Endpoint peer) {
    return vector.insert(peer.name());
  }

  /** The next completion, whichever kind it is. */
  Completion next() throws InterruptedException {
    Completion next = next(SOON);
    if (next == null) {
      throw new AssertionError("no completion within " + SOON);
    }
    return next;
  }

  @Nullable Completion next(Duration timeout) throws InterruptedException {
    List<Completion> taken = new ArrayList<>();
    queue.poll(collector(taken), 1, timeout);
    return taken.isEmpty() ? null : taken.getFirst();
  }

  /** The next completion with a context; others are dropped. */
  Completion next(Object context) throws InterruptedException {
    long end = System.nanoTime() + SOON.toNanos();
    while (System.nanoTime() < end) {
      Completion next = next(SOON);
      if (next != null && next.context() == context) {
        return next;
      }
    }
    throw new AssertionError("no completion of " + context + " within " + SOON);
  }

  static CompletionHandler collector(List<Completion> into) {
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
    endpoints.forEach(Endpoint::close);
    queue.close();
    vector.close();
    domain.close();
    fabric.close();
  }
}
