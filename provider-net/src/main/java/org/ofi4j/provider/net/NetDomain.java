// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.ofi4j.provider.kit.Misuse.invalid;
import static org.ofi4j.provider.kit.Misuse.unsupported;

import org.jspecify.annotations.Nullable;
import org.ofi4j.ConnectionHandle;
import org.ofi4j.Domain;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.Progress;
import org.ofi4j.provider.kit.DomainTransport;
import org.ofi4j.provider.kit.EndpointOpening;
import org.ofi4j.provider.kit.Receiver;
import org.ofi4j.provider.kit.ScalableTransport;
import org.ofi4j.provider.kit.Transport;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.NetResources;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.progress.AutomaticProgress;
import org.ofi4j.provider.net.progress.ManualProgress;
import org.ofi4j.provider.net.progress.ProgressThread;
import org.ofi4j.provider.net.tcp.ScalableRdmTransport;
import org.ofi4j.provider.net.tcp.TcpEndpoints;
import org.ofi4j.provider.net.udp.UdpTransport;
import org.ofi4j.spi.ProgressEngine;

/** One interface of a network. */
public final class NetDomain implements DomainTransport {
  private final Protocol protocol;
  private final FabricInfo info;
  private final NetResources resources;

  private NetDomain(Protocol protocol, FabricInfo info, NetResources resources) {
    this.protocol = protocol;
    this.info = info;
    this.resources = resources;
  }

  /** Returns the thread and the buffers that its endpoints share. */
  public NetResources resources() {
    return resources;
  }

  static NetDomain open(Fabric fabric, FabricInfo info) {
    Protocol of = Protocol.of(info);
    if (of == null) {
      throw invalid(
          "information with endpoint type %s does not open a domain of %s"
              .formatted(info.endpoint().type(), fabric));
    }
    if (info.domain().maxGroupId() != 0 && of != Protocol.TCP) {
      throw invalid(
          "max_group_id %s: %s no peer groups; take the information as it was given"
              .formatted(info.domain().maxGroupId(), of.have()));
    }
    ProgressThread thread =
        info.domain().progress() == Progress.AUTO ? new ProgressThread(info.domain().name()) : null;
    return new NetDomain(of, info, new NetResources(thread, new Staging.Pool()));
  }

  @Override
  public void check(FabricInfo endpoint) {
    EndpointAddress.checkSource(
        endpoint.source(), info.addressFormat(), "domain " + info.domain().name());
  }

  @Override
  public int maxQueueSize() {
    return protocol.mostPosted();
  }

  @Override
  public int dataSize() {
    return protocol == Protocol.UDP ? 0 : Long.BYTES;
  }

  @Override
  public @Nullable Thread mover() {
    ProgressThread running = resources.progressThread();
    if (running == null) {
      return null;
    }
    running.checkRunning();
    return running.thread();
  }

  @Override
  public ProgressEngine openProgress(int entries) {
    ProgressThread thread = resources.progressThread();
    return thread == null ? new ManualProgress() : new AutomaticProgress(thread);
  }

  @Override
  public Transport open(EndpointOpening opening) {
    return protocol == Protocol.UDP
        ? UdpTransport.open(resources, opening)
        : TcpEndpoints.open(resources, opening);
  }

  @Override
  public void refuse(ConnectionHandle request) {
    TcpEndpoints.refuse(request);
  }

  @Override
  public ScalableTransport openScalable(EndpointOpening opening) {
    if (protocol != Protocol.TCP) {
      throw unsupported(
          protocol.have() + " no several contexts: ask for provider tcp and endpoint type RDM");
    }
    return ScalableRdmTransport.open(resources, opening);
  }

  @Override
  public Receiver openSharedReceives(Domain domain, FabricInfo contextInfo, long minMultiReceive) {
    if (protocol == Protocol.UDP) {
      throw unsupported(protocol.have() + " no shared receives: ask for provider tcp");
    }
    return TcpEndpoints.openSharedReceives(contextInfo, minMultiReceive);
  }

  @Override
  public void close() {
    ProgressThread thread = resources.progressThread();
    if (thread != null) {
      thread.stop();
    }
  }
}
