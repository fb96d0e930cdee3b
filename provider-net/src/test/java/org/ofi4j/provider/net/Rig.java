// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.ofi4j.Capability;
import org.ofi4j.Completion;
import org.ofi4j.CompletionQueueOptions;
import org.ofi4j.DatagramEndpoint;
import org.ofi4j.Endpoint;
import org.ofi4j.EndpointOptions;
import org.ofi4j.FabricInfo;
import org.ofi4j.Fabrics;
import org.ofi4j.Hints;
import org.ofi4j.NodeService;
import org.ofi4j.Progress;
import org.ofi4j.VectorOptions;

/** A domain of the loopback interface with a vector, a queue and endpoints bound to both. */
public final class Rig extends LoopbackRig {
  private final List<DatagramEndpoint> endpoints = new ArrayList<>();

  public Rig(Hints hints) {
    this(hints, VectorOptions.table(), CompletionQueueOptions.defaults());
  }

  public Rig(Hints hints, VectorOptions vectorOptions, CompletionQueueOptions queueOptions) {
    super(hints, vectorOptions, queueOptions);
  }

  /** Hints for the loopback interface. */
  static Hints loopback(String node) {
    return Hints.latest().withProvider("udp").withSource(new NodeService(node, "0"));
  }

  public static Hints ipv4() {
    return loopback("127.0.0.1");
  }

  public static Hints withSource(Hints hints, Capability... more) {
    return hints.withCapabilities(Capability.MSG, Capability.SOURCE).withMoreCapabilities(more);
  }

  /** Loopback nodes of the families that this host has. */
  static List<String> nodes() {
    return List.of("127.0.0.1", "::1").stream()
        .filter(node -> !Fabrics.info(loopback(node)).offers().isEmpty())
        .toList();
  }

  /** Every family with both kinds of progress. */
  static List<Hints> kinds() {
    List<Hints> kinds = new ArrayList<>();
    for (String node : nodes()) {
      kinds.add(loopback(node).withProgress(Progress.MANUAL));
      kinds.add(loopback(node).withProgress(Progress.AUTO));
    }
    return kinds;
  }

  public DatagramEndpoint endpoint() {
    return endpoint(domain.info());
  }

  DatagramEndpoint endpoint(FabricInfo info) {
    return endpoint(info, EndpointOptions.of(vector, queue));
  }

  /** One that is closed with the rig. */
  DatagramEndpoint endpoint(FabricInfo info, EndpointOptions options) {
    DatagramEndpoint endpoint = domain.openDatagramEndpoint(info, options);
    endpoints.add(endpoint);
    return endpoint;
  }

  public long insert(Endpoint peer) {
    return vector.insert(peer.address());
  }

  /** The next completion, whichever kind it is. */
  Completion next() throws InterruptedException {
    return Objects.requireNonNull(next(PATIENCE));
  }

  @Nullable Completion next(Duration timeout) throws InterruptedException {
    List<Completion> taken = new ArrayList<>();
    queue.poll(collector(taken), 1, timeout);
    return taken.isEmpty() ? null : taken.getFirst();
  }

  /** The next completion with a context; others are dropped. */
  Completion next(Object context) throws InterruptedException {
    Completion next = next();
    while (next.context() != context) {
      next = next();
    }
    return next;
  }

  @Override
  protected void closeEndpoints() {
    endpoints.forEach(DatagramEndpoint::close);
  }
}
