// SPDX-License-Identifier: Apache-2.0
package org.ofi4j.provider.net.tcp;

import static org.ofi4j.core.object.Misuse.invalid;
import static org.ofi4j.core.object.Misuse.required;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.ofi4j.AddressVector;
import org.ofi4j.Capability;
import org.ofi4j.ConnectionOptions;
import org.ofi4j.ConnectionStatistics;
import org.ofi4j.ContextOptions;
import org.ofi4j.Errno;
import org.ofi4j.FabricAddress;
import org.ofi4j.FabricException;
import org.ofi4j.FabricInfo;
import org.ofi4j.ReceiveContext;
import org.ofi4j.ScalableEndpoint;
import org.ofi4j.ScalableOptions;
import org.ofi4j.TransmitContext;
import org.ofi4j.core.av.CoreAddressVector;
import org.ofi4j.core.av.TransferPeers;
import org.ofi4j.core.object.CoreObject;
import org.ofi4j.provider.net.connection.ConnectionSettings;
import org.ofi4j.provider.net.endpoint.EndpointAddress;
import org.ofi4j.provider.net.endpoint.EndpointDomain;
import org.ofi4j.provider.net.matching.Receiving;
import org.ofi4j.provider.net.progress.AutomaticProgress;
import org.ofi4j.provider.net.progress.NetProgress;
import org.ofi4j.provider.net.progress.ProgressThread;
import org.ofi4j.provider.net.wire.TcpLimits;

/**
 * A scalable endpoint over TCP. Opening and closing, also of contexts, take the monitor of the
 * object; transfers go from a context straight to what all of them share.
 */
