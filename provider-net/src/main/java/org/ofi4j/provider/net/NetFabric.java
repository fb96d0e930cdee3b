// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.ofi4j.provider.kit.Misuse.invalid;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Fabric;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.Progress;
import org.ofi4j.provider.kit.DomainTransport;
import org.ofi4j.provider.kit.Events;
import org.ofi4j.provider.kit.FabricTransport;
import org.ofi4j.provider.kit.PassiveTransport;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.NetResources;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.progress.ProgressThread;
import org.ofi4j.provider.net.tcp.ListeningTransport;

/** One network that this host is on. */
final class NetFabric implements FabricTransport {
  private final FabricInfo info;
  private final Staging.Pool staging = new Staging.Pool();

  // Moves the data of passive endpoints; guarded by the monitor of this object.
  private @Nullable ProgressThread progressThread;

  NetFabric(FabricInfo info) {
    if (!Protocol.isKnown(info.fabric().provider())) {
      throw invalid(
          "information of provider \""
              + info.fabric().provider()
              + "\" does not open a fabric of udp or tcp");
    }
    this.info = info;
  }

  @Override
  public DomainTransport openDomain(Fabric fabric, FabricInfo domainInfo) {
    return NetDomain.open(fabric, domainInfo);
  }

  @Override
  public PassiveTransport listen(
      Fabric fabric,
      PassiveEndpoint endpoint,
      FabricInfo endpointInfo,
      Events events,
      PassiveOptions options) {
    EndpointAddress.checkSource(endpointInfo.source(), endpointInfo.addressFormat(), fabric);
    boolean automatic = endpointInfo.domain().progress() == Progress.AUTO;
    NetResources resources = new NetResources(automatic ? progressThread() : null, staging);
    return ListeningTransport.open(resources, endpoint, endpointInfo, events, options);
  }

  private synchronized ProgressThread progressThread() {
    ProgressThread present = progressThread;
    if (present == null) {
      present = new ProgressThread(info.fabric().name());
      progressThread = present;
    }
    return present;
  }

  @Override
  public synchronized void close() {
    if (progressThread != null) {
      progressThread.stop();
    }
  }
}
