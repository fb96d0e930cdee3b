// SPDX-License-Identifier: Apache-2.0
package org.example.loopback;

import java.time.Duration;
import org.ofi4j.EndpointType;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricInfo;
import org.ofi4j.provider.kit.DomainTransport;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Misuse;
import org.ofi4j.provider.kit.PolledProgress;
import org.ofi4j.provider.kit.Transport;
import org.ofi4j.spi.ProgressEngine;

/** A domain: opens endpoints, and has them polled. */
final class LoopbackDomain implements DomainTransport {
  /** Endpoints say when there is something to do, so that hardly a thread polls in vain. */
  private static final Duration PAUSE = Duration.ofMillis(100);

  private static final int MAX_QUEUE_SIZE = 1 << 16;

  private final LoopbackNetwork network;
  private final PolledProgress progress;

  LoopbackDomain(FabricInfo info) {
    network =
        info.endpoint().type() == EndpointType.DGRAM
            ? LoopbackNetwork.OF_DATAGRAMS
            : LoopbackNetwork.RELIABLE;
    progress = PolledProgress.open(info, PAUSE);
  }

  @Override
  public void check(FabricInfo endpoint) {
    FabricAddress source = endpoint.source();
    if (source != null && !(source instanceof FabricAddress.SocketAddress4)) {
      throw Misuse.invalid(
          "source " + source + " has another format than SOCKADDR_IN: give an IPv4 address");
    }
  }

  @Override
  public Transport open(EndpointOpening opening) {
    return network.join(
        opening.info().source(), name -> new LoopbackEndpoint(network, name, progress, opening));
  }

  @Override
  public ProgressEngine openProgress(int entries) {
    return progress.openEngine();
  }

  @Override
  public Thread mover() {
    return progress.thread();
  }

  /** Messages are copied in the call that posts them. */
  @Override
  public Thread reader() {
    return null;
  }

  @Override
  public int maxQueueSize() {
    return MAX_QUEUE_SIZE;
  }

  @Override
  public void close() {
    progress.close();
  }
}