public final class RdmScalableEndpoint extends CoreObject
    implements ScalableEndpoint, ContextOwner {
  private final EndpointDomain domain;
  private final FabricInfo info;
  private final int transmits;
  private final int receives;
  private final ConnectionOptions connections;

  // Guarded by the monitor of this object.
  private @Nullable CoreAddressVector vector;
  private final Map<Integer, ScalableContext> transmitContexts = new HashMap<>();
  private final Map<Integer, ScalableContext> receiveContexts = new HashMap<>();
  private final List<AutomaticProgress> movers = new ArrayList<>();

  // Written once; null only while the endpoint is being opened, when nobody else knows of it.
  private volatile @Nullable RdmTraffic traffic;

  private RdmScalableEndpoint(EndpointDomain domain, FabricInfo info, ScalableOptions options) {
    super(options.context());
    connections = options.connections();
    this.domain = domain;
    this.info = info;
    transmits = count("tx_ctx_cnt", info.endpoint().transmitContexts());
    receives = count("rx_ctx_cnt", info.endpoint().receiveContexts());
    lifetime.hold(domain.lifetime());
  }

  /** One that is ready: what options say is bound to it. */
  public static RdmScalableEndpoint open(
      EndpointDomain domain, FabricInfo info, ScalableOptions options) {
    FabricInfo own = EndpointAddress.at(options.address(), info, domain);
    RdmScalableEndpoint opened = new RdmScalableEndpoint(domain, own, options);
    return opened(opened, () -> opened.open(options.vector()));
  }

  private static int count(String what, int wanted) {
    if (wanted < 0 || wanted > TcpLimits.CONTEXTS) {
      throw invalid(
          "%s %s: a scalable endpoint has 1 to %s of its own"
              .formatted(what, wanted, TcpLimits.CONTEXTS));
    }
    return Math.max(wanted, 1);
  }

  @Override
  public EndpointDomain domain() {
    return domain;
  }

  @Override
  public FabricInfo info() {
    return info;
  }

  // Contexts.

  @Override
  public TransmitContext openTransmitContext(int index, ContextOptions options) {
    return ScalableContext.opened(transmitContext(index, required(options, "options")), options);
  }

  @Override
  public ReceiveContext openReceiveContext(int index, ContextOptions options) {
    return ScalableContext.opened(receiveContext(index, required(options, "options")), options);
  }

  private synchronized ScalableTransmit transmitContext(int index, ContextOptions options) {
    lifetime.checkOpen();
    if (options.minMultiReceive() > 0) {
      throw invalid("minMultiReceive is for receive contexts: a transmit context takes no message");
    }
    checkIndex("transmit", index, transmits, transmitContexts);
    FabricInfo half = ContextInfo.transmit(info, options);
    if (!half.has(Capability.SEND) && !half.has(Capability.READ) && !half.has(Capability.WRITE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only receives: ask for capability SEND too");
    }
    ScalableTransmit opened = new ScalableTransmit(this, half, index, options.context());
    transmitContexts.put(index, opened);
    return opened;
  }

  private synchronized ScalableReceive receiveContext(int index, ContextOptions options) {
    lifetime.checkOpen();
    checkIndex("receive", index, receives, receiveContexts);
    FabricInfo half = ContextInfo.receive(info, options);
    if (!half.has(Capability.RECEIVE)) {
      throw new FabricException(
          Errno.EOPNOTSUPP, this + " only sends: ask for capability RECEIVE too");
    }
    ScalableReceive opened = new ScalableReceive(this, half, index, options.context());
    receiveContexts.put(index, opened);
    return opened;
  }

  private void checkIndex(
      String which, int index, int count, Map<Integer, ScalableContext> present) {
    if (index < 0 || index >= count) {
      throw invalid(
          "index %s: %s has %s contexts 0 to %s; ask for more in the hints"
              .formatted(index, this, which, count - 1));
    }
    if (present.containsKey(index)) {
      throw new FabricException(
          Errno.EBUSY, which + " context " + index + " of " + this + " is open: close it first");
    }
  }

  @Override
  public synchronized void closed(Object context) {
    transmitContexts.values().remove(context);
    receiveContexts.values().remove(context);
  }

  // From opening to closing.

  /** The vector of all contexts; throws if there is none. */
  synchronized CoreAddressVector vector() {
    CoreAddressVector bound = vector;
    if (bound == null) {
      throw new FabricException(
          Errno.ENOAV, this + " has no address vector: name one in the options");
    }
    return bound;
  }

  @SuppressWarnings("ReferenceEquality") // a domain is itself and no other
  private synchronized void open(@Nullable AddressVector bound) {
    if (bound != null) {
      if (bound.domain() != domain) {
        throw invalid(bound + " is of " + bound.domain() + ", but " + this + " of " + domain);
      }
      if (!(bound instanceof CoreAddressVector own)) {
        throw invalid(bound + " is not of this provider");
      }
      lifetime.hold(own.lifetime());
      vector = own;
    }
    TransferPeers peers = vector().peers();
    ConnectionSettings settings = ConnectionSettings.of(this, null, connections);
    RdmTraffic opened =
        RdmTraffic.open(
            new Opening(domain, info, settings, null, null, null),
            vector(),
            info.has(Capability.RECEIVE) ? Receiving.scalable(peers, info, receives) : null);
    traffic = opened;
    opened.bound(connections.earlyMessages());
    ProgressThread thread = domain.progressThread();
    if (thread != null) {
      // The thread moves its data also while no context has a queue.
      AutomaticProgress mover = new AutomaticProgress(thread);
      movers.add(mover);
      opened.join(List.<NetProgress>of(mover));
    }
  }

  @Override
  public RdmTraffic traffic() {
    lifetime.checkOpen();
    return required(traffic, "traffic");
  }

  @Override
  public FabricAddress address() {
    return traffic().name();
  }

  @Override
  public ConnectionStatistics statistics() {
    return traffic().totals().statistics();
  }

  @Override
  public void warmUp(long... handles) {
    traffic().warmUp(required(handles, "handles"));
  }

  @Override
  protected synchronized void release() {
    RdmTraffic present = traffic;
    if (present != null) {
      present.close();
    }
    movers.forEach(AutomaticProgress::close);
  }

  @Override
  public String toString() {
    RdmTraffic present = traffic;
    return present == null
        ? "scalable endpoint of " + domain.info().domain().name() + ", being opened"
        : "scalable " + present;
  }
}
