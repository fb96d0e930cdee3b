// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;
import static org.ofi4j.core.object.Misuse.unsupported;

import org.jspecify.annotations.Nullable;
import org.ofi4j.Domain;
import org.ofi4j.EndpointType;
import org.ofi4j.EventQueue;
import org.ofi4j.EventQueueOptions;
import org.ofi4j.FabricInfo;
import org.ofi4j.PassiveEndpoint;
import org.ofi4j.PassiveOptions;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.core.queue.CoreEventQueue;
import org.ofi4j.provider.net.endpoint.EndpointFabric;
import org.ofi4j.provider.net.endpoint.Staging;
import org.ofi4j.provider.net.progress.ProgressThread;
import org.ofi4j.provider.net.tcp.ListeningEndpoint;

/** One network that this host is on. */
final class NetFabric extends CoreObject implements EndpointFabric {
  private final FabricInfo info;
  private final Staging.Pool staging = new Staging.Pool();

  // Guarded by the monitor of this object.
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
  protected synchronized void release() {
    if (progressThread != null) {
      progressThread.stop();
    }
  }

  @Override
  public synchronized ProgressThread progressThread() {
    lifetime.checkOpen();
    ProgressThread present = progressThread;
    if (present == null) {
      present = new ProgressThread(info.fabric().name());
      progressThread = present;
    }
    return present;
  }

  @Override
  public Staging.Pool staging() {
    return staging;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  @Override
  public Domain openDomain(FabricInfo domainInfo, @Nullable Object context) {
    lifetime.checkOpen();
    required(domainInfo, "info");
    checkFits(domainInfo);
    return new NetDomain(this, domainInfo, context);
  }

  private void checkFits(FabricInfo given) {
    if (!given.fabric().equals(info.fabric())) {
      throw invalid("information of " + given.fabric() + " does not fit " + this);
    }
  }

  @Override
  public PassiveEndpoint openPassiveEndpoint(FabricInfo endpointInfo, PassiveOptions options) {
    checkListening(endpointInfo);
    return ListeningEndpoint.open(this, endpointInfo, required(options, "options"));
  }

  private void checkListening(FabricInfo endpointInfo) {
    lifetime.checkOpen();
    required(endpointInfo, "info");
    checkFits(endpointInfo);
    if (endpointInfo.endpoint().type() != EndpointType.MSG) {
      throw unsupported(
          "endpoints of type "
              + endpointInfo.endpoint().type()
              + " do not connect: ask for information with type MSG");
    }
  }

  @Override
  public EventQueue openEventQueue(EventQueueOptions options) {
    lifetime.checkOpen();
    return new CoreEventQueue(this, lifetime, required(options, "options"));
  }

  @Override
  public String toString() {
    return "fabric " + info.fabric().provider() + " " + info.fabric().name();
  }
}
